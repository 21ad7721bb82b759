/// What the gate must know of devices before it decides; implemented where the hardware is known.
///
/// *thread-safe*
public protocol DeviceDirectory: Sendable {
    /// Finds the device a request means, without opening any capture node.
    func resolve(_ request: DeviceRequest) async -> DeviceResolution
}

/// The answer to a `DeviceRequest`.
public struct DeviceResolution: Sendable {
    /// The concrete device, also where it is busy; `nil` where there is none.
    public let device: DeviceDescription?
    public let availability: Availability
    /// Set where the node's permissions refuse this user.
    public let restriction: Restriction?
    /// The device's other ids: what it is called in another port, or once another says the same of itself. A denial of
    /// one of them holds; a grant of one of them does not.
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

/// A device as the gate shows it in questions and names it in permits.
public struct DeviceDescription: Hashable, Sendable {
    public let id: DeviceID
    /// The name a person reads, such as "HD Pro Webcam C920".
    public let name: String

    public init(id: DeviceID, name: String) {
        self.id = id
        self.name = name
    }
}

/// Whether there is such a device and whether it is free. Never says whether it is allowed: that is
/// `AuthorizationStatus`.
///
/// *thread-safe*
public enum Availability: Hashable, Sendable {
    case available
    /// No such device; the text says what was looked for.
    case absent(String)
    /// Another process holds it; `nil` where /proc hides the holder.
    case busy(DeviceHolder?)

    public var isAvailable: Bool { self == .available }
}

/// The process that holds a device.
public struct DeviceHolder: Hashable, Sendable {
    public let processID: Int32
    public let command: String

    public init(processID: Int32, command: String) {
        self.processID = processID
        self.command = command
    }
}

/// What an operation wants of one device: the requirement of `Capability.Microphone` and `Capability.Camera`.
///
/// *thread-safe*
public struct DeviceRequest: Hashable, Sendable {
    public let capability: CapabilityName
    public let level: AccessLevel
    public let device: DeviceSelector
    /// The sentence a person reads when asked, such as "Record a voice memo".
    public let purpose: String
    /// Whether it may be had while another process captures from it, since it captures nothing: its controls.
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
