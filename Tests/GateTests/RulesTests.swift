import Testing

@testable import Gate

@Suite("Authorization rules")
struct RulesTests {
    /// A case: stored decisions, and the expected status for recording on `usb-mic`.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let decisions: [Decision]
        let expected: String

        init(_ description: String, _ decisions: [Decision], _ expected: String) {
            testDescription = description
            self.decisions = decisions
            self.expected = expected
        }
    }

    static let now = GateInstant(wallNanoseconds: 1_000, bootNanoseconds: 500, bootID: "b")
    static let mic = DeviceSelector.id(DeviceID(rawValue: "usb-mic"))
    static let other = DeviceSelector.id(DeviceID(rawValue: "pci-mic"))

    static func decision(
        _ id: Int64, _ verdict: Decision.Verdict, _ level: AccessLevel = .record, on device: DeviceSelector = .any,
        for lifetime: Lifetime = .always, by subject: Subject = .recorder(), at: GateInstant = now
    ) -> Decision {
        Decision(
            id: id, verdict: verdict, subject: subject, capability: .microphone, level: level, device: device,
            lifetime: lifetime, decidedBy: .command, decidedAt: at)
    }

    static func instant(wall: Int64, boot: Int64, _ bootID: String = "b") -> GateInstant {
        GateInstant(wallNanoseconds: wall, bootNanoseconds: boot, bootID: bootID)
    }

    static let flatpak = ApplicationID(kind: .flatpak, name: "org.a.App")

    static let cases: [Case] = [
        Case("nothing", [], "open"),
        Case("a yes to any device", [decision(1, .allow)], "yes 1"),
        Case("a yes to this device", [decision(1, .allow, on: mic)], "yes 1"),
        Case("a yes to another device", [decision(1, .allow, on: other)], "open"),
        Case("a no", [decision(1, .deny)], "no 1"),
        Case("a no at a lower level", [decision(1, .deny, .meter)], "no 1"),
        Case("a no at a level above", [decision(1, .deny, AccessLevel(name: "x", rank: 9))], "no 1"),
        Case("a no to another device", [decision(1, .deny, on: other)], "open"),
        Case("a newer no", [decision(1, .allow), decision(2, .deny)], "no 2"),
        Case("a newer yes", [decision(1, .deny), decision(2, .allow)], "yes 2"),
        Case("a no to this device, a newer yes to any", [decision(1, .deny, on: mic), decision(2, .allow)], "no 1"),
        Case("a no to any, a newer yes to this device", [decision(1, .deny), decision(2, .allow, on: mic)], "yes 2"),
        Case("a yes to this device, a newer no to any", [decision(1, .allow, on: mic), decision(2, .deny)], "no 2"),
        Case("a no to another device, a yes to any", [decision(1, .deny, on: other), decision(2, .allow)], "yes 2"),
        Case("a yes at a lower level", [decision(1, .allow, .meter)], "yes 1"),
        Case(
            "low for this device, high for any", [decision(2, .allow, .meter, on: mic), decision(1, .allow)], "yes 1"),
        Case("a lasting one is taken before once", [decision(1, .allow), decision(2, .allow, for: .once)], "yes 1"),
        Case(
            "once is taken where the lasting is low", [decision(1, .allow, .meter), decision(2, .allow, for: .once)],
            "yes 2"),
        Case("once after a no", [decision(1, .deny), decision(2, .allow, for: .once)], "yes 2"),
        Case("this session", [decision(1, .allow, for: .session(Subject.recorder().session))], "yes 1"),
        Case("another session", [decision(1, .allow, for: .session(Subject.recorder(in: .second).session))], "open"),
        Case(
            "a session no of another session",
            [decision(1, .deny, for: .session(Subject.recorder(in: .second).session))], "open"),
        Case("before both dates", [decision(1, .allow, for: .until(instant(wall: 1_001, boot: 501)))], "yes 1"),
        Case("at the wall date", [decision(1, .allow, for: .until(instant(wall: 1_000, boot: 501)))], "open"),
        Case("at the boot date", [decision(1, .allow, for: .until(instant(wall: 1_001, boot: 500)))], "open"),
        Case(
            "another boot, before the wall date",
            [decision(1, .allow, for: .until(instant(wall: 1_600, boot: 9, "a")))], "yes 1"),
        Case(
            "another boot, past the wall date",
            [decision(1, .allow, for: .until(instant(wall: 900, boot: 9_999, "a")))], "open"),
        Case(
            "another boot that has lasted longer than the whole grant, the wall clock set back",
            [decision(1, .allow, for: .until(instant(wall: 1_400, boot: 9, "a")))], "open"),
        Case("an executable that changed", [decision(1, .allow, by: .recorder(sha256: "bb"))], "changed 1"),
        Case("a no to an executable that changed", [decision(1, .deny, by: .recorder(sha256: "bb"))], "no 1"),
        Case("another path", [decision(1, .allow, by: .recorder(path: "/usr/bin/other"))], "open"),
        Case("another user", [decision(1, .allow, by: .recorder(userID: 1001))], "open"),
        Case("a Flatpak with the same path", [decision(1, .allow, by: .recorder(application: flatpak))], "open"),
        Case(
            "a scope of another login",
            [decision(1, .allow, by: .recorder(application: ApplicationID(kind: .unit, name: "session-2.scope")))],
            "yes 1"),
        Case(
            "a service, which this is not",
            [decision(1, .allow, by: .recorder(application: ApplicationID(kind: .unit, name: "r.service")))], "open"),
    ]

    @Test("What is stored comes to one status", arguments: cases)
    func stored(_ matter: Case) {
        let status = Self.status(matter.decisions)
        #expect(Self.word(status) == matter.expected)
        // The order in which the store lists them means nothing.
        #expect(Self.word(Self.status(matter.decisions.reversed())) == matter.expected)
    }

    static func status(
        _ decisions: [Decision], subject: Result<Subject, CaptureError> = .success(.recorder()),
        kills: Set<CapabilityName> = [], restriction: Restriction? = nil, verdict: PolicyVerdict = .ask,
        latest: Int64 = 0
    ) -> AuthorizationStatus {
        let snapshot = StoreSnapshot(decisions: decisions, killSwitches: kills, latestSinceEpoch: .nanoseconds(latest))
        let request = DeviceRequest(capability: .microphone, level: .record, device: .any, purpose: "")
        return AuthorizationRules(subject: subject, snapshot: snapshot, now: now).status(
            of: request, on: DeviceID(rawValue: "usb-mic"), restriction: restriction, verdict: verdict)
    }

    static func word(_ status: AuthorizationStatus) -> String {
        switch status {
        case .authorized(let grant): "yes \(grant.id ?? 0)"
        case .denied(let decision): "no \(decision.id ?? 0)"
        case .notDetermined(let previous): previous.map { "changed \($0.id ?? 0)" } ?? "open"
        case .restricted(let restriction): restriction.reason
        }
    }

    @Test("The first that speaks decides: subject, kill switch, policy, node, policy's yes, what is stored")
    func order() {
        let origin = PolicyOrigin(file: "a.yaml", line: 3)
        let policy = Restriction(cause: .policy(origin), reason: "policy", remedies: [])
        let node = Restriction(cause: .nodePermissions(node: "/dev/snd"), reason: "node", remedies: [])
        let no = [Self.decision(1, .deny)]
        let unknown = Self.status(
            no, subject: .failure(CaptureError(.unavailable, "no /proc")), kills: [.microphone], restriction: node,
            verdict: .deny(policy))
        #expect(Self.word(unknown).contains("no /proc"))
        let killed = Self.status(no, kills: [.microphone], restriction: node, verdict: .deny(policy))
        #expect(Self.word(killed).contains("switched off"))
        #expect(Self.word(Self.status(no, restriction: node, verdict: .deny(policy))) == "policy")
        #expect(Self.word(Self.status(no, restriction: node, verdict: .allow(origin, until: nil))) == "node")
        guard case .authorized(let grant) = Self.status(no, verdict: .allow(origin, until: nil)) else {
            Issue.record("the policy's yes does not count")
            return
        }
        #expect(grant.decidedBy == .policy(origin) && grant.id == nil && grant.level == .record)
        #expect(Self.word(Self.status(no, kills: [.camera])) == "no 1")
    }

    @Test("A session that can't be told from others has nothing that is for it", arguments: [0, 100] as [Int32])
    func unidentifiedSession(leader: Int32) {
        let lost = LoginSession(leader: leader, startTicks: 0, bootID: "b")
        let subject = Subject(
            userID: 1000, groupIDs: [], executable: Subject.recorder().executable, application: nil, session: lost)
        let granted = Self.decision(1, .allow, for: .session(lost), by: subject)
        #expect(Self.word(Self.status([granted], subject: .success(subject))) == "open")
        #expect(Self.word(Self.status([Self.decision(2, .allow)], subject: .success(subject))) == "yes 2")
    }

    @Test("A policy's yes ends with its date, by the latest wall time seen")
    func policyDate() {
        let origin = PolicyOrigin(file: "a.yaml", line: 3)
        #expect(Self.status([], verdict: .allow(origin, until: .nanoseconds(1_001))).isAuthorized)
        #expect(!Self.status([], verdict: .allow(origin, until: .nanoseconds(1_000))).isAuthorized)
        #expect(!Self.status([], verdict: .allow(origin, until: .nanoseconds(1_001)), latest: 1_001).isAuthorized)
    }

    @Test("Setting the clock back brings no grant back to life")
    func clockSetBack() {
        let grant = Self.decision(
            1, .allow, for: .until(Self.instant(wall: 5_000, boot: 9, "a")), at: Self.instant(wall: 900, boot: 1, "a"))
        #expect(Self.status([grant]).isAuthorized)
        #expect(!Self.status([grant], latest: 5_000).isAuthorized)
    }

    @Test("Dates at the ends of the number range neither trap nor last for ever")
    func extremes() {
        let far = Self.decision(
            1, .allow, for: .until(Self.instant(wall: .max, boot: .max, "a")),
            at: Self.instant(wall: .min, boot: 0, "a"))
        #expect(Self.status([far]).isAuthorized)
        let past = Self.decision(1, .allow, for: .until(Self.instant(wall: .min, boot: .min)))
        #expect(!Self.status([past]).isAuthorized)
        #expect(Self.instant(wall: .max, boot: .max).remaining(at: Self.instant(wall: .min, boot: .min)) == .max)
        #expect(Self.instant(wall: .max, boot: .max).advanced(by: 5).wallNanoseconds == .max)
    }

    @Test("Restricted comes before denied before not determined before authorized")
    func together() {
        func item(_ status: AuthorizationStatus) -> AuthorizationSnapshot.Item {
            let request = DeviceRequest(capability: .microphone, level: .record, device: .any, purpose: "")
            return AuthorizationSnapshot.Item(request: request, resolution: .here("usb-mic", "Mic"), status: status)
        }
        let yes = Self.status([Self.decision(1, .allow)])
        let low = Self.status([Self.decision(5, .allow, .meter)])
        let no = Self.status([Self.decision(2, .deny)])
        let killed = Self.status([], kills: [.microphone])
        #expect(AuthorizationSnapshot(items: [item(yes), item(no), item(killed)]).status == killed)
        #expect(AuthorizationSnapshot(items: [item(yes), item(no), item(.notDetermined())]).status == no)
        #expect(AuthorizationSnapshot(items: [item(yes), item(.notDetermined())]).status == .notDetermined())
        #expect(AuthorizationSnapshot(items: [item(yes), item(low)]).status == low)
        #expect(AuthorizationSnapshot(items: [item(yes), item(no), item(.notDetermined())]).askable.isEmpty)
        #expect(AuthorizationSnapshot(items: [item(yes), item(.notDetermined())]).askable.count == 1)
        #expect(AuthorizationSnapshot(items: []).refusal(for: .success(.recorder())) != nil)
    }

    @Test("A date is written as the calendar has it")
    func calendar() {
        func text(_ seconds: Int64) -> String { "\(CalendarDate(nanosecondsSince1970: seconds * 1_000_000_000))" }
        #expect(text(0) == "1970-01-01 00:00 UTC")
        #expect(text(951_782_400) == "2000-02-29 00:00 UTC")
        #expect(text(1_732_165_629) == "2024-11-21 05:07 UTC")
        #expect(text(-1) == "1969-12-31 23:59 UTC")
        #expect(text(4_107_542_399) == "2100-02-28 23:59 UTC")
        #expect(text(4_107_542_400) == "2100-03-01 00:00 UTC")
    }
}
