/// The name of an aspect of the machine that a person must allow, such as `microphone`.
///
/// *thread-safe*
public struct CapabilityName: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Sound capture: the word for it in grants, policy files and on the command line.
    public static let microphone = CapabilityName(rawValue: "microphone")
    /// Picture capture: the word for it in grants, policy files and on the command line.
    public static let camera = CapabilityName(rawValue: "camera")

    public var description: String { rawValue }
}
