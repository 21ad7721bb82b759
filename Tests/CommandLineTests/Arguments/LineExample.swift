import Testing

/// A command line, and a part of the message about it.
struct LineExample: Sendable, CustomTestStringConvertible {
    let line: String
    let word: String
    var testDescription: String { line }

    init(_ line: String, _ word: String) {
        self.line = line
        self.word = word
    }
}
