import CSystem
import Gate
import LinuxSystem
import Testing

@testable import GateStore

@Suite("stores that are refused")
struct StoreRefusalTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private var state: String { folder.path + "/state" }

    private func makeStore() throws {
        let store = try SQLiteGrantStore(directory: state)
        _ = try store.record([Samples.decision()], audit: Samples.event())
    }

    /// Opening must fail with `.store`, a sentence that contains `message`, and a remedy that names a command.
    private func expectRefusal(_ message: String, command: String, at path: String? = nil) {
        let error = #expect(throws: CaptureError.self) { _ = try SQLiteGrantStore(directory: path ?? state) }
        #expect(error?.kind == .store)
        #expect(error?.message.contains(message) == true, "\(String(describing: error))")
        #expect(error?.remedies.first?.command?.contains(command) == true, "\(String(describing: error))")
    }

    @Test("A store makes its folders for this user alone, whatever is missing above")
    func modes() throws {
        let deep = folder.path + "/a/b/state"
        _ = try SQLiteGrantStore(directory: deep)
        #expect(try folder.mode(of: "a") == 0o700)
        #expect(try folder.mode(of: "a/b/state") == 0o700)
        #expect(try folder.mode(of: "a/b/state/grants.sqlite") == 0o600)
    }

    @Test("Every file of a store is for this user alone")
    func fileModes() throws {
        let store = try SQLiteGrantStore(directory: state)
        try store.append(Samples.event())
        for name in ["grants.sqlite", "grants.sqlite-wal", "grants.sqlite-shm", "audit.head"] {
            #expect(try folder.mode(of: "state/\(name)") == 0o600, "\(name)")
        }
    }

    @Test("A folder or file that others may write", arguments: ["state", "state/grants.sqlite", "state/audit.head"])
    func writableByOthers(name: String) throws {
        try makeStore()
        for mode in [0o722, 0o620, 0o602] {
            try folder.setMode(mode, of: name)
            expectRefusal("can be changed by other users (mode 0\(String(mode, radix: 8)))", command: "chmod")
        }
    }

    @Test("A folder or file of somebody else")
    func foreign() throws {
        try makeStore()
        let error = #expect(throws: CaptureError.self) { _ = try StateDirectory(preparing: state, for: 4242) }
        #expect(error?.kind == .store)
        #expect(error?.message.contains("belongs to user \(cs_geteuid()), but user 4242 runs") == true)
        #expect(error?.remedies.first?.text.contains("without sudo") == true)
    }

    @Test("A database that is a symbolic link", arguments: ["grants.sqlite", "grants.sqlite-wal", "audit.head"])
    func link(name: String) throws {
        try makeStore()
        try rename("\(state)/\(name)", to: "\(folder.path)/elsewhere", unlessMissing: true)
        try makeLink("\(state)/\(name)", to: "\(folder.path)/elsewhere")
        expectRefusal("a symbolic link", command: "mv")
    }

    /// All files of a store, and those that SQLite would take for a part of it.
    static let names =
        ["", "-wal", "-shm", "-journal"].map { "grants.sqlite" + $0 } + ["audit.head", "questions.lock"]

    @Test("A pipe in a file's place, which nobody waits for, or a folder", .timeLimit(.minutes(10)), arguments: names)
    func pipe(name: String) throws {
        try makeStore()
        _ = cs_unlink("\(state)/\(name)")
        try makePipe("\(state)/\(name)")
        expectRefusal("is not a regular file", command: "mv")
        #expect(cs_unlink("\(state)/\(name)") == 0)
        try makeFolder("\(state)/\(name)")
        expectRefusal("is not a regular file", command: "mv")
    }

    @Test("A file that has another name, under which somebody else may write", arguments: names)
    func hardLink(name: String) throws {
        try makeStore()
        if FileStatus.ofLink("\(state)/\(name)").isMissing { _ = cs_close(cs_open("\(state)/\(name)", O_CREAT, 0o600)) }
        #expect(cs_link("\(state)/\(name)", "\(folder.path)/other") == 0)
        expectRefusal("has 2 hard links", command: "-samefile")
    }

    @Test("A pipe that came in the place of the head or of the lock for questions is judged when it is open")
    func opened() async throws {
        let store = try SQLiteGrantStore(directory: state)
        for name in ["audit.head", "questions.lock"] { try makePipe("\(state)/\(name)") }
        let head = AuditHeadFile(path: state + "/audit.head")
        #expect(throws: CaptureError.self) { _ = try head.read() }
        let extent = AuditExtent(anchor: .origin, last: .origin)
        #expect(throws: CaptureError.self) {
            try head.write(AuditHead(turn: 1, before: extent, after: extent), durable: true)
        }
        head.announce()
        await #expect(throws: CaptureError.self) {
            _ = try await StorePromptLock(of: store).take(for: Samples.subject())
        }
    }

    @Test("A folder that is a symbolic link, also to one's own")
    func linkedFolder() throws {
        try makeStore()
        try makeLink(folder.path + "/other", to: state)
        expectRefusal("is a symbolic link", command: "ls -ld", at: folder.path + "/other")
    }

    @Test("A file in the folder's place, or above it")
    func notAFolder() throws {
        try folder.write("", to: "state")
        expectRefusal("is not a directory", command: "mv")
        expectRefusal("can't be created", command: "mkdir -p", at: state + "/below")
        expectRefusal("can't be created", command: "mkdir -p", at: "/proc/capturegate/state")
    }

    @Test("Commands hold any path as one word of a shell")
    func quoting() {
        #expect(ShellQuote.command(["mv", "/a/b-1.c", "/it's $(x)"]) == #"mv /a/b-1.c '/it'\''s $(x)'"#)
        #expect(ShellQuote.command(["ls", ""]) == "ls ''")
    }

    @Test("A relative folder")
    func relative() {
        #expect(throws: CaptureError.self) { _ = try SQLiteGrantStore(directory: "state") }
    }

    @Test("A file that is no database, or the database of another program")
    func notADatabase() throws {
        try makeFolder(state)
        try folder.setMode(0o700, of: "state")
        try folder.write(String(repeating: "no database ", count: 1000), to: "state/grants.sqlite", mode: 0o600)
        expectRefusal("damaged", command: "mv \(state) \(state).damaged")
        try folder.remove("state/grants.sqlite")
        try tamper(in: state, "CREATE TABLE recipes (name)")
        try folder.setMode(0o600, of: "state/grants.sqlite")
        expectRefusal("another program", command: "mv")
    }

    @Test("A database with a page overwritten")
    func damagedPage() throws {
        try makeStore()
        let size = try #require(try? FileStatus.of(state + "/grants.sqlite").get().size)
        for page in 1..<size / 4096 {
            let file = cs_open(state + "/grants.sqlite", O_WRONLY, 0)
            let noise = [UInt8](repeating: 0x5a, count: 4096)
            #expect(cs_pwrite(file, noise, noise.count, page * 4096) == 4096)
            #expect(cs_close(file) == 0)
        }
        expectRefusal("damaged", command: "mv")
    }

    @Test("A database that was cut off")
    func cut() throws {
        try makeStore()
        let file = cs_open(state + "/grants.sqlite", O_WRONLY, 0)
        #expect(cs_ftruncate(file, 5000) == 0)
        #expect(cs_close(file) == 0)
        expectRefusal("damaged", command: "mv")
    }

    @Test("A row changed by hand into nonsense decides nothing")
    func nonsenseRow() throws {
        try makeStore()
        try tamper(in: state, "UPDATE decision SET application = 'x', application_kind = 'y'")
        let error = #expect(throws: CaptureError.self) { _ = try SQLiteGrantStore(directory: state) }
        #expect(error?.kind == .store)
        #expect(error?.message.contains("application_kind") == true)
    }

    @Test("Where a store is by the environment; what is relative is ignored")
    func standardPath() throws {
        func path(_ environment: [String: String]) throws -> String {
            try SQLiteGrantStore.defaultDirectory(environment: environment)
        }
        #expect(try path(["XDG_STATE_HOME": "/x/state", "HOME": "/h"]) == "/x/state/capturegate")
        #expect(try path(["XDG_STATE_HOME": "/x/state//"]) == "/x/state/capturegate")
        #expect(try path(["XDG_STATE_HOME": "state", "HOME": "/h"]) == "/h/.local/state/capturegate")
        #expect(try path(["XDG_STATE_HOME": "", "HOME": "/h"]) == "/h/.local/state/capturegate")
        #expect(try path(["HOME": "."]).hasPrefix("/"))
        #expect(try path(["HOME": "."]).hasSuffix("/.local/state/capturegate"))
    }
}

extension Result<FileStatus, Errno> {
    fileprivate var isMissing: Bool {
        if case .failure(let failure) = self { failure == .noSuchFileOrDirectory } else { false }
    }
}
