import GateTestKit
import Testing

@testable import CaptureGate
@testable import CaptureRig

@Suite("Check of the capture thread's scheduling")
struct SchedulingCheckTests {
    @Test("A thread as those of captures are waits for each moment, and is late by what is told")
    func measured() async throws {
        let wakeups = try await Wakeups.measured(for: .milliseconds(20))
        #expect(wakeups.lateness.count == 20 && wakeups.lateness.allSatisfy { $0 >= 0 })
        #expect(wakeups.priority != .notRunning)
    }

    @Test("A limit of the plan passes a calm machine and fails one that is late once in a hundred times")
    func limits() throws {
        let limits = ["wakeup_p99": Limit.most(200), "wakeup_p999": .most(500), "wakeup_max": .most(1000)]
        func verdicts(_ lateness: [Int64]) throws -> [String: Verdict] {
            let findings = CheckFindings(Wakeups(lateness: lateness, priority: .fifo(20)).measures)
            return try CaptureRigTests.verdicts(findings, of: "host.scheduling", limits: limits)
        }
        let calm = (0..<5000).map { Int64($0 % 50) * 1000 }
        #expect(try verdicts(calm).values.allSatisfy { $0 == .pass })
        let late = calm.enumerated().map { $0.offset % 50 == 0 ? 900_000 : $0.element }
        #expect(try verdicts(late) == ["wakeup_p99": .fail, "wakeup_p999": .fail, "wakeup_max": .pass])
        #expect(try verdicts(calm + [2_000_000]) == ["wakeup_p99": .pass, "wakeup_p999": .pass, "wakeup_max": .fail])
        #expect(try verdicts([]).values.allSatisfy { $0 == .error })
    }

    @Test("The check tells the thread's priority and its lateness as a histogram")
    func check() async throws {
        let result = try await VirtualRig.result(
            "host.scheduling", parameters: ["for": .duration(.milliseconds(50))])
        #expect(result.verdict == .done && result.device == nil)
        #expect(result.message?.hasPrefix("The thread's priority is ") == true)
        #expect(result.series.map(\.name) == ["wakeups"])
    }
}

@Suite("Check of the gate", .serialized)
struct GateCheckTests {
    /// A store that tells nobody of its changes.
    private struct DeafStore: GrantStore {
        final class Silence: ChangeObservation {}

        let store: MemoryStore
        /// Decisions made meanwhile, which the gate never reads.
        private let unread = MemoryStore()

        init(store: MemoryStore) { self.store = store }

        func snapshot() throws(CaptureError) -> StoreSnapshot { try store.snapshot() }
        func record(_ decisions: [Decision], audit: AuditEvent) throws(CaptureError) -> StoreCommit {
            try unread.record(decisions, audit: audit)
        }
        func remove(_ ids: [Int64], audit: AuditEvent) throws(CaptureError) -> StoreCommit {
            try unread.remove(ids, audit: audit)
        }
        func consume(once ids: [Int64], audit: AuditEvent) throws(CaptureError) -> StoreCommit {
            try store.consume(once: ids, audit: audit)
        }
        func setKillSwitch(
            _ capability: CapabilityName, on: Bool, audit: AuditEvent
        ) throws(CaptureError) -> StoreCommit { try store.setKillSwitch(capability, on: on, audit: audit) }
        func append(_ event: AuditEvent) throws(CaptureError) { try store.append(event) }
        func observeChanges(_ handler: @escaping @Sendable () -> Void) -> any ChangeObservation { Silence() }
    }

    /// A clock that never advances: no grant expires by it.
    private struct StoppedClock: GateClock {
        let now = SystemGateClock().now
    }

    /// A store with a grant for eight hours, of the built-in camera or of any.
    private static func granted(_ device: DeviceSelector = .id(.testPicture)) throws -> MemoryStore {
        let store = MemoryStore()
        try grant(device, in: store)
        return store
    }

    private static func grant(_ device: DeviceSelector, in store: any GrantStore) throws {
        let now = SystemGateClock().now
        let grant = Decision(
            verdict: .allow, subject: try VirtualRig.subject.get(), capability: .camera, level: .video, device: device,
            lifetime: .until(now.advanced(by: 8 * 3600 * 1_000_000_000)), decidedBy: .command, decidedAt: now)
        let event = AuditEvent(.decision, at: now, subject: grant.subject, detail: "allowed by command")
        _ = try store.record([grant], audit: event)
    }

    private static func findings(
        _ store: any GrantStore, prompter: any Prompter = BenchPrompter(), clock: any GateClock = SystemGateClock(),
        policy: any PolicySource = NoPolicy(), most: Duration = .seconds(120)
    ) async throws -> CheckFindings {
        let gate = Gatekeeper(
            subject: VirtualRig.subject, store: store, policy: policy, prompter: prompter,
            directory: SystemDeviceDirectory(), clock: SystemGateClock())
        return try await findings(gate, clock: clock, most: most)
    }

    private static func findings(
        _ gate: Gatekeeper, clock: any GateClock = SystemGateClock(), most: Duration = .seconds(120)
    ) async throws -> CheckFindings {
        let planned = PlannedCheck(name: "gate.holds", check: "gate.holds", devices: ["camera"])
        let context = CheckContext(
            planned, [BuiltInDevices.bars], streams: VirtualStreams(), gatekeeper: gate,
            golden: GoldenFiles("/nowhere", accepts: false), evidence: EvidenceFolder(nil), commands: CommandRunner())
        return try await GateTrial(context, clock: clock, most: most).findings(on: BuiltInDevices.bars)
    }

    /// Limits for a machine on which other tests run: a capture that nobody ends lasts longer.
    private static let patient = [
        "revoked_after": Limit.most(90_000), "expired_after": .most(90_000), "refused_after": .most(90_000),
    ]

    @Test(
        "A gate that holds passes, and the bench's grant is as it was",
        arguments: [.id(.testPicture), DeviceSelector.any])
    func good(device: DeviceSelector) async throws {
        let store = try Self.granted(device)
        let before = store.decisions
        let findings = try await Self.findings(store)
        let verdicts = try verdicts(findings, of: "gate.holds", limits: Self.patient)
        #expect(verdicts.count == 4 && verdicts.values.allSatisfy { $0 == .pass }, "\(findings.measures)")
        #expect(store.decisions == before)
    }

    @Test("The store in files, which a person's grants are in, takes back as well, and keeps the grant")
    func files() async throws {
        let folder = try PlanFolder()
        let gate = try Gatekeeper.system(storeIn: folder.path + "/state", prompter: BenchPrompter())
        try Self.grant(.id(.testPicture), in: gate.store)
        let before = try gate.store.snapshot().decisions
        let findings = try await Self.findings(gate)
        let verdicts = try verdicts(findings, of: "gate.holds", limits: Self.patient)
        #expect(verdicts.values.allSatisfy { $0 == .pass }, "\(findings.measures)")
        #expect(try gate.store.snapshot().decisions == before)
    }

    @Test("What ran where is in the audit log: the capture, the denial with its end, the revocation and the removal")
    func audit() async throws {
        let store = try Self.granted(.any)
        _ = try await Self.findings(store)
        let events = store.events.dropFirst()
        #expect(Set(events.map(\.kind)) == [.start, .decision, .revocation, .removal])
        #expect(events.allSatisfy { $0.devices == [.testPicture] })
        #expect(events.first { $0.kind == .decision }?.detail.contains("denied for 240 s") == true)
    }

    @Test("A gate that does not take back fails for that")
    func deaf() async throws {
        let findings = try await Self.findings(DeafStore(store: try Self.granted()), most: .seconds(8))
        let limits = Self.patient.merging(["revoked_after": .most(100)]) { $1 }
        let verdicts = try verdicts(findings, of: "gate.holds", limits: limits)
        #expect(verdicts.filter { $0.value == .fail }.map(\.key) == ["revoked_after"], "\(findings.measures)")
    }

    @Test("A gate whose grants do not run out fails for that")
    func endless() async throws {
        let findings = try await Self.findings(try Self.granted(), clock: StoppedClock(), most: .seconds(8))
        let limits = Self.patient.merging(["expired_after": .most(100)]) { $1 }
        let verdicts = try verdicts(findings, of: "gate.holds", limits: limits)
        #expect(verdicts.filter { $0.value == .fail }.map(\.key) == ["expired_after"], "\(findings.measures)")
    }

    @Test("A gate that would ask somebody fails for that, and nobody is asked")
    func asks() async throws {
        let prompter = ScriptedPrompter { _ in .allow(.always) }
        let findings = try await Self.findings(try Self.granted(), prompter: prompter)
        let verdicts = try verdicts(findings, of: "gate.holds", limits: Self.patient)
        #expect(verdicts.filter { $0.value == .fail }.map(\.key) == ["asked"], "\(findings.measures)")
        #expect(prompter.questions.isEmpty)
    }

    @Test("A bench without a grant can't prove anything, and nothing is left in its store")
    func ungranted() async throws {
        let store = MemoryStore()
        let error = await #expect(throws: CaptureError.self) { try await Self.findings(store) }
        #expect(error?.kind == .notAuthorized && store.decisions.isEmpty)
    }

    @Test("Where a denial would replace a decision, none is made")
    func full() async throws {
        let store = try Self.granted()
        let now = SystemGateClock().now
        let other = Decision(
            verdict: .allow, subject: try VirtualRig.subject.get(), capability: .camera, level: .video, device: .any,
            lifetime: .always, decidedBy: .command, decidedAt: now)
        _ = try store.record([other], audit: AuditEvent(.decision, at: now, subject: nil, detail: ""))
        let before = store.decisions
        let error = await #expect(throws: CaptureError.self) { try await Self.findings(store) }
        #expect(error?.kind == .unavailable && store.decisions == before)
    }

    @Test("A rule of the administrator can't be taken back, which is an error and no failure of the gate")
    func policy() async throws {
        struct Rule: PolicySource {
            final class Silence: ChangeObservation {}

            func verdict(for subject: Subject, on query: PolicyQuery) -> PolicyVerdict {
                .allow(PolicyOrigin(file: "bench.yaml", line: 1), until: nil)
            }
            func observeChanges(_ handler: @escaping @Sendable () -> Void) -> any ChangeObservation { Silence() }
        }
        let error = await #expect(throws: CaptureError.self) {
            try await Self.findings(MemoryStore(), policy: Rule())
        }
        #expect(error?.kind == .unavailable)
    }
}
