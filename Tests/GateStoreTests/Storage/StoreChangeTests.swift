import Gate
import GateStore
import Testing

@Suite("changes of a store")
struct StoreChangeTests {
    let folder: TemporaryFolder
    let store: SQLiteGrantStore
    let changed = Signal()

    init() throws {
        folder = try TemporaryFolder()
        store = try SQLiteGrantStore(directory: folder.path + "/state")
    }

    /// Waits until a reading of the store satisfies `condition`, one reading a notice.
    private func awaitReading(_ condition: (StoreSnapshot) -> Bool) async throws {
        while !condition(try store.snapshot()) { await changed.wait() }
    }

    @Test("A change by another connection is noticed", .timeLimit(.minutes(10)))
    func otherConnection() async throws {
        let observation = store.observeChanges { changed.send() }
        let other = try SQLiteGrantStore(directory: store.directory)
        for round in 0..<50 {
            _ = try other.setKillSwitch(.camera, on: round % 2 == 0, audit: Samples.event(.killSwitch))
            await changed.wait()
            try await awaitReading { $0.killSwitches.isEmpty == (round % 2 == 1) }
        }
        withExtendedLifetime(observation) {}
    }

    @Test("A change of its own is noticed", .timeLimit(.minutes(10)))
    func ownChange() async throws {
        let observation = store.observeChanges { changed.send() }
        _ = try store.record([Samples.decision()], audit: Samples.event())
        await changed.wait()
        withExtendedLifetime(observation) {}
    }

    @Test("The watch goes on after the database was replaced", .timeLimit(.minutes(10)))
    func replaced() async throws {
        let observation = store.observeChanges { changed.send() }
        let backup = try SQLiteGrantStore(directory: folder.path + "/backup")
        _ = try backup.record([Samples.decision(.deny, .camera)], audit: Samples.event())
        try replace(store.directory + "/audit.head", with: backup.directory + "/audit.head")
        try replace(store.directory + "/grants.sqlite", with: try tableOfOneFile(backup, in: folder))
        try await awaitReading { $0.decisions.count == 1 }
        let other = try SQLiteGrantStore(directory: store.directory)
        _ = try other.record([Samples.decision()], audit: Samples.event())
        try await awaitReading { $0.decisions.count == 2 }
        withExtendedLifetime(observation) {}
    }

    @Test("The watch goes on after the whole folder was moved away and made anew", .timeLimit(.minutes(10)))
    func movedFolder() async throws {
        _ = try store.record([Samples.decision()], audit: Samples.event())
        let observation = store.observeChanges { changed.send() }
        try rename(store.directory, to: folder.path + "/old")
        await changed.wait()
        #expect(throws: CaptureError.self) { _ = try store.snapshot() }
        let other = try SQLiteGrantStore(directory: store.directory)
        _ = try other.record([Samples.decision()], audit: Samples.event())
        try await awaitReading { $0.decisions.count == 1 }
        withExtendedLifetime(observation) {}
    }

    @Test(
        "A folder or file that others may write from now on is announced, and decides nothing any more",
        .timeLimit(.minutes(10)), arguments: ["", "/grants.sqlite", "/audit.head"])
    func untrusted(name: String) async throws {
        _ = try store.record([Samples.decision()], audit: Samples.event())
        let observation = store.observeChanges { changed.send() }
        try folder.setMode(0o702, of: "state" + name)
        await changed.wait()
        let error = #expect(throws: CaptureError.self) { _ = try store.snapshot() }
        #expect(error?.message.contains("can be changed by other users") == true)
        try folder.setMode(0o700, of: "state" + name)
        #expect(try store.snapshot().decisions.count == 1)
        withExtendedLifetime(observation) {}
    }

    @Test("A released observation is not called any more", .timeLimit(.minutes(10)))
    func released() async throws {
        let gone = Signal()
        var observation: (any ChangeObservation)? = store.observeChanges { gone.send() }
        let other = store.observeChanges { changed.send() }
        #expect(observation != nil)
        observation = nil
        // Two changes: anybody who still listened would have heard of the first when the second is announced.
        for _ in 0..<2 {
            _ = try store.record([Samples.decision()], audit: Samples.event())
            await changed.wait()
        }
        #expect(gone.isSilent)
        withExtendedLifetime(other) {}
    }
}
