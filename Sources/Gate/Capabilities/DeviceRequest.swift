/// What an operation wants of one device: the requirement of `Capability.Microphone` and `Capability.Camera`.
///
/// *thread-safe*
public struct DeviceRequest: Hashable, Sendable {
    public let capability: CapabilityName
    public let level: AccessLevel
    public let device: DeviceSelector
    /// The sentence a person reads when asked, such as "Record a voice memo".
    public let purpose: String

    public init(capability: CapabilityName, level: AccessLevel, device: DeviceSelector, purpose: String) {
        self.capability = capability
        self.level = level
        self.device = device
        self.purpose = purpose
    }
}
