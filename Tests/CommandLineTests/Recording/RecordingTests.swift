import Glibc
import Testing

@Suite("recording", .fewAtOnce)
struct RecordingTests {
    /// What ffprobe, which has nothing in common with this project, says of a file.
    private func probe(_ name: String, _ entries: String, in workspace: Workspace) async throws -> Document {
        let ending = try await workspace.run(
            ["ffprobe", "-v", "error", "-count_frames", "-show_entries", entries, "-of", "json", name])
        #expect(ending.code == 0)
        #expect(ending.errors.isEmpty)
        return try Document(ending.output)
    }

    private func allow(_ workspace: Workspace) async throws {
        for (capability, device) in [("camera", "test:bars"), ("microphone", "test:tone")] {
            let ending = try await workspace.capturegate("grant", capability, "--device", device, "--always")
            #expect(ending.code == 0)
        }
    }

    @Test("grant, record, verify the log, revoke, be refused")
    func walk() async throws {
        let workspace = try Workspace()
        let record = ["record", "a.wav", "--microphone", "test:tone", "--for", "1s"]
        #expect(try await workspace.capturegate("grant", "microphone", "--device", "test:tone", "--always").code == 0)
        let ending = try await workspace.capturegate(record)
        #expect(ending.code == 0)
        #expect(ending.output.contains("a.wav: 1.0 s"))
        #expect(ending.output.contains("48000 samples"))
        #expect(workspace.names.contains("a.wav"))
        #expect(!workspace.names.contains("a.wav.partial"))
        #expect(try await workspace.capturegate("log", "--verify").code == 0)
        let log = try await workspace.capturegate("log").output
        #expect(log.contains("  start  "))
        #expect(log.contains("  stop  "))
        #expect(try await workspace.capturegate("revoke", "microphone").code == 0)
        let refused = try await workspace.capturegate(record + ["--force"])
        #expect(refused.code == 77)
    }

    @Test("--quiet says nothing where nothing went wrong, and what did where something did")
    func quiet() async throws {
        let workspace = try Workspace()
        try await allow(workspace)
        let record = ["record", "a.wav", "--microphone", "test:tone", "--quiet"]
        let ending = try await workspace.capturegate(record + ["--for", "200ms"])
        #expect(ending.code == 0)
        #expect(ending.output.isEmpty && ending.errors.isEmpty)
        // A device that is always full.
        let line = "'\(Executable.capturegate)' \(record.joined(separator: " ")) --for 2s --force --tee - >/dev/full"
        let failing = try await workspace.run(["bash", "-c", line])
        #expect(failing.errors.contains("standard output failed"))
        #expect(!failing.errors.contains("Recording"))
        #expect(try await workspace.capturegate(record + ["--for", "200ms", "--json"]).code == 64)
    }

    @Test("a second of sound is a second of frames")
    func wav() async throws {
        let workspace = try Workspace()
        try await allow(workspace)
        let options = ["--rate", "44100", "--channels", "1", "--sample-format", "s16", "--strict", "--for", "1s"]
        let ending = try await workspace.capturegate(["record", "a.wav", "--microphone", "test:tone"] + options)
        #expect(ending.code == 0)
        let stream = try await probe("a.wav", "stream=codec_name,sample_rate,channels,duration_ts", in: workspace)
        let sound = try #require(stream["streams"].elements.first)
        #expect(sound["codec_name"] == .string("pcm_s16le"))
        #expect(sound["sample_rate"] == .string("44100"))
        #expect(sound["channels"] == .number(1))
        #expect(sound["duration_ts"] == .number(44_100))
    }

    @Test("raw pictures have their size, their rate and their number")
    func y4m() async throws {
        let workspace = try Workspace()
        try await allow(workspace)
        let ending = try await workspace.capturegate(
            ["record", "a.y4m", "--camera", "test:bars", "--size", "640x480"]
                + ["--fps", "30", "--for", "1s"])
        #expect(ending.code == 0)
        // 30 frames last 999,999,990 ns.
        #expect(ending.output.contains("a.y4m: 1.0 s"))
        let stream = try await probe("a.y4m", "stream=codec_name,width,height,nb_read_frames", in: workspace)
        let picture = try #require(stream["streams"].elements.first)
        #expect(picture["width"] == .number(640))
        #expect(picture["height"] == .number(480))
        #expect(picture["nb_read_frames"] == .string("30"))
    }

    @Test("picture and sound go into one file, and the events tell of it")
    func matroska() async throws {
        let workspace = try Workspace()
        try await allow(workspace)
        let ending = try await workspace.capturegate(
            ["record", "a.mkv", "--camera", "test:bars", "--microphone", "test:tone"]
                + ["--for", "1500ms", "--title", "a test", "--json"])
        #expect(ending.code == 0)
        let events = try Document.lines(ending.output)
        #expect(events.first?["event"] == .string("start"))
        #expect(events.dropFirst().dropLast().allSatisfy { $0["event"] == .string("progress") })
        #expect(events[0]["tracks"].elements.map { $0["device"] } == [.string("test:bars"), .string("test:tone")])
        let end = try #require(events.last)
        #expect(end["reason"] == .string("complete"))
        #expect(end["bytes"].number == Double(workspace.size("a.mkv")))
        #expect(end["event"] == .string("end"))
        #expect(end["ledger"]["tracks"].elements.map { $0["kind"] } == [.string("video"), .string("audio")])
        let priorities = end["ledger"]["tracks"].elements.compactMap { $0["priority"].string }
        #expect(priorities.count == 2 && priorities.allSatisfy { !$0.isEmpty && $0 != "not running yet" })
        #expect(end["tracks"].elements.last?["frames"] == .number(72_000))
        #expect((end["last_timestamp_ns"].number ?? 0) > 0)
        let streams = try await probe(
            "a.mkv", "stream=codec_name,nb_read_frames:format_tags=title,GRANT", in: workspace)
        let decisions = try Document(try await workspace.capturegate("status", "--json").output)["decisions"].elements
        let numbers = decisions.compactMap { $0["id"].number }.sorted().map { String(Int($0)) }
        #expect(numbers.count == 2)
        #expect(streams["format"]["tags"]["GRANT"].string == numbers.joined(separator: ", "))
        #expect(streams["streams"].elements.map { $0["codec_name"] } == [.string("mjpeg"), .string("flac")])
        #expect(streams["streams"].elements[0]["nb_read_frames"].string == end["tracks"].elements[0]["frames"].text)
    }

    @Test("whichever clock rules, the clip has its length to the sample", arguments: ["sound", "clock", "none"])
    func clocks(clock: String) async throws {
        let workspace = try Workspace()
        try await allow(workspace)
        let ending = try await workspace.capturegate(
            "record", "a.mkv", "--camera", "test:bars", "--microphone", "test:tone", "--for", "700ms", "--sync", clock,
            "--json")
        #expect(ending.code == 0)
        let end = try #require(try Document.lines(ending.output).last)
        let sound = end["ledger"]["tracks"].elements[1]
        #expect(end["tracks"].elements[1]["frames"] == .number(33_600))
        let parts = ["delivered", "filled", "corrected"].compactMap { sound[$0].number }
        #expect(parts.count == 3 && parts.reduce(0, +) == 33_600)
    }

    @Test("standard output gets the clip, and standard error the words")
    func standardOutput() async throws {
        let workspace = try Workspace()
        try await allow(workspace)
        let command = "'\(Executable.capturegate)' record - --microphone test:tone --format wav --for 1s --json >a.wav"
        let ending = try await workspace.run(["sh", "-c", command])
        #expect(ending.code == 0)
        #expect(try Document.lines(ending.errors).last?["event"] == .string("end"))
        let stream = try await probe("a.wav", "stream=codec_name", in: workspace)
        #expect(stream["streams"].elements.first?["codec_name"] == .string("pcm_s16le"))
    }

    @Test("nothing is kept where nothing is to be kept")
    func nothing() async throws {
        let workspace = try Workspace()
        try await allow(workspace)
        let ending = try await workspace.capturegate("record", "null:", "--camera", "test:bars", "--for", "500ms")
        #expect(ending.code == 0)
        #expect(workspace.names.filter { !$0.hasPrefix("stderr") } == ["state"])
    }

    @Test("a signal ends the recording with a valid file and 0", arguments: [SIGINT, SIGTERM, SIGHUP])
    func signals(signal: Int32) async throws {
        let workspace = try Workspace()
        try await allow(workspace)
        let recording = try workspace.start("record", "a.mkv", "--camera", "test:bars", "--for", "60s", "--json")
        _ = try await recording.waitForLine(containing: "\"event\":\"progress\"")
        recording.send(signal)
        let ending = try await recording.finish()
        #expect(ending.code == 0)
        let end = try #require(try Document.lines(ending.output).last)
        #expect(end["reason"] == .string("interrupt"))
        let stream = try await probe("a.mkv", "stream=nb_read_frames", in: workspace)
        #expect(stream["streams"].elements.first?["nb_read_frames"].string == end["tracks"].elements[0]["frames"].text)
    }

    @Test("revoking ends the recording with a valid file and 77")
    func revoked() async throws {
        let workspace = try Workspace()
        try await allow(workspace)
        let recording = try workspace.start("record", "a.wav", "--microphone", "test:tone", "--for", "60s", "--json")
        _ = try await recording.waitForLine(containing: "\"event\":\"progress\"")
        let revoked = try Document(try await workspace.capturegate("revoke", "microphone", "--json").output)
        let ending = try await recording.finish()
        #expect(ending.code == 77)
        #expect(ending.errors.lowercased().contains("revoked"))
        let end = try #require(try Document.lines(ending.output).last)
        #expect(end["reason"] == .string("revoked"))
        #expect(end["error"]["exit_code"] == .number(77))
        #expect((end["last_timestamp_ns"].number ?? 0) > 0 && (revoked["committed_ns"].number ?? 0) > 0)
        _ = try await probe("a.wav", "stream=codec_name", in: workspace)
    }

    @Test("once is used up by one recording")
    func once() async throws {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("grant", "microphone", "--once")
        let line = ["record", "null:", "--microphone", "test:tone", "--for", "100ms"]
        #expect(try await workspace.capturegate(line).code == 0)
        #expect(try await workspace.capturegate(line).code == 77)
    }

    @Test("what the device will not do is told, and refused where it is strict")
    func strict() async throws {
        let workspace = try Workspace()
        try await allow(workspace)
        let line = ["record", "a.wav", "--microphone", "test:tone", "--channels", "33", "--for", "100ms"]
        let lenient = try await workspace.capturegate(line)
        #expect(lenient.code == 0)
        #expect(lenient.output.contains("instead of 33 channels"))
        let strict = try await workspace.capturegate(line + ["--strict", "--force"])
        #expect(strict.code == 78)
        #expect(strict.errors.contains("instead of 33 channels"))
        // With what can be had.
        #expect(strict.errors.contains("\n  channels  1 to 8\n"), "\(strict.errors)")
        #expect(strict.errors.contains("\n    capturegate devices test:tone\n"), "\(strict.errors)")
    }
}

extension Document {
    /// A whole number as ffprobe writes it.
    fileprivate var text: String? { number.map { String(Int($0)) } }
}
