import CaptureGate

/// Colours for a terminal; plain text where there are none.
struct TextStyle: Sendable {
    let isOn: Bool

    init(for stream: StandardStream) { isOn = stream.hasColours }

    func bold(_ text: String) -> String { set("1", text) }
    func faint(_ text: String) -> String { set("2", text) }
    func red(_ text: String) -> String { set("31", text) }
    func green(_ text: String) -> String { set("32", text) }
    func yellow(_ text: String) -> String { set("33", text) }

    private func set(_ code: String, _ text: String) -> String { isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }

    private static let sequences = ["0", "1", "2", "31", "32", "33"].map { Array("\u{1B}[\($0)m".unicodeScalars) }

    /// `text` with all that does not show as itself written out, but for line breaks and what `TextStyle` writes.
    static func sanitized(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == 0x0A }) { return text }
        var (result, scan) = ("", VisibleScan())
        var rest = Array(text.unicodeScalars)[...]
        while let scalar = rest.first {
            let sequence = scalar == "\u{1B}" ? sequences.first { rest.starts(with: $0) } : nil
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

/// Rows whose columns stand below each other.
struct Table {
    var rows: [[String]]

    /// A line a row; the last column is not filled up.
    var lines: [String] {
        let widths = rows.reduce(into: [Int]()) { widths, row in
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
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
    /// Filled up with spaces at the end.
    func padded(to width: Int) -> String {
        let columns = VisibleText.columns(of: self)
        return columns >= width ? self : self + String(repeating: " ", count: width - columns)
    }

    /// Filled up with spaces at the beginning.
    func aligned(to width: Int) -> String {
        let columns = VisibleText.columns(of: self)
        return columns >= width ? self : String(repeating: " ", count: width - columns) + self
    }

    /// Cut off where a line of so many columns ends: a longer one would wrap.
    func fitting(_ width: Int) -> String { VisibleText.prefix(of: self, columns: width) }
}
