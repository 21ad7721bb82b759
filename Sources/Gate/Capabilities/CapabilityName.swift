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

extension CapabilityName {
    /// The levels of the microphone and of the camera, lowest first; empty for a capability of a program's own, which makes
    /// its own.
    public var levels: [AccessLevel] {
        switch self {
        case .microphone: [.meter, .record]
        case .camera: [.still, .video]
        default: []
        }
    }

    /// Whether a level is one of these, by its name *and* its rank: a question shows the one, and decisions go by the other.
    /// A capability of a program's own has any.
    public func has(_ level: AccessLevel) -> Bool { levels.isEmpty || levels.contains(level) }
}
