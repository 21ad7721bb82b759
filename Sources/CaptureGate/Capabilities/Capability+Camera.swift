import Gate

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
