import CaptureBase
import Gate
import GateSupervisor
import GateTestKit
import Testing

@Suite("store of a supervised run")
struct SupervisedStoreTests {
    private let stored = MemoryStore()
    private let told = Sentences()
    private let subject = Subject(
        userID: 1000, groupIDs: [1000], executable: Executable(path: "/usr/bin/ffmpeg", inode: 1, sha256: "aa"),
        application: nil, session: LoginSession(leader: 100, startTicks: 1, bootID: "boot"))
    private let at = GateInstant(wallNanoseconds: 1_700_000_000_000_000_000, bootNanoseconds: 1, bootID: "boot")

    private func supervised() throws -> SupervisedStore {
        let told = told
        return try SupervisedStore(stored) { told.append($0) }
    }

    private func decision(_ verdict: Decision.Verdict, for lifetime: Lifetime = .always) -> Decision {
        Decision(
            verdict: verdict, subject: subject, capability: .camera, level: .record, device: .any, lifetime: lifetime,
            decidedBy: .command, decidedAt: at)
    }

    private func event(_ kind: AuditEvent.Kind) -> AuditEvent {
        AuditEvent(kind, at: at, subject: subject, detail: "by a test")
    }

    /// Stores a decision past the supervisor, as a program of the run can.
    @discardableResult
    private func plant(_ verdict: Decision.Verdict, for lifetime: Lifetime = .always) throws -> Decision {
        try #require(stored.record([decision(verdict, for: lifetime)], audit: event(.decision)).decisions.first)
    }

    @Test("A yes that was there when the run began counts")
    func earlier() throws {
        let yes = try plant(.allow)
        #expect(try supervised().snapshot().decisions == [yes])
        #expect(told.all.isEmpty)
    }

    @Test("A yes that appears while it runs does not count, and is told of once")
    func planted() throws {
        let store = try supervised()
        try plant(.allow)
        for _ in 0..<2 { #expect(try store.snapshot().decisions.isEmpty) }
        #expect(told.all.count == 1)
        #expect(told.all.first?.contains("/usr/bin/ffmpeg") == true)
    }

    @Test("A yes to the supervisor's own question counts, also where one was planted before")
    func own() throws {
        let store = try supervised()
        try plant(.allow)
        let given = try store.record([decision(.allow)], audit: event(.decision)).decisions
        #expect(try store.snapshot().decisions == given)
    }

    @Test("A no counts wherever it comes from, and takes the yes with it")
    func no() throws {
        let yes = try plant(.allow)
        let store = try supervised()
        let no = try plant(.deny)
        #expect(try store.snapshot().decisions.contains(no))
        #expect(try !store.snapshot().decisions.contains(yes))
    }

    @Test("A yes that was taken away and put back is asked about again")
    func restored() throws {
        let yes = try plant(.allow)
        let store = try supervised()
        _ = try stored.remove([try #require(yes.id)], audit: event(.removal))
        #expect(try store.snapshot().decisions.isEmpty)
        try plant(.allow)
        #expect(try store.snapshot().decisions.isEmpty)
    }

    @Test("A kill switch that is lifted while it runs leaves no yes of its capability")
    func lifted() throws {
        try plant(.allow)
        _ = try stored.setKillSwitch(.camera, on: true, audit: event(.killSwitch))
        let store = try supervised()
        #expect(try store.snapshot().killSwitches == [.camera])
        _ = try stored.setKillSwitch(.camera, on: false, audit: event(.killSwitch))
        #expect(try store.snapshot().decisions.isEmpty)
    }

    @Test(
        "A yes for once goes on counting for the capture that used it up, and one that was planted as used up does not")
    func once() throws {
        let yes = try plant(.allow, for: .once)
        let store = try supervised()
        _ = try store.consume(once: [try #require(yes.id)], audit: event(.start))
        #expect(try store.snapshot().consumed == [yes])
        let other = try plant(.allow, for: .once)
        _ = try stored.consume(once: [try #require(other.id)], audit: event(.start))
        #expect(try store.snapshot().consumed == [yes])
    }
}

/// Sentences that were shown to a person.
private final class Sentences: Sendable {
    private let said = Locked<[String]>([])

    var all: [String] { said.withLock { $0 } }

    func append(_ sentence: String) { said.withLock { $0.append(sentence) } }
}
