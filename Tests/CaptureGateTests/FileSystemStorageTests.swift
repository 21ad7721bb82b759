import CaptureGate
import GateTestKit
import Glibc
import Testing

@Suite("File system storage")
struct FileSystemStorageTests {
    private func refusal(_ folder: String, freeBytes: Int64 = 0) async throws -> CaptureError? {
        let gate = try GateFixture()
        let report = await gate.gatekeeper.report(on: Capability.Storage(folder, freeBytes: freeBytes))
        #expect(gate.prompter.questions.isEmpty)
        return report.refusal
    }

    @Test("A folder of one's own with room is authorized")
    func own() async throws {
        #expect(try await refusal(try TemporaryFolder.make(), freeBytes: 1) == nil)
    }

    @Test("What is not there is told", arguments: ["/no/such/folder", "", "/tmp/\0", "/proc/self/environ/x"])
    func absent(folder: String) async throws {
        #expect(try await refusal(folder)?.kind == .inputOutput)
    }

    @Test("A file is no folder")
    func file() async throws {
        #expect(await FileSystemStorage().inspect("/proc/self/environ") == .notDirectory)
        #expect(await FileSystemStorage().inspect("/dev/null") == .notDirectory)
    }

    @Test("A link to a folder is one, a link to nowhere is not, and a circle of links neither")
    func links() async throws {
        let folder = try TemporaryFolder.make()
        symlink("/tmp", folder + "/good")
        symlink("/no/such/folder", folder + "/dangling")
        symlink(folder + "/circle", folder + "/circle")
        #expect(try await refusal(folder + "/good") == nil)
        #expect(await FileSystemStorage().inspect(folder + "/dangling") == .absent)
        #expect(await FileSystemStorage().inspect(folder + "/circle") == .absent)
    }

    @Test("More room than there is is not there")
    func full() async throws {
        #expect(try await refusal("/tmp", freeBytes: .max)?.kind == .diskFull)
    }
}
