/// Which device is meant: any of its capability, or one.
///
/// *thread-safe*
public enum DeviceSelector: Hashable, Sendable, Codable, CustomStringConvertible {
    case any
    case id(DeviceID)

    /// Whether a decision about `self` speaks of `device` too.
    public func covers(_ device: DeviceID) -> Bool {
        switch self {
        case .any: true
        case .id(let id): id == device
        }
    }

    public var description: String {
        switch self {
        case .any: "any"
        case .id(let id): id.rawValue
        }
    }
}
