import CaptureGate
import GateTestKit
import Testing

@Suite("Scripted answers")
struct ScriptedPrompterTests {
    private let microphone = Capability.Microphone(.record, device: .id("test:tone"), purpose: "Test")

    /// Gate of this program in a separate login session, since that of a test run may not be identified.
    private func gatekeeper(
        leader: Int32, _ store: MemoryStore, _ prompter: ScriptedPrompter
    ) throws -> (gatekeeper: Gatekeeper, session: LoginSession) {
        let own = try ProcessSubject.current()
        let session = LoginSession(leader: leader, startTicks: 70, bootID: own.session.bootID)
        let subject = Subject(
            userID: own.userID, groupIDs: own.groupIDs, executable: own.executable, application: own.application,
            session: session)
        let gatekeeper = Gatekeeper(
            subject: .success(subject), store: store, prompter: prompter, directory: SystemDeviceDirectory(),
            clock: SystemGateClock())
        return (gatekeeper, session)
    }

    @Test("This session leaves a grant for the session of the program that asks, which holds in no other")
    func thisSession() async throws {
        let (store, prompter) = (MemoryStore(), ScriptedPrompter(ScriptedPrompter.allowThisSession))
        let (gatekeeper, session) = try gatekeeper(leader: 7, store, prompter)
        let queue = GateQueue(gatekeeper: gatekeeper)
        for _ in 1...2 { try await queue.run(Authorize(microphone)) }
        #expect(prompter.questions.map(\.subject.session) == [session])
        #expect(store.decisions.map(\.lifetime) == [.session(session)])
        #expect(store.decisions.map(\.verdict) == [.allow])
        #expect(await gatekeeper.report(on: microphone).status.grant?.level == .record)
        let (other, _) = try self.gatekeeper(leader: 8, store, prompter)
        #expect(await other.report(on: microphone).status.grant == nil)
    }
}
