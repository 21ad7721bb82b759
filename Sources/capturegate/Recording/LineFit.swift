import CaptureGate

/// One line of a terminal: of several words as many as fit, those first that matter most, and none of them cut.
struct ProgressLayout {
    private(set) var words: [String] = []
    /// Columns that are left.
    private(set) var freeColumns: Int

    static let gap = 2

    /// - Parameters:
    ///   - words: what matters most first; empty ones are left out.
    ///   - freeColumns: in columns.
    init(_ words: [String], in freeColumns: Int) {
        self.freeColumns = max(0, freeColumns)
        for word in words where !word.isEmpty {
            let needed = VisibleText.columns(of: word) + (self.words.isEmpty ? 0 : Self.gap)
            guard needed <= self.freeColumns else { return }
            self.words.append(word)
            self.freeColumns -= needed
        }
    }

    /// A recording's progress. What is lost is told in the narrowest line, too.
    /// - Parameter left: how long the disk will do.
    init(_ progress: ProgressText, left: String?, in freeColumns: Int) {
        self.init(progress.words(left: left), in: freeColumns)
        if words.count < 2 { self.init([progress.lost], in: freeColumns) }
    }

    var text: String { words.joined(separator: String(repeating: " ", count: Self.gap)) }
}
