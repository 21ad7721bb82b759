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
