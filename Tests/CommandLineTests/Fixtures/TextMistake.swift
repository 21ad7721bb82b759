import Testing

/// A file's text, the position of its mistake as a diagnostic tells it, and a part of the sentence that says what it is.
struct TextMistake: Sendable, CustomTestStringConvertible {
    let text: String
    let place: String
    let cause: String
    var testDescription: String { "\(cause) at \(place)" }

    init(_ text: String, _ place: String, _ cause: String) {
        (self.text, self.place, self.cause) = (text, place, cause)
    }
}
