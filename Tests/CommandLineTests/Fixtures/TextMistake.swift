import Testing

/// A file's text, the position of its mistake in a diagnostic, and a part of the message.
struct TextMistake: Sendable, CustomTestStringConvertible {
    let text: String
    let place: String
    let cause: String
    var testDescription: String { "\(cause) at \(place)" }

    init(_ text: String, _ place: String, _ cause: String) {
        (self.text, self.place, self.cause) = (text, place, cause)
    }
}
