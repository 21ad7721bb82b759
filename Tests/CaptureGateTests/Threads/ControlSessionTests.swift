import CaptureGate
import GateTestKit
import Testing

@Suite("control session")
struct ControlSessionTests {
    /// Opens a device's controls at the lowest level there is.
    private struct Look: CaptureOperation {
        let authorization: AuthorizedFor<Capability.Camera>

        init(_ level: AccessLevel = .still) {
            authorization = AuthorizedFor(
                Capability.Camera(level, device: .id(DeviceID(rawValue: "test:bars")), purpose: "Look"))
        }

        func execute(with permit: consuming Permit, in context: OperationContext) async throws(CaptureError) -> Int {
            var permit = permit
            let session = try await ControlSession(opening: permit.takeOnly())
            let count = try session.controls().count
            await session.close("controls read")
            return count
        }
    }

    @Test("is asked for, and a grant for once is used up by it")
    func once() async throws {
        let gate = try GateFixture(answers: [.allow(.once), .deny])
        #expect(try await gate.queue.run(Look()) == 0)
        let error = await #expect(throws: CaptureError.self) { try await gate.queue.run(Look()) }
        #expect(error?.kind == .notAuthorized)
        #expect(gate.prompter.questions.count == 2)
    }

    @Test("is refused where the camera is denied, and nothing is opened")
    func denied() async throws {
        let gate = try GateFixture(answers: [.deny])
        let error = await #expect(throws: CaptureError.self) { try await gate.queue.run(Look()) }
        #expect(error?.kind == .notAuthorized)
    }
}
