import Glibc
import Testing

@Suite("following the log", .fewAtOnce)
struct LogFollowTests {
    private func workspace() async throws -> Workspace {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("camera", "off")
        return workspace
    }

    @Test("each line is a document of its own, in order, none twice and none left out")
    func events() async throws {
        let workspace = try await workspace()
        let log = try workspace.start("log", "--follow", "--json", "--last", "1")
        var numbers = [try Document(try await log.waitForLine(containing: "\"number\":1,"))["number"].number]
        for number in 2...6 {
            _ = try await workspace.capturegate("camera", "off")
            let line = try await log.waitForLine(containing: "number")
            numbers.append(try Document(line)["number"].number)
            #expect(line.contains("\"number\":\(number),"))
        }
        #expect(numbers == [1, 2, 3, 4, 5, 6])
        log.send(SIGINT)
        let ending = try await log.finish()
        #expect(ending.code == 0)
        #expect(ending.output.isEmpty && ending.errors.isEmpty)
    }

    @Test("with --last 0 only what comes is shown")
    func none() async throws {
        let workspace = try await workspace()
        let command = "'\(Executable.capturegate)' log --follow --last 0 --json"
        let log = try ChildProcess(["sh", "-c", "echo begun; exec \(command)"], in: workspace)
        _ = try await log.waitForLine(containing: "begun")
        // It may not listen yet: changes are made until one is shown.
        let writer = try ChildProcess(
            ["sh", "-c", "while [ ! -e seen ]; do '\(Executable.capturegate)' camera off; done"], in: workspace)
        let first = try Document(try await log.waitForLine(containing: "number"))
        #expect((first["number"].number ?? 0) > 1)
        try workspace.write("", to: "seen")
        #expect(try await writer.finish().code == 0)
        log.send(SIGINT)
        #expect(try await log.finish().code == 0)
    }

    @Test("a signal ends it well", arguments: [SIGINT, SIGTERM, SIGHUP])
    func signals(signal: Int32) async throws {
        let workspace = try await workspace()
        let log = try workspace.start("log", "--follow")
        _ = try await log.waitForLine(containing: "#1")
        log.send(signal)
        #expect(try await log.finish().code == 0)
    }

    @Test("a reader that has gone ends it quietly")
    func closedPipe() async throws {
        let workspace = try await workspace()
        let script = "'\(Executable.capturegate)' log --follow | head -n 1; echo \"${PIPESTATUS[0]}\""
        let log = try ChildProcess(["bash", "-c", script], in: workspace)
        _ = try await log.waitForLine(containing: "#1")
        let writer = try ChildProcess(
            ["sh", "-c", "while [ ! -e seen ]; do '\(Executable.capturegate)' camera off; done"], in: workspace)
        #expect(try await log.waitForLine(containing: "0") == "0")
        try workspace.write("", to: "seen")
        _ = try await writer.finish()
        #expect(try await log.finish().errors.isEmpty)
    }
}
