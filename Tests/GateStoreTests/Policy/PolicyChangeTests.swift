import Gate
import GateStore
import Testing

@Suite("changes of a policy")
struct PolicyChangeTests {
    let folder: TemporaryFolder
    let policy: PolicyDirectory
    let changed = Signal()

    init() throws {
        folder = try TemporaryFolder()
        try makeFolder(folder.path + "/etc/policy.d")
        policy = PolicyDirectory(path: folder.path + "/etc/policy.d")
    }

    private var isAllowed: Bool {
        let query = PolicyQuery(
            capability: .camera, level: .still, device: DeviceID(rawValue: "x"), at: Samples.instant())
        if case .allow = policy.verdict(for: Samples.subject(), on: query) { return true }
        return false
    }

    private func write(_ rules: String) throws {
        try folder.write("version: 1\nrules: [\(rules)]\n", to: "etc/policy.d/a.yaml")
    }

    @Test("A verdict is of the files as they are now, also after two writes in one tick")
    func immediate() throws {
        for _ in 0..<20 {
            try write("{allow: any}")
            #expect(isAllowed)
            try write("{deny:  any}")
            #expect(!isAllowed)
        }
    }

    @Test("A file that is overwritten in its place within one tick of the clock is read again")
    func inPlace() throws {
        for _ in 0..<20 {
            try folder.overwrite("version: 1\nrules: [{allow: any}]\n", in: "etc/policy.d/a.yaml")
            #expect(isAllowed)
            try folder.overwrite("version: 1\nrules: [{deny:  any}]\n", in: "etc/policy.d/a.yaml")
            #expect(!isAllowed)
        }
    }

    @Test("A folder that vanishes denies everything until it is back")
    func vanished() throws {
        try write("{allow: any}")
        #expect(isAllowed)
        try rename(folder.path + "/etc", to: folder.path + "/gone")
        for _ in 0..<2 {
            #expect(!isAllowed)
            guard case .unreadable(let why) = policy.summary else {
                Issue.record("it is not unreadable")
                return
            }
            #expect(why[0].message.contains("was removed"))
        }
        try rename(folder.path + "/gone", to: folder.path + "/etc")
        #expect(isAllowed)
    }

    @Test("Every change is announced: new, changed and removed files", .timeLimit(.minutes(10)))
    func announced() async throws {
        let observation = policy.observeChanges { changed.send() }
        try write("{allow: any}")
        while !isAllowed { await changed.wait() }
        try write("{deny: any}")
        while isAllowed { await changed.wait() }
        try write("{allow: any}")
        while !isAllowed { await changed.wait() }
        try folder.remove("etc/policy.d/a.yaml")
        await changed.wait()
        withExtendedLifetime(observation) {}
    }

    @Test("A folder that comes, goes and comes back is announced", .timeLimit(.minutes(10)))
    func comingAndGoing() async throws {
        try rename(folder.path + "/etc", to: folder.path + "/away")
        let late = PolicyDirectory(path: folder.path + "/etc/policy.d")
        let observation = late.observeChanges { changed.send() }
        #expect(late.summary == .none)
        try makeFolder(folder.path + "/etc/policy.d")
        while late.summary != .rules(0, files: []) { await changed.wait() }
        try write("{allow: any}")
        while late.summary != .rules(1, files: [late.path + "/a.yaml"]) { await changed.wait() }
        try rename(folder.path + "/etc/policy.d", to: folder.path + "/old")
        while true {
            if case .unreadable = late.summary { break }
            await changed.wait()
        }
        try makeFolder(folder.path + "/etc/policy.d")
        while late.summary != .rules(0, files: []) { await changed.wait() }
        withExtendedLifetime(observation) {}
    }
}
