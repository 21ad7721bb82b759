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
