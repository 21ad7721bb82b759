import Testing

@testable import Gate

/// A denial with a date ends by the present clocks; a permission also by the latest time that the store has seen.
@Suite("End of a denial")
struct DenialEndTests {
    private static let second: Int64 = 1_000_000_000

    private static func instant(_ wall: Int64, boot: Int64 = 500, _ bootID: String = "b") -> GateInstant {
        GateInstant(wallNanoseconds: wall * second, bootNanoseconds: boot * second, bootID: bootID)
    }

    private func isDenied(until end: GateInstant, at now: GateInstant, latestWall: Int64) -> Bool {
        let decision = RulesTests.decision(1, .deny, for: .until(end), at: Self.instant(1_000, boot: 400))
        let allow = RulesTests.decision(2, .allow, for: .always, at: Self.instant(900, boot: 300))
        let older = Decision(
            id: 0, verdict: .allow, subject: allow.subject, capability: .microphone, level: .record, device: .any,
            lifetime: .always, decidedBy: .command, decidedAt: allow.decidedAt)
        let rules = AuthorizationRules(
            subject: .success(.recorder()),
            snapshot: StoreSnapshot(
                decisions: [older, decision], killSwitches: [],
                latestSinceEpoch: .nanoseconds(latestWall * Self.second)),
            now: now)
        let request = DeviceRequest(capability: .microphone, level: .record, device: .any, purpose: "Test")
        let status = rules.status(of: request, on: DeviceID(rawValue: "usb-mic"), restriction: nil, verdict: .ask)
        if case .denied = status { return true }
        return false
    }

    @Test("A later time that the store has seen does not end it")
    func seen() {
        let end = Self.instant(2_000, boot: 1_500)
        #expect(isDenied(until: end, at: Self.instant(1_500, boot: 1_000), latestWall: 9_000_000))
        #expect(!isDenied(until: end, at: Self.instant(2_000, boot: 1_500), latestWall: 0))
    }

    @Test("A wall clock that is ahead does not end it while the boot clock of the same boot says otherwise")
    func ahead() {
        let end = Self.instant(2_000, boot: 1_500)
        #expect(isDenied(until: end, at: Self.instant(9_000, boot: 1_499), latestWall: 0))
        #expect(!isDenied(until: end, at: Self.instant(9_000, boot: 3, "other"), latestWall: 0))
    }

    @Test("An allow ends by the latest time that was seen")
    func allow() {
        let end = Self.instant(2_000, boot: 1_500)
        let allow = RulesTests.decision(1, .allow, for: .until(end), at: Self.instant(1_000, boot: 400))
        let now = Self.instant(1_500, boot: 1_000)
        #expect(!allow.hasRunOut(at: now, latest: 0))
        #expect(allow.hasRunOut(at: now, latest: 2_000 * Self.second))
    }
}
