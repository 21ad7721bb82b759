/// Filter for text from outside, such as a device's name, a program's path or a purpose: all of it is shown, none of it obeyed.
/// Otherwise a name could move the cursor, reverse the text direction, or imitate a line of the program.
///
/// The project's only such filter: all printed text goes through it.
///
/// *thread-safe*
package enum VisibleText {
    /// `text` with every character that does not show as itself written as `\u{…}`: anything but letters, numbers, punctuation,
    /// symbols and the plain space; characters that fonts leave out; accents without a letter, or too many of them.
    ///
    /// A run of spaces becomes one space and a mark, `\u{20}`: it could push the rest to a place where a line of the program
    /// begins, and without the mark two names could look the same.
    package static func of(_ text: String) -> String {
        if isPlain(text) { return text }
        var scan = VisibleScan()
        var blanks = 0
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            let isShown = scan.shows(scalar)
            blanks = scalar == " " ? blanks + 1 : 0
            if blanks > 1 {
                if blanks == 2 { result += escape(scalar) }
            } else if isShown {
                result.unicodeScalars.append(scalar)
            } else {
                result += escape(scalar)
            }
        }
    }

    /// The same filter; omits the middle of a text wider than `limit` columns of a terminal: the beginning shows the origin and
    /// the end the name.
    package static func of(_ text: String, limit: Int) -> String {
        let shown = of(text)
        guard columns(of: shown) > limit else { return shown }
        let tail = (limit - 1) / 2
        let end = String(fitting(shown.reversed(), in: tail).reversed())
        return "\(String(fitting(Array(shown), in: limit - 1 - tail)))…\(end)"
    }

    /// Width of a text in columns of a terminal: ideographs, kana, Hangul and most emoji take two.
    ///
    /// Standard: Unicode Standard Annex 11 (2023), by blocks.
    package static func columns(of text: String) -> Int { text.reduce(0) { $0 + columns(of: $1) } }

    /// Beginning of a text that fits in a number of columns.
    package static func prefix(of text: String, columns: Int) -> String {
        String(fitting(Array(text), in: max(0, columns)))
    }

    private static func fitting(_ characters: [Character], in columns: Int) -> ArraySlice<Character> {
        var left = columns
        return characters.prefix { character in
            left -= self.columns(of: character)
            return left >= 0
        }
    }

    private static func columns(of character: Character) -> Int {
        character.unicodeScalars.contains(where: isWide) ? 2 : 1
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x1100: false
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            true
        default: scalar.properties.isEmojiPresentation
        }
    }

    /// True for most names: ASCII that shows as itself, without two spaces in a row.
    private static func isPlain(_ text: String) -> Bool {
        var previous: UInt8 = 0
        return text.utf8.allSatisfy { byte in
            defer { previous = byte }
            return (0x20..<0x7F).contains(byte) && !(byte == 0x20 && previous == 0x20)
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String { "\\u{\(String(scalar.value, radix: 16))}" }
}

extension String {
    /// The text as a person may see it: see ``VisibleText``.
    package var visible: String { VisibleText.of(self) }
}

/// A scan that decides, scalar by scalar, if each shows as itself.
package struct VisibleScan {
    /// Most accents that stay on one letter; more would grow over the lines above.
    private static let mostAccents = 2
    /// Number of accents since the last letter or number; `nil` if none precedes: an accent would then appear on the
    /// program's own text.
    private var accents: Int?

    package init() {}

    /// Decides about the next scalar. The order of calls matters: accents count since the last letter.
    package mutating func shows(_ scalar: Unicode.Scalar) -> Bool {
        guard Self.hasShape(scalar) else { return hide() }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber:
            accents = 0
            return true
        case .nonspacingMark, .spacingMark, .enclosingMark:
            guard let count = accents, count < Self.mostAccents else { return false }
            accents = count + 1
            return true
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
            .finalPunctuation, .otherPunctuation, .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol:
            accents = nil
            return true
        case .spaceSeparator:
            accents = nil
            return scalar == " "
        default: return hide()
        }
    }

    private mutating func hide() -> Bool {
        accents = nil
        return false
    }

    /// False for letters and symbols, by their category, that fonts draw as nothing: fillers of Hangul, the blank of
    /// Braille, the null note head, full blanks of hieroglyphs, the object replacement character; and variation
    /// selectors.
    private static func hasShape(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20..<0x7F: true
        case 0x2800, 0xFFFC, 0x1D159, 0x13441, 0x13442: false
        default: !scalar.properties.isDefaultIgnorableCodePoint
        }
    }
}
