import CaptureEncoding
import CaptureGate

/// The operation: it gets its permit from the gate, and opens the camera with it.
struct SnapshotOperation: CaptureOperation {
    let authorization: AuthorizedFor<Capability.Camera>
    let taker: SnapshotTaker
    let view: SnapshotView

    init(_ device: Device, _ taker: SnapshotTaker, _ view: SnapshotView) {
        let purpose = NumberText.counted(taker.settings.count, "picture")
        authorization = AuthorizedFor(
            Capability.Camera(taker.settings.leastLevel, device: .id(device.id), purpose: "Take \(purpose)"))
        self.taker = taker
        self.view = view
    }

    func execute(with permit: consuming Permit, in context: OperationContext) async throws(CaptureError) -> [Snapshot] {
        var permit = permit
        guard let id = permit.devices.first?.device.id, let part = permit.take(id) else {
            throw CaptureError(.notAuthorized, "The permit is empty.")
        }
        return try await taker.take(with: part, taken: { view.show($0) }, opened: { view.show($0) })
    }
}
