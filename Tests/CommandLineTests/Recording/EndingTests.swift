import Testing

@Suite("the end of a recording", .fewAtOnce)
struct EndingTests {
    @Test("quiet ends it, to the sample, with 0")
    func silence() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        // Under 0 dBFS is everything that is no square wave: it ends as soon as it may.
        let ending = try await workspace.capturegate(
            "record", "a.wav", "--microphone", "test:tone", "--until-silence", "300ms,0", "--json")
        #expect(ending.code == 0)
        let end = try #require(try Document.lines(ending.output).last)
        #expect(end["reason"] == .string("silence"))
        #expect(end["tracks"].elements.first?["frames"] == .number(14_400))
        #expect(try await workspace.samples("a.wav", channels: 2) == 14_400)
    }

    @Test("sound does not")
    func sound() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let ending = try await workspace.capturegate(
            "record", "a.mkv", "--microphone", "test:tone", "--camera", "test:bars", "--until-silence", "200ms",
            "--for", "700ms")
        #expect(ending.code == 0)
        #expect(ending.output.contains("complete"))
        #expect(try await workspace.samples("a.mkv", channels: 2) == 33_600)
    }

    @Test("picture and sound end together")
    func together() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let ending = try await workspace.capturegate(
            "record", "a.mkv", "--microphone", "test:tone", "--camera", "test:bars", "--until-silence", "500ms,0dB")
        #expect(ending.code == 0)
        #expect(ending.output.contains("silence detected"))
        #expect(try await workspace.samples("a.mkv", channels: 2) == 24_000)
    }
}
