import CaptureEncoding
import CaptureGate

/// The operation: it captures as a recording would, and keeps nothing.
struct CaptureBenchOperation: CaptureOperation {
    let authorization: AuthorizedFor<Capability.All>
    let benchmark: CaptureBenchmark

    init(_ device: Device, _ benchmark: CaptureBenchmark) {
        let time = NumberText.time(nanoseconds: benchmark.duration.nanoseconds)
        authorization = AuthorizedFor(
            Capability.All([
                DeviceRequest(
                    capability: device.capability, level: device.capability == .camera ? .video : .record,
                    device: .id(device.id), purpose: "Measure it for \(time); nothing is kept")
            ]))
        self.benchmark = benchmark
    }

    func execute(
        with permit: consuming Permit, in context: OperationContext
    ) async throws(CaptureError) -> CaptureMeasurement {
        var permit = permit
        guard let id = permit.devices.first?.device.id, let part = permit.take(id) else {
            throw CaptureError(.notAuthorized, "The permit is empty.")
        }
        return try await benchmark.measure(with: part)
    }
}
