import CaptureGate
import Gate
import Testing

@testable import capturegate

@Suite("warnings about a grant")
struct GrantWarningTests {
    private let session = LoginSession(leader: 7, startTicks: 8, bootID: "boot")
    private let now = GateInstant(wallNanoseconds: 1_800_000_000_000_000_000, bootNanoseconds: 5, bootID: "boot")

    private func decision(
        _ verdict: Decision.Verdict, _ capability: CapabilityName = .camera, of device: DeviceSelector,
        path: String = "/usr/bin/memo", lifetime: Lifetime = .always
    ) -> Decision {
        let subject = Subject(
            userID: 1000, groupIDs: [], executable: Gate.Executable(path: path, inode: 1, sha256: "ab"),
            application: nil,
            session: session)
        return Decision(
            verdict: verdict, subject: subject, capability: capability, level: .video, device: device,
            lifetime: lifetime, decidedBy: .command, decidedAt: now)
    }

    private func notes(_ grant: Decision, beside others: [Decision]) -> [String] {
        let snapshot = StoreSnapshot(decisions: others + [grant], killSwitches: [], latestSinceEpoch: .zero)
        return GrantWarnings(subject: grant.subject, decision: grant, snapshot: snapshot, now: now).notes
    }

    @Test("A stored no about one device goes before a yes to all, and is told with the command that takes it back")
    func anyDevice() {
        let bars = DeviceSelector.id(DeviceID(rawValue: "test:bars"))
        let notes = notes(decision(.allow, of: .any), beside: [decision(.deny, of: bars)])
        #expect(notes.count == 1 && notes[0].contains("A denial for test:bars overrides"))
        #expect(notes[0].contains("'capturegate revoke camera --device test:bars --to /usr/bin/memo'"))
    }

    @Test("One that is about something else, is over, or is what a yes to the same device was said after, is not told")
    func others() {
        let bars = DeviceSelector.id(DeviceID(rawValue: "test:bars"))
        let other = LoginSession(leader: 1, startTicks: 1, bootID: "boot")
        let over = GateInstant(wallNanoseconds: 1, bootNanoseconds: 1, bootID: "boot")
        let denials = [
            decision(.deny, .microphone, of: bars), decision(.deny, of: bars, path: "/usr/bin/other"),
            decision(.deny, of: bars, lifetime: .session(other)), decision(.deny, of: bars, lifetime: .until(over)),
            decision(.allow, of: bars), decision(.deny, of: .any),
        ]
        #expect(notes(decision(.allow, of: .any), beside: denials).isEmpty)
        #expect(notes(decision(.allow, of: bars, lifetime: .once), beside: [decision(.deny, of: bars)]).isEmpty)
        #expect(
            notes(decision(.allow, of: .id(DeviceID(rawValue: "camera:x"))), beside: [decision(.deny, of: bars)])
                .isEmpty)
    }
}
