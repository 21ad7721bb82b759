import Gate

extension Capability {
    /// Right to capture audio.
    ///
    /// *thread-safe*
    public struct Microphone: DeviceCapability {
        /// Requested device, level and purpose.
        public let requirement: DeviceRequest

        /// Describes what a capture needs; asks nobody.
        ///
        /// - Parameters:
        ///   - level: `.meter` to see how loud it is, or `.record`.
        ///   - device: one microphone, or the machine's choice.
        ///   - purpose: reason for the capture, which the question shows.
        public init(_ level: AccessLevel = .record, device: DeviceSelector = .any, purpose: String) {
            requirement = DeviceRequest(capability: .microphone, level: level, device: device, purpose: purpose)
        }
    }
}

extension Capability {
    /// Right to capture video or stills.
    ///
    /// *thread-safe*
    public struct Camera: DeviceCapability {
        /// Requested device, level and purpose.
        public let requirement: DeviceRequest

        /// Describes what a capture needs; asks nobody.
        ///
        /// - Parameters:
        ///   - level: `.still` for single stills, or `.video`.
        ///   - device: one camera, or the machine's choice.
        ///   - purpose: reason for the capture, which the question shows.
        public init(_ level: AccessLevel = .video, device: DeviceSelector = .any, purpose: String) {
            requirement = DeviceRequest(capability: .camera, level: level, device: device, purpose: purpose)
        }
    }
}
