// A reader of pages that forgives nothing.

/// Insides of all tags, in order.
func tags(in page: String) -> [String] {
    var (found, tag): ([String], String?) = ([], nil)
    for character in page.unicodeScalars {
        if character == "<" {
            tag = ""
        } else if character == ">", let inside = tag {
            found.append(inside)
            tag = nil
        } else {
            tag?.unicodeScalars.append(character)
        }
    }
    return found
}

func name(of tag: String) -> String { String(tag.prefix { $0 != " " && $0 != "/" && $0 != "\n" }) }

/// Tags with the names of their attributes.
func skeleton(_ page: String) -> [String] {
    tags(in: page).map { tag in
        tag.split(separator: "\"", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 0 }
            .map { String($0.element) }.joined()
    }
}

func values(of attributes: [String], in tag: String) -> [String] {
    let parts = tag.split(separator: "\"", omittingEmptySubsequences: false)
    return zip(parts, parts.dropFirst()).enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        .filter { part in attributes.contains { part.0.hasSuffix(" \($0)=") } }.map { String($0.1) }
}

/// Colours of a style sheet's part, as numbers of six hexadecimal digits.
func palette(_ sheet: String) -> [String: UInt32] {
    var colors: [String: UInt32] = [:]
    for part in sheet.split(separator: "--") {
        let pair = part.split(separator: ":", maxSplits: 1)
        guard pair.count == 2, pair[1].first == "#" else { continue }
        colors[String(pair[0])] = UInt32(pair[1].dropFirst().prefix(6), radix: 16)
    }
    return colors
}

/// Contrast of two colours. Standard: Web Content Accessibility Guidelines 2.2 (2023).
func contrastRatio(_ one: UInt32, _ other: UInt32) -> Double {
    let (a, b) = (luminance(one), luminance(other))
    return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}

func luminance(_ color: UInt32) -> Double {
    zip([16, 8, 0], [0.2126, 0.7152, 0.0722]).reduce(0) { sum, part in
        let level = Double(color >> UInt32(part.0) & 255) / 255
        return sum + part.1 * (level <= 0.04045 ? level / 12.92 : power24((level + 0.055) / 1.055))
    }
}

/// A number to the power of 2.4: squared, times the fifth root of its square, by Newton's method.
func power24(_ number: Double) -> Double {
    let square = number * number
    return square * (0..<60).reduce(1.0) { root, _ in root - (root - square / (root * root * root * root)) / 5 }
}

extension String {
    /// How often a text is in it.
    func components(_ part: String) -> Int {
        split(separator: part, omittingEmptySubsequences: false).count - 1
    }

    /// Parts between the first places of some texts, each after the previous one.
    func split(around marks: [String]) -> [String] {
        var (parts, rest) = ([String](), self[...])
        for mark in marks {
            guard let range = rest.firstRange(of: mark) else { break }
            parts.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return parts + [String(rest)]
    }
}
