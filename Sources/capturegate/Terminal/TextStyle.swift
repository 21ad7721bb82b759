import CaptureGate

/// Text style of a terminal; plain text if colours are unwanted.
///
/// Sequences are those of ECMA-48 (SGR, "select graphic rendition"), in the eight basic colours: those follow
/// the user's own palette, and so stay readable on light and dark backgrounds.
struct TextStyle: Sendable {
    /// False for pipes, dumb terminals and with NO_COLOR.
    let isOn: Bool

    init(for stream: StandardStream) { isOn = stream.hasColours }

    func bold(_ text: String) -> String { set("1", text) }
    func faint(_ text: String) -> String { set("2", text) }
    func red(_ text: String) -> String { set("31", text) }
    func green(_ text: String) -> String { set("32", text) }
    func yellow(_ text: String) -> String { set("33", text) }

    /// Text between the sequence and a reset; every style ends itself, so that nothing leaks into the next
    /// line.
    private func set(_ code: String, _ text: String) -> String { isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }

    /// Sequences that `set(_:_:)` writes: the only ones that `sanitized(_:)` lets pass.
    private static let sequences = ["0", "1", "2", "31", "32", "33"].map { Array("\u{1B}[\($0)m".unicodeScalars) }

    /// Last filter before a terminal: everything that does not show as itself is written out, except line
    /// breaks and this type's own sequences.
    ///
    /// A second line of defence. Texts from outside should have passed `visible` already; one that was
    /// forgotten is harmless all the same.
    static func sanitized(_ text: String) -> String {
        // Most lines are plain ASCII; the scan of scalars costs more than writing them.
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == 0x0A }) { return text }
        var (result, scan) = ("", VisibleScan())
        var rest = Array(text.unicodeScalars)[...]
        while let scalar = rest.first {
            let sequence = scalar == "\u{1B}" ? sequences.first { rest.starts(with: $0) } : nil
            // Called for every scalar, including the sequences':
            // the scan counts accents and must see the whole text.
            let isShown = scan.shows(scalar) || scalar == "\n"
            let taken = rest.prefix(sequence?.count ?? 1)
            if sequence != nil || isShown {
                result.unicodeScalars.append(contentsOf: taken)
            } else {
                result += String(scalar).visible
            }
            rest = rest.dropFirst(taken.count)
        }
        return result
    }
}

/// Rows whose columns are aligned.
struct Table {
    var rows: [[String]]

    /// One line per row. The last column is not padded: trailing spaces would wrap in narrow terminals.
    var lines: [String] {
        let widths = rows.reduce(into: [Int]()) { widths, row in
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                // In terminal columns, not characters: an ideograph takes two.
                widths[column] = max(widths[column], VisibleText.columns(of: cell))
            }
        }
        return rows.map { row in
            let cells = row.enumerated().map { $0 == row.count - 1 ? $1 : $1.padded(to: widths[$0]) }
            return cells.joined(separator: "  ")
        }
    }
}

extension String {
    /// Text padded with spaces after it to a width in terminal columns; longer text is unchanged.
    func padded(to width: Int) -> String {
        let columns = VisibleText.columns(of: self)
        return columns >= width ? self : self + String(repeating: " ", count: width - columns)
    }

    /// Text padded with spaces before it to a width in terminal columns, as numbers are aligned.
    func aligned(to width: Int) -> String {
        let columns = VisibleText.columns(of: self)
        return columns >= width ? self : String(repeating: " ", count: width - columns) + self
    }

    /// Beginning of the text that fits into a width: a longer line would wrap and scroll what is drawn over.
    func fitting(_ width: Int) -> String { VisibleText.prefix(of: self, columns: width) }
}
