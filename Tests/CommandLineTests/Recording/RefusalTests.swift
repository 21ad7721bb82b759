import Testing

@Suite("recordings that do not begin", .fewAtOnce)
struct RefusalTests {
    @Test("with nobody to ask, the exact commands that allow it are told")
    func commands() async throws {
        let workspace = try Workspace()
        let ending = try await workspace.capturegate(
            "record", "a.mkv", "--camera", "test:bars", "--microphone", "test:tone", "--for", "1s", "--json")
        #expect(ending.code == 77)
        #expect(ending.errors.contains("capturegate grant camera --device test:bars --once"))
        #expect(ending.errors.contains("capturegate grant microphone --device test:tone --always"))
        #expect(!workspace.names.contains { $0.hasPrefix("a.mkv") })
        let error = try Document(ending.output)["error"]
        #expect(error["exit_code"] == .number(77))
        for command in error["remedies"].elements.compactMap({ $0["command"].string })
        where command.contains("--always") {
            let words = command.split(separator: " ").dropFirst().map(String.init)
            #expect(try await workspace.capturegate(words).code == 0)
        }
        let second = try await workspace.capturegate(
            "record", "null:", "--camera", "test:bars", "--microphone", "test:tone", "--for", "100ms")
        #expect(second.code == 0)
    }

    @Test("an existing file is kept, and told before anybody is asked")
    func existing() async throws {
        let workspace = try Workspace()
        try workspace.write("precious", to: "a.wav")
        let ending = try await workspace.capturegate("record", "a.wav", "--microphone", "test:tone", "--for", "1s")
        #expect(ending.code == 73)
        #expect(ending.errors.contains("a.wav"))
        #expect(try workspace.text("a.wav") == "precious")
    }

    @Test("a place that can't be written is told before anybody is asked")
    func unwritable() async throws {
        let workspace = try Workspace()
        let ending = try await workspace.capturegate("record", "no/a.wav", "--microphone", "test:tone", "--for", "1s")
        #expect(ending.code == 74)
        #expect(ending.errors.contains("no/a.wav"))
    }

    @Test("a device that is not there ends with 66 and names those that are", arguments: ["camera", "microphone"])
    func device(kind: String) async throws {
        let ending = try await Workspace().capturegate("record", "a.mkv", "--\(kind)", "nonsense", "--for", "1s")
        #expect(ending.code == 66)
        #expect(ending.errors.contains("test:"))
    }

    @Test("a name with control characters in it can't draw on the terminal")
    func controls() async throws {
        let ending = try await Workspace().capturegate("record", "a.mkv", "--camera", "\u{1B}[2Jx", "--for", "1s")
        #expect(ending.code == 66)
        #expect(!ending.errors.contains("\u{1B}"))
    }
}
