import Testing

@Suite("several devices", .fewAtOnce)
struct SeveralDevicesTests {
    private func record(_ options: [String], in workspace: Workspace) async throws -> Ending {
        try await workspace.paced(["record"] + options).finish()
    }

    private func allow(_ workspace: Workspace) async throws {
        for capability in ["camera", "microphone"] {
            #expect(try await workspace.capturegate("grant", capability, "--always").code == 0)
        }
    }

    @Test("go into one file, each on a track with its name")
    func tracks() async throws {
        let workspace = try Workspace()
        try await allow(workspace)
        let ending = try await record(
            [
                "a.mkv", "--camera", "test:bars", "--microphone", "test:tone", "--microphone", "alsa:paced",
                "--microphone", "alsa:paced_48k_stereo", "--channels", "2", "--rate", "48000", "--for", "1s", "--json",
            ], in: workspace)
        #expect(ending.code == 0)
        let events = try Document.lines(ending.output)
        let devices = ["test:bars", "test:tone", "alsa:paced", "alsa:paced_48k_stereo"].map(Document.string)
        #expect(events.first?["tracks"].elements.map { $0["device"] } == devices)
        let end = try #require(events.last)
        #expect(end["tracks"].elements.map { $0["device"] } == devices)
        #expect(end["tracks"].elements.dropFirst().map { $0["frames"] } == Array(repeating: .number(48_000), count: 3))
        let progress = events.first { $0["event"] == .string("progress") }
        #expect(progress == nil || progress?["microphones"].elements.count == 3)
        let found = try await workspace.probe("a.mkv", "stream=codec_type:stream_tags=title")["streams"].elements
        #expect(found.map { $0["codec_type"].string } == ["video", "audio", "audio", "audio"])
        #expect(found.compactMap { $0["tags"]["title"].string }.last == "ALSA paced_48k_stereo")
        for track in 0..<3 {
            let line = "ffmpeg -v error -i a.mkv -map 0:a:\(track) -f s16le - | wc -c"
            let count = try await workspace.run(["sh", "-c", line]).output.filter(\.isNumber)
            #expect(Int(count) == 4 * 48_000)
        }
    }

    @Test("two microphones alone follow the first one's clock")
    func microphones() async throws {
        let workspace = try Workspace()
        try await allow(workspace)
        let ending = try await record(
            [
                "a.mka", "--microphone", "test:tone", "--microphone", "alsa:paced", "--rate", "48000", "--for", "500ms",
                "--json",
            ],
            in: workspace)
        #expect(ending.code == 0)
        let end = try #require(try Document.lines(ending.output).last)
        #expect(end["tracks"].elements.map { $0["frames"] } == [.number(24_000), .number(24_000)])
        #expect(end["ledger"]["tracks"].elements.first?["corrected"] == .number(0))
        let found = try await workspace.probe("a.mka", "stream=codec_type")["streams"].elements
        #expect(found.count == 2)
    }

    static let mistakes = [
        "a.wav --microphone test:tone --microphone alsa:paced": "WAV can contain one track, not 2",
        "a.mkv --microphone test:tone --microphone test:tone": "named twice",
        "a.mkv --camera test:bars --camera test:bars": "named twice",
        "a.mkv --microphone none --microphone test:tone": "can't be combined",
    ]

    @Test("that do not go together are wrong usage", arguments: mistakes)
    func usage(line: String, cause: String) async throws {
        let workspace = try Workspace()
        let ending = try await record(line.split(separator: " ").map(String.init), in: workspace)
        #expect(ending.code == 64)
        #expect(ending.errors.contains(cause))
        #expect(!workspace.names.contains { $0.hasPrefix("a.") })
    }
}
