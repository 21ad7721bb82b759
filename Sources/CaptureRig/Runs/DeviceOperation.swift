import CaptureGate

/// A capture from one device by a closure: at a recording's level, since it is a recording whose quality or cost is measured.
///
/// *thread-safe*
package struct DeviceOperation<Output: Sendable>: CaptureOperation {
    package let authorization: AuthorizedFor<Capability.All>
    private let body: @Sendable (consuming DevicePermit) async throws(CaptureError) -> Output

    /// - Parameters:
    ///   - device: a camera or a microphone.
    ///   - purpose: shown to a person who is asked.
    ///   - body: gets the permit of the device.
    package init(
        _ device: Device, purpose: String,
        _ body: @escaping @Sendable (consuming DevicePermit) async throws(CaptureError) -> Output
    ) {
        let request = DeviceRequest(
            capability: device.capability, level: device.capability == .camera ? .video : .record,
            device: .id(device.id), purpose: purpose)
        authorization = AuthorizedFor(Capability.All([request]))
        self.body = body
    }

    package func execute(
        with permit: consuming Permit, in context: OperationContext
    ) async throws(CaptureError) -> Output {
        var permit = permit
        guard let id = permit.devices.first?.device.id, let part = permit.take(id) else {
            throw CaptureError(.notAuthorized, "The permit is empty.")
        }
        return try await body(part)
    }
}
