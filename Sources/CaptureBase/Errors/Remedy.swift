/// What a person can do about a refusal or a failure.
///
/// *thread-safe*
public struct Remedy: Hashable, Sendable, Codable {
    /// One sentence in the imperative.
    public let text: String
    /// The exact command that does it, where one does.
    public let command: String?

    public init(_ text: String, command: String? = nil) {
        self.text = text
        self.command = command
    }
}
