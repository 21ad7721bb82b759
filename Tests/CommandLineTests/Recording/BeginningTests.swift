import Glibc
import Testing

@Suite("the beginning of a recording", .fewAtOnce)
struct BeginningTests {
    /// A moment to come, as --start-at takes it, and seconds since 1970.
    private func moment(in seconds: Int) -> (text: String, seconds: Int) {
        var time = Glibc.time(nil) + seconds
        var parts = tm()
        localtime_r(&time, &parts)
        var text = [CChar](repeating: 0, count: 64)
        let count = strftime(&text, text.count, "%Y-%m-%dT%H:%M:%S", &parts)
        return (String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self), time)
    }

    @Test("comes at the moment that is said, not sooner")
    func startAt() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let moment = moment(in: 10)
        let recording = try workspace.start(
            "record", "a.mkv", "--camera", "test:bars", "--microphone", "test:tone", "--start-at",
            moment.text + ".250", "--for", "1s", "--json")
        let waiting = try Document(try await recording.waitForLine(containing: "waiting"))
        #expect(waiting["start_at_ns"] == .number(Double(moment.seconds * 1_000_000_000 + 250_000_000)))
        _ = try await recording.waitForLine(containing: #""event":"start""#)
        #expect(time(nil) >= moment.seconds)
        let ending = try await recording.finish()
        #expect(ending.code == 0)
        #expect(time(nil) >= moment.seconds + 1)
        let end = try #require(try Document.lines(ending.output).last)
        #expect(end["tracks"].elements.last?["frames"] == .number(48_000))
        #expect(try await workspace.samples("a.mkv", channels: 2) == 48_000)
    }

    @Test("a moment that is over is wrong usage")
    func over() async throws {
        let workspace = try Workspace()
        for moment in [
            "2020-01-01", "2026-02-31T10:00", "soon", "2190-01-01T10:00.5", "2190-01-01T10:00:00.", "18:00:00.1x",
        ] {
            let ending = try await workspace.capturegate(
                "record", "a.wav", "--microphone", "test:tone", "--start-at", moment)
            #expect(ending.code == 64)
        }
        #expect(!workspace.names.contains { $0.hasPrefix("a.") })
    }

    @Test("until it comes, Ctrl-C leaves nothing", arguments: [["--start-at", "2190-01-01"], ["--pre-roll", "5s"]])
    func interrupted(options: [String]) async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let recording = try workspace.start(
            ["record", "a.wav", "--microphone", "test:tone", "--json"] + options)
        _ = try await recording.waitForLine(containing: "waiting")
        recording.send(SIGINT)
        let ending = try await recording.finish()
        #expect(ending.code == 77)
        #expect(ending.errors.contains("No file was created"))
        #expect(!workspace.names.contains { $0.hasPrefix("a.") })
    }

    @Test(
        "a pre-roll of raw pictures that memory does not hold is refused, with what it needs",
        arguments: ["a.mkv --video-codec raw", "a.y4m", "a.mkv --tee a.y4m"])
    func tooLong(output: String) async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let words = output.split(separator: " ").map(String.init)
        let ending = try await workspace.capturegate(
            ["record"] + words + [
                "--camera", "test:bars", "--size", "1920x1080", "--pre-roll", "60s", "--for", "1s",
            ])
        #expect(ending.code == 64)
        #expect(ending.errors.contains("needs 7237 MiB"))
        #expect(ending.errors.contains("without --video-codec raw"))
        #expect(!workspace.names.contains { $0.hasPrefix("a.") })
    }

    @Test("a pre-roll of JPEG images is not, and the camera is told as it is")
    func long() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let recording = try workspace.start(
            "record", "a.mkv", "--camera", "test:bars", "--size", "1920x1080", "--pre-roll", "60s", "--for", "200ms",
            "--json")
        _ = try await recording.waitForLine(containing: "waiting")
        recording.send(SIGUSR1)
        let start = try Document(try await recording.waitForLine(containing: #""event":"start""#))
        #expect(start["tracks"].elements.first?["pixel_format"].string == "YUYV")
        #expect(try await recording.finish().code == 0)
        let stream = try await workspace.probe("a.mkv", "stream=codec_name")["streams"].elements.first
        #expect(stream?["codec_name"].string == "mjpeg")
    }

    @Test(
        "a pre-roll goes into each output, and the ledger says what is in it",
        arguments: [
            "--segment 500ms", "--tee b.mjpeg --tee b.flac", "--tee b.y4m", "--on-loss mark", "--video-codec raw",
            "--reattach=5s --max-size 10MB",
        ])
    func everywhere(options: String) async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let recording = try workspace.start(
            ["record", "a.mkv", "--camera", "test:bars", "--size", "320x240", "--microphone", "test:tone"]
                + ["--pre-roll", "2s", "--for", "1s", "--json"] + options.split(separator: " ").map(String.init))
        _ = try await recording.waitForLine(containing: "waiting")
        recording.send(SIGUSR1)
        let ending = try await recording.finish()
        #expect(ending.code == 0, "\(ending.errors)")
        let end = try #require(try Document.lines(ending.output).last)
        let parts = end["segments"].elements.compactMap { $0["path"].string }
        var frames = 0
        for name in parts.isEmpty ? ["a.mkv"] : parts {
            let streams = try await workspace.probe(name, "stream=nb_read_frames")["streams"].elements
            frames += try #require(streams.first?["nb_read_frames"].string.flatMap(Int.init))
        }
        #expect(end["tracks"].elements.first?["frames"] == .number(Double(frames)) && frames > 0)
        for name in ["b.mjpeg", "b.y4m"] where workspace.names.contains(name) {
            let streams = try await workspace.probe(name, "stream=nb_read_frames")["streams"].elements
            let tee = end["tees"].elements.first?["ledger"]["tracks"].elements.first
            let written = [tee?["delivered"], tee?["filled"]].compactMap { $0?.number }.reduce(0, +)
            #expect(streams.first?["nb_read_frames"].string == "\(Int(written))")
        }
    }

    @Test("a permission that is revoked ends a pre-roll, and leaves nothing")
    func revoked() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let recording = try workspace.start(
            "record", "a.mkv", "--camera", "test:bars", "--microphone", "test:tone", "--pre-roll", "5s", "--json")
        _ = try await recording.waitForLine(containing: "waiting")
        #expect(try await workspace.capturegate("revoke", "microphone").code == 0)
        let ending = try await recording.finish()
        #expect(ending.code == 77)
        #expect(ending.errors.lowercased().contains("revoked"))
        #expect(!workspace.names.contains { $0.hasPrefix("a.") })
    }

    @Test("a pre-roll is captured, and is told to be, from the opening of the device")
    func preRoll() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let moment = moment(in: 10)
        let ending = try await workspace.capturegate(
            "record", "a.mkv", "--camera", "test:bars", "--microphone", "test:tone", "--start-at", moment.text,
            "--pre-roll", "1s", "--for", "1500ms", "--json")
        #expect(ending.code == 0)
        #expect(time(nil) >= moment.seconds)
        let events = try Document.lines(ending.output)
        #expect(events.compactMap { $0["pre_roll_ns"].number }.last == 1e9)
        let end = try #require(events.last)
        #expect(end["tracks"].elements.last?["frames"] == .number(72_000))
        let streams = try await workspace.probe("a.mkv", "stream=nb_read_frames")["streams"].elements
        #expect(
            streams.first?["nb_read_frames"].string
                == end["tracks"].elements.first?["frames"].number.map { "\(Int($0))" })
        let first = try await workspace.probe("a.mkv", "packet=flags")["packets"].elements.first
        #expect(first?["flags"].string?.contains("K") == true)
    }

    @Test(
        "a pre-roll of a microphone has every sample, with no gap to what is recorded after it",
        arguments: ["wav", "flac"])
    func samples(ending: String) async throws {
        let workspace = try Workspace()
        #expect(try await workspace.capturegate("grant", "microphone", "--always").code == 0)
        let name = "a." + ending
        let recorded = try await workspace.paced([
            "record", name, "--microphone", "alsa:paced", "--rate", "48000", "--channels", "2", "--start-at",
            moment(in: 6).text, "--pre-roll", "2s", "--for", "3s", "--json",
        ]).finish()
        #expect(recorded.code == 0, "\(recorded.errors)")
        let sound = try await PacedRecording(of: name, in: workspace)
        let start = try #require(sound.start)
        // A machine that took too long to open the microphone has no more than all there is since.
        let isShort = recorded.output.contains("The pre-roll is")
        #expect(sound.frames == 144_000 && (start == 0) == isShort)
    }

    @Test("SIGUSR1 begins the clip; what there is of the pre-roll is in it")
    func signal() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let recording = try workspace.start(
            "record", "a.wav", "--microphone", "test:tone", "--pre-roll", "60s", "--for", "800ms", "--json")
        _ = try await recording.waitForLine(containing: "waiting")
        recording.send(SIGUSR1)
        let start = try Document(try await recording.waitForLine(containing: #""event":"start""#))
        #expect(start["differences"].elements.first?.string?.contains("The pre-roll is") == true)
        #expect(try await recording.finish().code == 0)
        #expect(try await workspace.samples("a.wav", channels: 2) == 38_400)
    }

    @Test("so does Enter at the terminal")
    func enter() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let terminal = try PseudoTerminal()
        let recording = try workspace.start(
            "record", "a.wav", "--microphone", "test:tone", "--pre-roll", "1s", "--for", "500ms", terminal: terminal)
        _ = try await recording.waitForLine(containing: "Keeping the last 1.0 s")
        terminal.type("\n")
        #expect(try await recording.finish().code == 0)
        #expect(try await workspace.samples("a.wav", channels: 2) == 24_000)
    }

    /// A clip that begins two seconds before the moment.
    private func before(_ options: String, in workspace: Workspace) async throws -> Document {
        try await workspace.allowTestDevices()
        let ending = try await workspace.capturegate(
            ["record", "a.mkv", "--camera", "test:bars", "--size", "320x240", "--microphone", "test:tone"]
                + ["--start-at", moment(in: 6).text, "--pre-roll", "2s", "--json"]
                + options.split(separator: " ").map(String.init))
        #expect(ending.code == 0, "\(ending.errors)")
        return try #require(try Document.lines(ending.output).last)
    }

    private func lost(_ ledger: Document) -> Double? { ledger["tracks"].elements.first?["lost"]["encoder"].number }

    @Test("what was held stands in the file in the order of time, sound beside its pictures")
    func interleaved() async throws {
        let workspace = try Workspace()
        let end = try await before("--for 3s", in: workspace)
        let packets = try await workspace.probe("a.mkv", "packet=pts_time,codec_type")["packets"].elements
        let pictures = packets.count { $0["codec_type"].string == "video" }
        #expect(end["tracks"].elements.first?["frames"] == .number(Double(pictures)) && pictures > 0)
        let times = packets.compactMap { $0["pts_time"].string.flatMap(Double.init) }
        let behind = zip(times, times.dropFirst()).map { $0 - $1 }.max() ?? 0
        #expect(times.count == packets.count && behind < 0.25, "\(behind)")
    }

    @Test("what was held is not too fast for an output on a queue of its own, and not for one in parts")
    func throttled() async throws {
        let workspace = try Workspace()
        // Over before the moment: a slow machine may drop later frames.
        let end = try await before("--for 1s --tee b.mkv --tee c.flac", in: workspace)
        #expect(lost(end["ledger"]) == 0)
        #expect(end["tees"].elements.map { lost($0["ledger"]) }.first == 0)
        let parted = try Workspace()
        let parts = try await before("--for 3s --segment 100ms", in: parted)
        var frames = 0
        for part in parts["segments"].elements {
            let name = try #require(part["path"].string)
            let streams = try await parted.probe(name, "stream=nb_read_frames")["streams"].elements
            frames += streams.first?["nb_read_frames"].string.flatMap(Int.init) ?? 0
        }
        #expect(frames > 0 && parts["tracks"].elements.first?["frames"] == .number(Double(frames)))
    }

    @Test("a clip that is over before its first picture is none", arguments: ["--for 1ms", "--fps 1 --for 20ms"])
    func frameless(options: String) async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let ending = try await workspace.capturegate(
            ["record", "a.mkv", "--camera", "test:bars", "--microphone", "none"]
                + options.split(separator: " ").map(String.init))
        #expect(ending.code == 64)
        #expect(ending.errors.contains("No file was created"))
        #expect(!workspace.names.contains { $0.hasPrefix("a.") })
    }
}
