import Gate
import GateStore
import Testing

@Suite("grant store")
struct GrantStoreTests {
    let folder: TemporaryFolder
    let store: SQLiteGrantStore

    init() throws {
        folder = try TemporaryFolder()
        store = try SQLiteGrantStore(directory: folder.path + "/state")
    }

    private func reopened() throws -> StoreSnapshot {
        try SQLiteGrantStore(directory: store.directory).snapshot()
    }

    @Test("A new store has neither decisions nor switches")
    func empty() throws {
        let snapshot = try store.snapshot()
        #expect(snapshot.decisions.isEmpty)
        #expect(snapshot.killSwitches.isEmpty)
        #expect(snapshot.latestSinceEpoch == .zero)
        #expect(snapshot.consumed == [])
    }

    @Test("The stamp of an executable reads back, and is no part of what makes two the same")
    func stamp() throws {
        let (plain, stamped) = (Samples.subject(), Samples.subject(stamp: "1 2 3"))
        _ = try store.record([Samples.decision(subject: stamped)], audit: Samples.event())
        #expect(try SQLiteGrantStore(directory: store.directory).executables().map(\.stamp) == ["1 2 3"])
        #expect(plain == stamped && Set([plain, stamped]).count == 1)
    }

    @Test(
        "A decision reads back as it was written, by another connection too",
        arguments: [
            Samples.decision(lifetime: .once, by: .person(prompter: "terminal")),
            Samples.decision(.deny, .camera, level: .still, device: .id(DeviceID(rawValue: "any"))),
            Samples.decision(lifetime: .session(Samples.session)),
            Samples.decision(lifetime: .until(Samples.instant(1_900_000_000))),
            Samples.decision(by: .policy(PolicyOrigin(file: "/etc/x.yaml", line: 3))),
            Samples.decision(subject: Samples.subject(application: ApplicationID(kind: .flatpak, name: "org.x.Y"))),
            Samples.decision(subject: Samples.subject(path: "/opt/a'b\";--/ü\u{1}", groups: [])),
        ])
    func roundTrip(decision: Decision) throws {
        let commit = try store.record([decision], audit: Samples.event())
        let stored = try #require(commit.decisions.first)
        #expect(stored.id != nil)
        #expect(unnumbered(stored) == decision)
        #expect(try reopened().decisions == [stored])
    }

    @Test("A decision replaces what was decided about the same user, path, capability and device")
    func replaces() throws {
        let old = try store.record([Samples.decision()], audit: Samples.event())
        let new = try store.record([Samples.decision(.deny, level: .meter)], audit: Samples.event())
        #expect(try reopened().decisions == new.decisions)
        #expect(new.decisions[0].id != old.decisions[0].id)
    }

    @Test("A decision leaves those about another user, path, capability or device alone")
    func leavesOthers() throws {
        let others = [
            Samples.decision(subject: Samples.subject(uid: 7)),
            Samples.decision(subject: Samples.subject(path: "/bin/b")),
            Samples.decision(.deny, .camera, level: .still), Samples.decision(device: .id(DeviceID(rawValue: ""))),
            Samples.decision(device: .id(DeviceID(rawValue: "usb-1"))),
        ]
        _ = try store.record(others, audit: Samples.event())
        _ = try store.record([Samples.decision(.deny)], audit: Samples.event())
        #expect(try reopened().decisions.count == 6)
    }

    @Test("A permission for one capture stands beside the lasting decision, and a second one replaces the first")
    func onceBesideLasting() throws {
        let lasting = try store.record([Samples.decision(.deny)], audit: Samples.event()).decisions
        _ = try store.record([Samples.decision(lifetime: .once)], audit: Samples.event())
        let once = try store.record([Samples.decision(lifetime: .once)], audit: Samples.event()).decisions
        #expect(try store.snapshot().decisions == lasting + once)
        let last = try store.record([Samples.decision()], audit: Samples.event()).decisions
        #expect(try store.snapshot().decisions == last)
    }

    @Test("A decision for a login session replaces the lasting one and that session's, and leaves other sessions'")
    func sessions() throws {
        func decision(_ leader: Int32, _ verdict: Decision.Verdict = .allow) -> Decision {
            let session = LoginSession(leader: leader, startTicks: .max, bootID: Samples.bootID)
            return Samples.decision(verdict, lifetime: .session(session))
        }
        _ = try store.record([Samples.decision()], audit: Samples.event())
        let one = try store.record([decision(1)], audit: Samples.event()).decisions
        let two = try store.record([decision(2)], audit: Samples.event()).decisions
        #expect(try reopened().decisions == one + two)
        let denied = try store.record([decision(1, .deny)], audit: Samples.event()).decisions
        #expect(try reopened().decisions == two + denied)
        let lasting = try store.record([Samples.decision()], audit: Samples.event()).decisions
        #expect(try reopened().decisions == lasting)
    }

    @Test("A decision for a session of an earlier boot goes with the next change")
    func earlierBoot() throws {
        let earlier = LoginSession(leader: 1, startTicks: 1, bootID: "another")
        let lasting = try store.record([Samples.decision()], audit: Samples.event()).decisions
        _ = try store.record(
            [Samples.decision(device: .id(DeviceID(rawValue: "usb-1")), lifetime: .session(earlier))],
            audit: Samples.event())
        #expect(try reopened().decisions.count == 2)
        _ = try store.setKillSwitch(.camera, on: true, audit: Samples.event(.killSwitch))
        #expect(try reopened().decisions == lasting)
    }

    @Test("Several decisions are stored all or none")
    func allOrNone() throws {
        let good = Samples.decision()
        let broken = try TemporaryFolder()
        let other = try SQLiteGrantStore(directory: broken.path)
        _ = try other.record([good], audit: Samples.event())
        // The first of the two is stored, and the second fails.
        try tamper(
            in: broken.path,
            """
            CREATE TRIGGER no BEFORE INSERT ON decision WHEN NEW.capability = 'camera'
            BEGIN SELECT RAISE(ABORT, 'no camera'); END
            """)
        #expect(throws: CaptureError.self) {
            try other.record([Samples.decision(.deny), Samples.decision(.deny, .camera)], audit: Samples.event())
        }
        #expect(try other.snapshot().decisions.map(unnumbered) == [good])
    }

    @Test("Removed decisions are gone, and numbers that do not exist are passed over")
    func remove() throws {
        let stored = try store.record([Samples.decision(), Samples.decision(.deny, .camera)], audit: Samples.event())
        let ids = stored.decisions.compactMap(\.id)
        let commit = try store.remove([ids[0], ids[0], 999], audit: Samples.event(.removal))
        #expect(commit.decisions == [stored.decisions[0]])
        #expect(try reopened().decisions == [stored.decisions[1]])
    }

    @Test("The number of a removed decision never comes back")
    func numbersAreUnique() throws {
        let first = try store.record([Samples.decision()], audit: Samples.event()).decisions[0].id ?? 0
        _ = try store.remove([first], audit: Samples.event(.removal))
        let second = try store.record([Samples.decision()], audit: Samples.event()).decisions[0].id ?? 0
        #expect(second > first)
    }

    @Test("A kill switch goes on and off, twice without harm")
    func killSwitch() throws {
        for _ in 0..<2 { _ = try store.setKillSwitch(.camera, on: true, audit: Samples.event(.killSwitch)) }
        #expect(try reopened().killSwitches == [.camera])
        for _ in 0..<2 { _ = try store.setKillSwitch(.camera, on: false, audit: Samples.event(.killSwitch)) }
        #expect(try reopened().killSwitches.isEmpty)
    }

    @Test("The latest wall time only grows")
    func latestWall() throws {
        try store.append(Samples.event(at: Samples.instant(2_000_000_000)))
        try store.append(Samples.event(at: Samples.instant(1_000_000_000)))
        #expect(try reopened().latestSinceEpoch == .nanoseconds(2_000_000_000 * 1_000_000_000))
    }

    @Test("A store whose file is replaced while it runs reads the new one")
    func replacedFile() throws {
        _ = try store.record([Samples.decision()], audit: Samples.event())
        let other = try SQLiteGrantStore(directory: folder.path + "/other")
        _ = try other.record([Samples.decision(.deny, .camera)], audit: Samples.event())
        let copy = try tableOfOneFile(other, in: folder)
        try replace(store.directory + "/grants.sqlite", with: copy)
        // The head is of the old one still.
        #expect(throws: CaptureError.self) { _ = try store.snapshot() }
        try replace(store.directory + "/audit.head", with: other.directory + "/audit.head")
        #expect(try store.snapshot().decisions.map(unnumbered) == [Samples.decision(.deny, .camera)])
    }

    @Test("Many may make the same store at once")
    func concurrentMaking() async throws {
        for round in 0..<10 {
            let directory = folder.path + "/shared-\(round)"
            let ids = try await withThrowingTaskGroup { group in
                for writer in 0..<4 {
                    group.addTask {
                        let store = try SQLiteGrantStore(directory: directory)
                        let decision = Samples.decision(subject: Samples.subject(uid: UInt32(writer)))
                        return try store.record([decision], audit: Samples.event()).decisions[0].id
                    }
                }
                return try await group.reduce(into: Set<Int64?>()) { $0.insert($1) }
            }
            #expect(ids == [1, 2, 3, 4])
        }
    }
}
