import Gate
import GateStore
import Testing

@Suite("a clock that was ahead once")
struct LaterClockTests {
    let folder: TemporaryFolder
    let store: SQLiteGrantStore
    private let now = Samples.instant(1_800_000_000)
    /// The same moment of the boot clock.
    private let ahead = Samples.instant(4_100_000_000)

    init() throws {
        folder = try TemporaryFolder()
        store = try SQLiteGrantStore(directory: folder.path)
    }

    private func decide(
        _ path: String, _ verdict: Decision.Verdict = .allow, for seconds: Int64?, at decided: GateInstant
    ) throws {
        let decision = Decision(
            verdict: verdict, subject: Samples.subject(path: path), capability: .camera, level: .video, device: .any,
            lifetime: seconds.map { .until(later($0, than: decided)) } ?? .always, decidedBy: .command,
            decidedAt: decided)
        _ = try store.record([decision], audit: Samples.event(at: decided))
    }

    private func later(_ seconds: Int64, than instant: GateInstant) -> GateInstant {
        instant.advanced(by: seconds * 1_000_000_000)
    }

    @Test("Forgetting it takes along what rests on it, and nothing else; what had run out does not come back")
    func forgetting() throws {
        try decide("/over", for: 3600, at: now)
        try decide("/no", .deny, for: 3600, at: now)
        try decide("/lasting", for: nil, at: now)
        try decide("/long", for: 2_400_000_000, at: now)
        try decide("/under", for: 3600, at: ahead)
        #expect(try store.snapshot().laterClock(than: now) == ahead.sinceEpoch)
        let commit = try store.forgetLaterClock(audit: Samples.event(.upkeep, at: now))
        #expect(commit.decisions.map(\.subject.executable.path) == ["/over", "/under"])
        let snapshot = try SQLiteGrantStore(directory: folder.path).snapshot()
        #expect(snapshot.decisions.map(\.subject.executable.path) == ["/no", "/lasting", "/long"])
        #expect(snapshot.latestSinceEpoch == now.sinceEpoch)
        #expect(snapshot.laterClock(than: now) == nil)
        #expect(try store.audit.last(1).first?.event?.kind == .upkeep)
        #expect(try store.audit.verify().isIntact)
    }

    @Test("What is given by the right clock holds from then on, and time goes on from there")
    func after() throws {
        try store.append(Samples.event(at: ahead))
        _ = try store.forgetLaterClock(audit: Samples.event(.upkeep, at: now))
        try decide("/memo", for: 3600, at: now)
        let snapshot = try store.snapshot()
        #expect(!snapshot.hasRunOut(try #require(snapshot.decisions.first), at: now))
        #expect(snapshot.hasRunOut(try #require(snapshot.decisions.first), at: later(3600, than: now)))
        try store.append(Samples.event(at: Samples.instant(1_800_000_100)))
        #expect(try store.snapshot().latestSinceEpoch == Samples.instant(1_800_000_100).sinceEpoch)
    }

    @Test("A clock that is behind by less than a second is no later one")
    func small() {
        func later(_ ahead: Int64) -> Duration? {
            StoreSnapshot(decisions: [], killSwitches: [], latestSinceEpoch: now.sinceEpoch + .nanoseconds(ahead))
                .laterClock(than: now)
        }
        #expect(later(0) == nil && later(999_999_999) == nil && later(-5) == nil)
        #expect(later(1_000_000_000) != nil)
        let ends = StoreSnapshot(decisions: [], killSwitches: [], latestSinceEpoch: .nanoseconds(Int64.max))
        let begins = GateInstant(wallNanoseconds: .min, bootNanoseconds: 0, bootID: "")
        #expect(ends.laterClock(than: begins) == ends.latestSinceEpoch)
    }
}
