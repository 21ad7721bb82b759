import CaptureGate
import CaptureRig
import GateTestKit
import Testing

@Suite("capture benchmark")
struct CaptureBenchmarkTests {
    /// Measures a device with a permit of any level, and returns why that failed.
    private struct Attempt: CaptureOperation {
        let authorization: AuthorizedFor<Capability.All>

        func execute(
            with permit: consuming Permit, in context: OperationContext
        ) async throws(CaptureError) -> CaptureError.Kind? {
            var permit = permit
            guard let id = permit.devices.first?.device.id, let only = permit.take(id) else { return nil }
            do throws(CaptureError) {
                _ = try await CaptureBenchmark(for: .milliseconds(50)).measure(with: only)
                return nil
            } catch {
                return error.kind
            }
        }
    }

    @Test("It refuses a permit below record and video")
    func levels() async throws {
        let gatekeeper = Gatekeeper(
            subject: VirtualRig.subject, store: MemoryStore(),
            prompter: ScriptedPrompter { _ in .allow(.always) }, directory: SystemDeviceDirectory(),
            clock: SystemGateClock())
        for capability: any DeviceCapability in [
            Capability.Microphone(.meter, device: .id("test:tone"), purpose: "Test"),
            Capability.Camera(.still, device: .id("test:bars"), purpose: "Test"),
        ] {
            let authorization = AuthorizedFor(Capability.All(capability.requests))
            let kind = try await GateQueue(gatekeeper: gatekeeper).run(Attempt(authorization: authorization))
            #expect(kind == .notAuthorized)
        }
    }
}
