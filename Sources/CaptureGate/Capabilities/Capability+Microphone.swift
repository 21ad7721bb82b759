import Gate

extension Capability {
    /// The right to capture sound, at level `.meter` or `.record`.
    ///
    /// *thread-safe*
    public struct Microphone: DeviceCapability {
        public let requirement: DeviceRequest

        /// - Parameters:
        ///   - level: `.meter`, to see how loud it is, or `.record`.
        ///   - device: one microphone, or the machine's choice.
        ///   - purpose: the sentence a person reads when asked.
        public init(_ level: AccessLevel = .record, device: DeviceSelector = .any, purpose: String) {
            requirement = DeviceRequest(capability: .microphone, level: level, device: device, purpose: purpose)
        }
    }
}
