import Testing

@Suite("help", .fewAtOnce)
struct HelpTests {
    @Test("the version is told")
    func version() async throws {
        let ending = try await Workspace().capturegate("--version")
        #expect(ending.code == 0)
        #expect(ending.output == "capturegate 0.1.0\n")
    }

    @Test(
        "each command has examples in its help",
        arguments: [
            "record", "devices", "status", "grant", "revoke", "reset", "camera", "microphone", "log", "policy", "bench",
            "rig",
        ])
    func examples(command: String) async throws {
        let ending = try await Workspace().capturegate("help", command)
        #expect(ending.code == 0)
        #expect(ending.output.contains("\n  capturegate \(command)"))
        #expect(ending.output.split(separator: "\n").allSatisfy { $0.count <= 80 || $0.hasPrefix("USAGE") })
    }

    @Test("so has each command of the rig", arguments: ["run", "check", "list", "explain", "compare"])
    func rigExamples(command: String) async throws {
        let ending = try await Workspace().capturegate("help", "rig", command)
        #expect(ending.code == 0)
        #expect(ending.output.contains("\n  capturegate rig \(command)"))
        #expect(ending.output.split(separator: "\n").allSatisfy { $0.count <= 80 || $0.hasPrefix("USAGE") })
    }

    @Test("a completion script asked of a command is that of the whole program", arguments: ["devices", "record"])
    func completionScript(command: String) async throws {
        let whole = try await Workspace().capturegate("--generate-completion-script", "bash")
        let part = try await Workspace().capturegate(command, "--generate-completion-script", "bash")
        #expect(whole.code == 0 && whole.output.contains("complete"))
        #expect((part.code, part.output) == (0, whole.output))
    }

    @Test("examples are on lines of their own, whole and as they are typed")
    func whole() async throws {
        let meter = try await Workspace().capturegate("help", "meter").output
        #expect(meter.contains("\n  capturegate meter --json | jq 'select(.event==\"level\").channels[0].peak_dbfs'\n"))
        let devices = try await Workspace().capturegate("help", "devices").output
        #expect(devices.contains("\n  capturegate record clip.mkv --camera \"$camera\" --for 5s\n"))
        let codes = try await Workspace().capturegate("--help").output.replacing("\n", with: " ")
        #expect(codes.contains("65 a file to be read is missing"))
    }

    @Test("a reader that has gone ends the program quietly")
    func closedPipe() async throws {
        let command = "'\(Executable.capturegate)' help record | true; echo \"${PIPESTATUS[0]}\""
        let ending = try await Workspace().run(["bash", "-c", command])
        #expect(ending.output == "0\n")
        #expect(ending.errors.isEmpty)
    }

    @Test("output that can't be written is an error")
    func fullDevice() async throws {
        let ending = try await Workspace().run(["sh", "-c", "'\(Executable.capturegate)' devices >/dev/full"])
        #expect(ending.code == 74)
        #expect(ending.errors.contains("Standard output can't be written"))
    }
}
