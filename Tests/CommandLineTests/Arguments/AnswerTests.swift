import Glibc
import Testing

@Suite("answers for programs", .serialized, .fewAtOnce)
struct AnswerTests {
    static let commands = [
        "status", "grant camera --once", "grant microphone --device test:tone --for 1h", "revoke camera", "reset --yes",
        "log", "log --last 2", "log --verify", "log --keep 300", "policy check policy.d", "camera off",
        "microphone on", "devices",
    ]

    private func workspace() async throws -> Workspace {
        let workspace = try Workspace()
        _ = try await workspace.run(["mkdir", "-m", "755", "policy.d"])
        _ = try await workspace.capturegate("grant", "camera", "--always")
        return workspace
    }

    @Test("--json is one document on one line, and nothing on standard error", arguments: commands)
    func document(command: String) async throws {
        let ending = try await workspace().capturegate(command.split(separator: " ").map(String.init) + ["--json"])
        #expect(ending.code == 0)
        #expect(ending.errors.isEmpty)
        #expect(ending.output.hasSuffix("\n"))
        #expect(ending.output.split(separator: "\n", omittingEmptySubsequences: false).count == 2)
        guard case .object = try Document(ending.output) else {
            Issue.record("\(ending.output) is no object")
            return
        }
    }

    @Test("without --json it is text for people, and nothing on standard error", arguments: commands)
    func text(command: String) async throws {
        let ending = try await workspace().capturegate(command.split(separator: " ").map(String.init))
        #expect(ending.code == 0)
        #expect(ending.errors.isEmpty)
        #expect(!ending.output.hasPrefix("{"))
        #expect(ending.output.hasSuffix("\n"))
    }

    @Test(
        "what is wrong is a document, too, with the exit code in it",
        arguments: [
            ("grant camera", 64), ("grant camera --device nonsense --once", 66), ("revoke screen", 64), ("reset", 64),
            ("camera", 64), ("microphone away", 64), ("log --last x", 64), ("policy check nowhere", 64),
            ("grant camera --to nowhere --once", 64),
        ])
    func error(command: String, code: Int32) async throws {
        let ending = try await workspace().capturegate(command.split(separator: " ").map(String.init) + ["--json"])
        #expect(ending.code == code)
        let error = try Document(ending.output)["error"]
        #expect(error["exit_code"] == .number(Double(code)))
        #expect(error["message"].string?.isEmpty == false)
        #expect(!error["remedies"].elements.isEmpty)
        #expect(!ending.errors.isEmpty)
    }
}
