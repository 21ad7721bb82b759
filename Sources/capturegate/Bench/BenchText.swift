/// Figures of a benchmark as people read them.
enum BenchText {
    /// `2.3x`, `115x`.
    static func times(_ value: Double) -> String { "\(NumberText.fixed(value, value < 20 ? 1 : 0))x" }

    /// In the unit that leaves one to three digits before the point.
    static func time(_ nanoseconds: Int64) -> String {
        guard nanoseconds >= 1000 else { return "\(nanoseconds) ns" }
        var value = Double(nanoseconds) / 1000
        for unit in ["us", "ms"] {
            if value < 1000 { return "\(NumberText.fixed(value, value < 10 ? 2 : 1)) \(unit)" }
            value /= 1000
        }
        return "\(NumberText.fixed(value, 1)) s"
    }

    /// Every column but the first and the last flush right, as figures stand.
    static func aligned(_ rows: [[String]]) -> [[String]] {
        guard let columns = rows.map(\.count).max() else { return rows }
        let widths = (0..<columns).map { column in
            rows.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in row.enumerated().map { $0 == 0 ? $1 : $1.aligned(to: widths[$0]) } }
    }
}
