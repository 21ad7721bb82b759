import Testing

@Suite("the options of the encoders", .fewAtOnce)
struct EncodingTests {
    private func size(_ options: String, in workspace: Workspace) async throws -> Int {
        let words = options.split(separator: " ").map(String.init)
        let ending = try await workspace.capturegate(["record"] + words + ["--for", "1s", "--force"])
        #expect(ending.code == 0, "\(ending.errors)")
        _ = try await workspace.probe(words[0], "stream=codec_name")
        return workspace.size(words[0])
    }

    @Test("Opus has the bitrate that is said")
    func bitrate() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let line = "a.opus --microphone test:tone --opus-mode cbr --opus-application"
        let small = try await size("\(line) voice --opus-bitrate 24k --opus-frame 60", in: workspace)
        let large = try await size("\(line) audio --opus-bitrate 256k --opus-complexity 3", in: workspace)
        // A second and the head of two pages: 24 and 256 thousand bits.
        #expect((3000...4200).contains(small), "\(small)")
        #expect((32_000...34_500).contains(large), "\(large)")
    }

    @Test("FLAC and JPEG become smaller")
    func levels() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let fast = try await size("a.flac --microphone test:tone --flac-level 0", in: workspace)
        #expect(try await size("a.flac --microphone test:tone --flac-level 8", in: workspace) < fast)
        let good = try await size("a.mjpeg --camera test:bars --jpeg-quality 95", in: workspace)
        #expect(try await size("a.mjpeg --camera test:bars --jpeg-quality 20", in: workspace) < good)
    }

    @Test("H.264 has the bitrate, the quality and the key frames that are said")
    func predicted() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let line = "a.mkv --camera test:bars --size 320x240 --fps 30 --video-codec h264"
        let small = try await size("\(line) --video-quality 10", in: workspace)
        #expect(try await size("\(line) --video-quality 95 --video-complexity 0", in: workspace) > small)
        _ = try await size("\(line) --keyframe-interval 500ms --video-bitrate 1M", in: workspace)
        let packets = try await workspace.run([
            "ffprobe", "-v", "error", "-show_entries", "packet=flags", "-of", "csv=p=0", "a.mkv",
        ])
        #expect(packets.output.split(separator: "\n").filter { $0.hasPrefix("K") }.count == 2, "\(packets.output)")
    }

    static let mistakes = [
        "a.wav --microphone test:tone --opus-bitrate 32k": "--opus-bitrate is for Opus",
        "a.mkv --microphone test:tone --opus-mode vbr": "--opus-mode is for Opus",
        "a.opus --microphone test:tone --flac-level 5": "--flac-level is for FLAC",
        "a.flac --microphone test:tone --jpeg-quality 50": "--jpeg-quality is for JPEG",
        "a.flac --microphone test:tone --flac-level 9": "0 to 8",
        "a.opus --microphone test:tone --opus-frame 30": "2.5, 5, 10",
        "a.opus --microphone test:tone --opus-bitrate 10": "a bit rate such as",
        "a.opus --microphone test:tone --opus-application music": "low-delay",
        "a.mkv --camera test:bars --video-bitrate 1M": "--video-bitrate is for H.264",
        "a.mkv --camera test:bars --video-codec h264 --jpeg-quality 50": "--jpeg-quality is for JPEG",
        "a.mkv --camera test:bars --video-codec h264 --video-bitrate 1M --video-quality 50": "Use only one",
        "a.mkv --camera test:bars --video-codec h264 --keyframe-interval 2m": "100ms to 1m",
        "a.webm --camera test:bars --video-codec h264": "can't contain",
        "a.m4a --camera test:bars": "contain only audio",
        "a.wav --microphone test:tone --until-silence 3s,5": "level in dBFS",
        "a.wav --microphone test:tone --until-silence 1ms": "a time of at least 20ms",
        "a.y4m --camera test:bars --until-silence 3s": "--until-silence needs a microphone",
    ]

    @Test("that mean nothing, or nothing here, are wrong usage", arguments: mistakes)
    func usage(line: String, cause: String) async throws {
        let workspace = try Workspace()
        let ending = try await workspace.capturegate(["record"] + line.split(separator: " ").map(String.init))
        #expect(ending.code == 64)
        #expect(ending.errors.contains(cause), "\(ending.errors)")
        #expect(!workspace.names.contains { $0.hasPrefix("a.") })
    }
}
