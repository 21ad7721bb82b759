import CaptureGate
import ClipScenery
import GateTestKit

@testable import CaptureRecording

/// Does something with a running capture of built-in devices, once somebody has said yes, and closes it.
func withLiveCapture(
    of parts: [any DeviceCapability] = [Capability.bars(), Capability.tone()], in scratch: Scratch,
    settings: RecorderSettings = .small,
    _ body: @escaping @Sendable (LiveCapture) async throws(CaptureError) -> Void
) async throws {
    try await withPermit(for: parts, in: scratch) { permit async throws(CaptureError) in
        let capture = try await LiveCapture(opening: permit, settings: settings)
        let result = await result(of: body, capture)
        await capture.close()
        try result.get()
    }
}

private func result(
    of body: (LiveCapture) async throws(CaptureError) -> Void, _ capture: LiveCapture
) async -> Result<Void, CaptureError> {
    do throws(CaptureError) {
        return .success(try await body(capture))
    } catch {
        return .failure(error)
    }
}

extension RecorderSettings {
    /// Pictures of 320x240.
    static var small: RecorderSettings {
        var settings = RecorderSettings()
        settings.video = VideoSettings(width: 320, height: 240)
        return settings
    }
}

extension Scratch {
    /// Takes every decision of the test's person back, as another process does.
    func revoke() throws(CaptureError) {
        let store = try Gatekeeper.system(storeIn: path("store"), prompter: ScriptedPrompter([])).store
        let event = AuditEvent(.removal, at: SystemGateClock().now, subject: nil, detail: "revoked by a test")
        _ = try store.remove(try store.snapshot().decisions.compactMap(\.id), audit: event)
    }
}
