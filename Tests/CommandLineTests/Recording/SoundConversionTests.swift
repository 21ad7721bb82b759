import Testing

@Suite("sound that is converted", .fewAtOnce)
struct SoundConversionTests {
    /// What sox measures of a file, such as "RMS lev dB".
    private func level(_ name: String, _ quantity: String, in workspace: Workspace) async throws -> Double {
        let line = "sox '\(name)' -n stats 2>&1 | grep '^\(quantity)'"
        let ending = try await workspace.run(["sh", "-c", line])
        return try #require(Double(ending.output.split(whereSeparator: \.isWhitespace)[3]))
    }

    private func stream(_ name: String, in workspace: Workspace) async throws -> Document {
        try #require(try await streams(name, in: workspace).first)
    }

    private func streams(_ name: String, in workspace: Workspace) async throws -> [Document] {
        try await workspace.probe(name, "stream=sample_rate,channels,duration_ts")["streams"].elements
    }

    @Test("mono at 16 kHz is what a speech recogniser wants, and the level stays")
    func mono() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let line = [
            "record", "a.wav", "--microphone", "test:tone", "--channels", "mono", "--rate", "16000", "--for", "1s",
        ]
        let ending = try await workspace.capturegate(line + ["--json"])
        #expect(ending.code == 0, "\(ending.errors)")
        let start = try #require(try Document.lines(ending.output).first)
        #expect(start["tracks"].elements.first?["channels"] == .number(1))
        #expect(start["tracks"].elements.first?["sample_rate"] == .number(16_000))
        let sound = try await stream("a.wav", in: workspace)
        #expect(sound["sample_rate"] == .string("16000") && sound["channels"] == .number(1))
        #expect(sound["duration_ts"] == .number(16_000))
        #expect(abs(try await level("a.wav", "RMS lev dB", in: workspace) + 23.01) < 0.1)
    }

    @Test("a rate that the device does not have is made of the nearest, and refused where it is strict")
    func rate() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        // The built-in tone begins at 8 kHz.
        let line = ["record", "a.wav", "--microphone", "test:tone", "--rate", "4000", "--for", "2s"]
        let ending = try await workspace.capturegate(line)
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(ending.output.contains("audio is captured at 8000 Hz and converted to 4000 Hz"), "\(ending.output)")
        let sound = try await stream("a.wav", in: workspace)
        #expect(sound["sample_rate"] == .string("4000") && sound["duration_ts"] == .number(8000))
        // All of it is still at 997 Hz.
        #expect(try await workspace.run(["sox", "a.wav", "b.wav", "sinc", "950-1050"]).code == 0)
        for name in ["a.wav", "b.wav"] {
            #expect(abs(try await level(name, "RMS lev dB", in: workspace) + 23.01) < 0.2)
        }
        #expect(try await workspace.capturegate(line + ["--strict", "--force"]).code == 78)
    }

    @Test("a gain is heard, and channels are chosen by their numbers")
    func gain() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let line = ["record", "a.wav", "--microphone", "test:tone", "--channels", "3,1", "--gain", "-6", "--for", "1s"]
        let ending = try await workspace.capturegate(line)
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(try await stream("a.wav", in: workspace)["channels"] == .number(2))
        #expect(abs(try await level("a.wav", "RMS lev dB", in: workspace) + 29.01) < 0.1)
    }

    @Test("several microphones become one track of a WAV file")
    func mix() async throws {
        let workspace = try Workspace()
        #expect(try await workspace.capturegate("grant", "microphone", "--always").code == 0)
        let ending = try await workspace.paced([
            "record", "a.wav", "--microphone", "test:tone", "--microphone", "alsa:paced_48k_stereo", "--mix", "--rate",
            "48000", "--for", "500ms",
        ]).finish()
        #expect(ending.code == 0, "\(ending.errors)")
        let sound = try await stream("a.wav", in: workspace)
        #expect(sound["channels"] == .number(2) && sound["duration_ts"] == .number(24_000))
    }

    @Test("each of several microphones has its own rate and channels, said behind its name")
    func own() async throws {
        let workspace = try Workspace()
        #expect(try await workspace.capturegate("grant", "microphone", "--always").code == 0)
        let ending = try await workspace.paced([
            "record", "a.mkv", "--microphone", "test:tone", "--channels", "mono", "--rate", "16000", "--microphone",
            "alsa:paced_48k_stereo", "--rate", "24000", "--channels", "2", "--camera", "none", "--for", "500ms",
        ]).finish()
        #expect(ending.code == 0, "\(ending.errors)")
        let streams = try await streams("a.mkv", in: workspace)
        #expect(streams.map { $0["sample_rate"] } == [.string("16000"), .string("24000")])
        #expect(streams.map { $0["channels"] } == [.number(1), .number(2)])
    }

    static let mistakes = [
        "a.wav --microphone test:tone --channels 1,0": "mono, left, right",
        "a.wav --microphone test:tone --channels stereo": "mono, left, right",
        "a.wav --microphone test:tone --gain loud": "a gain in dB",
        "a.wav --microphone test:tone --gain 61": "a gain in dB",
        "a.wav --microphone test:tone --mix": "--mix needs several microphones",
        "a.y4m --camera test:bars --gain 3": "--gain needs a microphone",
    ]

    @Test("what means nothing, or nothing here, is wrong usage", arguments: mistakes)
    func usage(line: String, cause: String) async throws {
        let workspace = try Workspace()
        let ending = try await workspace.capturegate(["record"] + line.split(separator: " ").map(String.init))
        #expect(ending.code == 64)
        #expect(ending.errors.contains(cause), "\(ending.errors)")
        #expect(!workspace.names.contains { $0.hasPrefix("a.") })
    }

    @Test("a channel that the device does not have is told with those that it has")
    func missingChannel() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let line = ["record", "a.wav", "--microphone", "test:tone", "--channels", "9,1", "--for", "100ms"]
        let ending = try await workspace.capturegate(line)
        #expect(ending.code == 64 && ending.errors.contains("has 8 channels, but no channel 9"), "\(ending.errors)")
        #expect(!workspace.names.contains { $0.hasPrefix("a.") })
    }
}
