/// The stable name of a device: it outlives replugging and renumbering, and never is `/dev/videoN`.
///
/// *thread-safe*
public struct DeviceID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public var description: String { rawValue }
}

extension DeviceID {
    /// The built-in test picture.
    package static let testPicture = DeviceID(rawValue: "test:bars")
    /// The built-in test tone.
    package static let testTone = DeviceID(rawValue: "test:tone")

    /// Whether it is one of the built-in test devices, which show no real picture and no real sound.
    package var isBuiltIn: Bool { self == .testPicture || self == .testTone }
}
