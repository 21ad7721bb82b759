import ArgumentParser

/// Help of a command as it is printed.
///
/// The parser writes the text, and manual pages contain all of it. The screen ends a discussion after its first examples, and omits
/// the discussions of options. No line breaks inside a word.
struct HelpScreen {
    /// True while the parser writes a help without the options that few people need.
    ///
    /// Such options are hidden in this text alone: completion scripts, manual pages and the parser's messages would omit an
    /// option that is always hidden.
    @TaskLocal static var isShort = false

    /// Beginning of a help in the parser's output.
    static let beginning = "OVERVIEW: "

    /// Options, arguments or commands under one title.
    private struct Section {
        /// Title in upper case, with a colon.
        let title: String
        /// Each option as it is typed, with the sentence about it.
        var items: [(label: Substring, text: Substring)] = []
    }

    /// Summary of the command and its first examples.
    private let overview: ArraySlice<Substring>
    /// The parser's line, with its title.
    private let usage: Substring
    private var sections: [Section] = []
    /// Names of the command; empty for the program itself.
    private let path: [String]
    /// True if the command has options that the text omits.
    private let hasMore: Bool

    /// Reads a help.
    ///
    /// - Parameters:
    ///   - text: by the parser, each paragraph on one line.
    ///   - path: names of the command; empty for the program itself.
    ///   - hasMore: true if the command has options that the text omits.
    init(_ text: String, of path: [String], hasMore: Bool) {
        let lines = text.dropFirst(Self.beginning.count).split(separator: "\n", omittingEmptySubsequences: false)
        let end = lines.firstIndex { $0.hasPrefix("USAGE: ") } ?? lines.endIndex
        (overview, usage) = (Self.beginning(of: lines[..<end]), end < lines.endIndex ? lines[end] : "")
        (self.path, self.hasMore) = (path, hasMore)
        let rest = lines.dropFirst(end + 1)
        for (line, next) in zip(rest, rest.dropFirst() + [""]) { read(line, next) }
    }

    /// Lines up to the first examples, which are indented.
    private static func beginning(of lines: ArraySlice<Substring>) -> ArraySlice<Substring> {
        guard let first = lines.firstIndex(where: isIndented) else { return lines }
        return lines[..<(lines[first...].firstIndex { !isIndented($0) } ?? lines.endIndex)]
    }

    private static func isIndented(_ line: Substring) -> Bool { line.hasPrefix("  ") }

    /// Margin of the parser's texts about options; a longer label is on the line before.
    private static let margin = String(repeating: " ", count: 26)
    /// Margin of the parser's discussions of options.
    private static let discussionMargin = String(repeating: " ", count: 8)

    /// Adds a line of the parser to the sections.
    ///
    /// - Parameter next: line after it.
    private mutating func read(_ line: Substring, _ next: Substring) {
        guard Self.isIndented(line) else {
            if !line.isEmpty { sections.append(Section(title: String(line.replacing(" SUBCOMMANDS:", with: ":")))) }
            return
        }
        let isText = line.hasPrefix(Self.margin)
        let isLabel = !isText && !line.hasPrefix(Self.discussionMargin)
        guard !sections.isEmpty, isLabel, !Self.isCommon(line) else { return }
        let isLong = next.hasPrefix(Self.margin)
        let label = isLong ? line : line.prefix(Self.margin.count)
        let text = isLong ? next : line.dropFirst(Self.margin.count)
        sections[sections.count - 1].items.append((label.trimmed, text.trimmed))
    }

    /// True for the parser's own options, which all commands have, and for its last line.
    private static func isCommon(_ line: Substring) -> Bool {
        ["  --version ", "  -h, --help ", "  See '"].contains { line.hasPrefix($0) }
    }

    /// Lines for a terminal of a width.
    func lines(_ width: Int) -> [String] {
        let longest = sections.flatMap(\.items).map(\.label.count).filter { $0 <= Self.margin.count - 4 }.max() ?? 0
        var lines = overview.flatMap { line in
            if line.isEmpty { return [""] }
            return Self.isIndented(line)
                ? Self.example(line, width) : Paragraph.lines(String(line), behind: "", width: width)
        }
        lines += [""] + usage(width)
        for section in sections where !section.items.isEmpty {
            lines += ["", section.title] + section.items.flatMap { Self.item($0.label, $0.text, longest, width) }
        }
        return lines + [""] + Paragraph.lines(footer, behind: "", width: width)
    }

    /// Lines of the usage. None breaks inside brackets.
    private func usage(_ width: Int) -> [String] {
        var depth = 0
        let text = usage.dropFirst(7).map { (character: Character) -> Character in
            if character == "[" { depth += 1 }
            if character == "]" { depth -= 1 }
            return character == " " && depth > 0 ? "\u{A0}" : character
        }
        return Paragraph.lines(String(text), behind: "USAGE: ", width: width).map { $0.replacing("\u{A0}", with: " ") }
    }

    /// Lines of an option, argument or command: the text is beside the label, or below it if the label is too long or the
    /// terminal too narrow.
    private static func item(_ label: Substring, _ text: Substring, _ longest: Int, _ width: Int) -> [String] {
        let column = width < 60 ? 6 : longest + 4
        let margin = String(repeating: " ", count: column)
        guard label.count + 4 <= column else {
            return ["  \(label)"] + Paragraph.lines(String(text), behind: margin, width: width)
        }
        return Paragraph.lines(String(text), behind: "  \(label)".padded(to: column), width: width)
    }

    /// Lines of a command line. A shell reads them as one, since each but the last ends in a backslash.
    private static func example(_ text: Substring, _ width: Int) -> [String] {
        guard text.count > width else { return [String(text)] }
        var isQuoted = false
        let words = text.split { character in
            if "'\"".contains(character) { isQuoted.toggle() }
            return character == " " && !isQuoted
        }
        return words.reduce(into: [" "]) { lines, word in
            let last = lines[lines.count - 1]
            let isFirst = last.allSatisfy { $0 == " " }
            if isFirst || last.count + word.count + 3 <= width {
                lines[lines.count - 1] += " \(word)"
            } else {
                lines[lines.count - 1] += " \\"
                lines.append("      \(word)")
            }
        }
    }

    /// Pointers to other help.
    private var footer: String {
        let manual = "man \((["capturegate"] + path).joined(separator: "-"))."
        if path.isEmpty { return "Help for a command: capturegate COMMAND --help. Exit codes: \(manual)" }
        let all = hasMore ? "All options: capturegate \(path.joined(separator: " ")) --help-all. " : ""
        return "\(all)Details: \(manual)"
    }
}

extension Substring {
    /// The text without blanks at its ends.
    fileprivate var trimmed: Substring {
        let text = drop { $0 == " " }
        return text.prefix(upTo: text.lastIndex { $0 != " " }.map { text.index(after: $0) } ?? text.startIndex)
    }
}

extension ArgumentHelp {
    /// Help of an option that few people need: the short help of a command omits it.
    static func advanced(_ abstract: String, discussion: String? = nil, valueName: String? = nil) -> ArgumentHelp {
        ArgumentHelp(
            abstract, discussion: discussion, valueName: valueName, visibility: HelpScreen.isShort ? .hidden : .default)
    }
}
