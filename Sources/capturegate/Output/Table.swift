import CaptureGate

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
