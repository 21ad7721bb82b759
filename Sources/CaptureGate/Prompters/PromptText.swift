import Gate

/// A question as lines of text and choices, for a terminal or a dialog.
struct PromptText<Value: Sendable>: Sendable {
    /// A choice and the key that picks it.
    struct Choice: Sendable {
        let key: Character
        /// The same written out.
        let word: String
        /// For a terminal: the key in brackets, as in `[n]o`.
        let text: String
        /// For a dialog.
        let label: String
        let value: Value
    }

    /// The lines above the choices.
    let lines: [String]
    /// The question itself, one line.
    let title: String
    /// The safest first.
    let choices: [Choice]

    /// The line a person answers on.
    var promptLine: String {
        "\(title) " + choices.map(\.text).joined(separator: ", ") + ", Enter to decide later: "
    }

    /// What a typed line means: its choice's key or word.
    /// - Returns: `nil` where the line means nothing.
    func choice(for line: String) -> Value? {
        let word = line.lowercased()
        return choices.first { word == String($0.key) || word == $0.word }?.value
    }
}

/// How a person ended a question.
enum PromptOutcome<Value: Sendable>: Sendable {
    case chosen(Value)
    case dismissed
    case timedOut
    case failed(CaptureError)
}
