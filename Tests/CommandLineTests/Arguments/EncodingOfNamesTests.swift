import Testing

@Suite("names that are not UTF-8", .fewAtOnce)
struct EncodingOfNamesTests {
    @Test(
        "are refused in one sentence, and no other file is made",
        arguments: [
            "record $name.wav --microphone test:tone --for 1s", "recover $name.wav.partial", "snapshot $name.png",
        ])
    func refused(line: String) async throws {
        let workspace = try Workspace()
        let script = "name=$(printf 'caf\\351'); : > $name.wav.partial; exec '\(Executable.capturegate)' \(line)"
        let ending = try await workspace.run(["bash", "-c", script])
        #expect(ending.code == 64)
        #expect(ending.errors.contains("is not UTF-8"))
        #expect(try await workspace.run(["sh", "-c", "echo caf* | wc -w"]).output == "1\n")
    }

    @Test("those that are, are none of it")
    func accented() async throws {
        let workspace = try Workspace()
        let ending = try await workspace.capturegate("recover", "caf\u{E9}\u{FFFD}.wav.partial")
        #expect(ending.code == 65)
        #expect(ending.errors.contains("caf\u{E9}"))
    }
}
