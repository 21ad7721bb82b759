/// Directory of the machine's devices, as the gate needs it for a decision; implemented where the hardware is known.
///
/// *thread-safe*
public protocol DeviceDirectory: Sendable {
    /// Finds the requested device, without opening any capture node.
    func resolve(_ request: DeviceRequest) async -> DeviceResolution
}

/// Answer to a `DeviceRequest`.
///
/// *thread-safe*
public struct DeviceResolution: Sendable {
    /// The concrete device, even if it is busy; `nil` if no device matches.
    public let device: DeviceDescription?
    /// Presence of the device, and its holder if it is busy.
    public let availability: Availability
    /// Set where the node's permissions refuse this user.
    public let restriction: Restriction?
    /// Other ids of the same hardware: its id at another port, or its id if another device reports the same identity. A
    /// denial of any alias denies this device. A grant for an alias does not allow it.
    public let aliases: [DeviceID]

    public init(
        device: DeviceDescription?, availability: Availability, restriction: Restriction? = nil,
        aliases: [DeviceID] = []
    ) {
        self.device = device
        self.availability = availability
        self.restriction = restriction
        self.aliases = aliases
    }
}

/// A device as shown in questions and named in permits.
///
/// *thread-safe*
public struct DeviceDescription: Hashable, Sendable {
    public let id: DeviceID
    /// Name for people, such as "HD Pro Webcam C920".
    public let name: String

    public init(id: DeviceID, name: String) {
        self.id = id
        self.name = name
    }
}

/// Presence of a device, and its holder if it is busy. Never tells if it is allowed: that is `AuthorizationStatus`.
///
/// *thread-safe*
public enum Availability: Hashable, Sendable {
    case available
    /// No such device; the text names the one looked for.
    case absent(String)
    /// Another process holds it; `nil` if /proc hides the holder.
    case busy(DeviceHolder?)

    public var isAvailable: Bool { self == .available }
}

/// A process that holds a device.
///
/// *thread-safe*
public struct DeviceHolder: Hashable, Sendable {
    public let processID: Int32
    public let command: String

    public init(processID: Int32, command: String) {
        self.processID = processID
        self.command = command
    }
}

/// An operation's request for one device: the requirement of `Capability.Microphone` and `Capability.Camera`.
///
/// *thread-safe*
public struct DeviceRequest: Hashable, Sendable {
    public let capability: CapabilityName
    public let level: AccessLevel
    public let device: DeviceSelector
    /// Sentence shown to the person who is asked, such as "Record a voice memo".
    public let purpose: String
    /// True if another process may capture from the device meanwhile, since this use captures nothing: its controls.
    public let isShared: Bool

    public init(
        capability: CapabilityName, level: AccessLevel, device: DeviceSelector, purpose: String, isShared: Bool = false
    ) {
        self.capability = capability
        self.level = level
        self.device = device
        self.purpose = purpose
        self.isShared = isShared
    }
}

/// Selection of a device: any of its capability, or one.
///
/// *thread-safe*
public enum DeviceSelector: Hashable, Sendable, Codable, CustomStringConvertible {
    case any
    /// One device, by its id.
    case id(DeviceID)

    /// True if a decision about `self` covers `device`.
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

/// Stable id of a device: it outlives replugging and renumbering, and never is `/dev/videoN`.
///
/// *thread-safe*
public struct DeviceID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// An id that is written in a program, such as `"test:bars"`.
    public init(stringLiteral id: String) { self.init(rawValue: id) }

    public var description: String { rawValue }
}

extension DeviceID {
    /// The built-in test pattern.
    package static let testPicture = DeviceID(rawValue: "test:bars")
    /// The built-in test tone.
    package static let testTone = DeviceID(rawValue: "test:tone")

    /// True for the built-in test devices, which capture nothing real.
    package var isBuiltIn: Bool { self == .testPicture || self == .testTone }
}
