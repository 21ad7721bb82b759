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
