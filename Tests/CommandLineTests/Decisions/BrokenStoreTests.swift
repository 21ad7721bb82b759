import Glibc
import Testing

@Suite("a broken store", .fewAtOnce)
struct BrokenStoreTests {
    static let commands = ["status", "grant camera --once", "revoke camera", "reset --yes", "log", "camera off"]

    @Test("a damaged database ends with 78 and says what to do", arguments: commands)
    func damaged(command: String) async throws {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("grant", "camera", "--always")
        try await workspace.damageDatabase()
        let words = command.split(separator: " ").map(String.init)
        let ending = try await workspace.capturegate(words)
        #expect(ending.code == 78)
        #expect(ending.errors.contains("grants.sqlite"))
        #expect(ending.errors.contains("mv "))
    }

    @Test("nobody is allowed anything by a damaged database")
    func recording() async throws {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("grant", "microphone", "--always")
        try await workspace.damageDatabase()
        let ending = try await workspace.capturegate("record", "a.wav", "--microphone", "test:tone", "--for", "1s")
        #expect(ending.code == 78)
        #expect(!workspace.names.contains { $0.hasPrefix("a.wav") })
    }

    @Test("a database that another program keeps locked ends with 78 and says how to find it")
    func locked() async throws {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("grant", "camera", "--always")
        let file = open(workspace.store + "/grants.sqlite", O_RDWR | O_CLOEXEC)
        defer { close(file) }
        // The bytes on which SQLite takes its locks, from PENDING_BYTE on.
        var lock = flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0x4000_0000, l_len: 512, l_pid: 0)
        #expect(fcntl(file, F_SETLK, &lock) == 0)
        let ending = try await workspace.capturegate("grant", "camera", "--once")
        #expect(ending.code == 78)
        #expect(ending.errors.contains("locked"))
        #expect(ending.errors.contains("fuser"))
    }
}
