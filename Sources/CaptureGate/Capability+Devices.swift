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

extension Capability {
    /// The right to capture pictures, at level `.still` or `.video`.
    ///
    /// *thread-safe*
    public struct Camera: DeviceCapability {
        public let requirement: DeviceRequest

        /// - Parameters:
        ///   - level: `.still`, for single pictures, or `.video`.
        ///   - device: one camera, or the machine's choice.
        ///   - purpose: the sentence a person reads when asked.
        public init(_ level: AccessLevel = .video, device: DeviceSelector = .any, purpose: String) {
            requirement = DeviceRequest(capability: .camera, level: level, device: device, purpose: purpose)
        }
    }
}
