import CaptureGate

/// One line of a terminal: of several words as many as fit, those first that matter most, and none of them cut.
struct LineFit {
    private(set) var words: [String] = []
    /// Columns that are left.
    private(set) var room: Int

    static let gap = 2

    /// - Parameters:
    ///   - words: what matters most first; empty ones are left out.
    ///   - room: in columns.
    init(_ words: [String], in room: Int) {
        self.room = max(0, room)
        for word in words where !word.isEmpty {
            let needed = VisibleText.columns(of: word) + (self.words.isEmpty ? 0 : Self.gap)
            guard needed <= self.room else { return }
            self.words.append(word)
            self.room -= needed
        }
    }

    /// A recording's progress. What is lost is told in the narrowest line, too.
    /// - Parameter left: how long the disk will do.
    init(_ progress: ProgressText, left: String?, in room: Int) {
        self.init(progress.words(left: left), in: room)
        if words.count < 2 { self.init([progress.lost], in: room) }
    }

    var text: String { words.joined(separator: String(repeating: " ", count: Self.gap)) }
}
