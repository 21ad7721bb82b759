import Glibc
import Testing

@Suite("pauses, chapters and tags", .fewAtOnce)
struct PauseTests {
    @Test(
        "SIGUSR2 pauses and resumes: the clip goes on without a hole, sound and picture together, and its ledger tells")
    func pause() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let recording = try workspace.start(
            "record", "a.mkv", "--camera", "test:bars", "--size", "160x120", "--video-codec", "raw", "--microphone",
            "test:tone",
            "--for", "2s", "--json")
        _ = try await recording.waitForLine(containing: #""event":"start""#)
        recording.send(SIGUSR2)
        _ = try await recording.waitForLine(containing: #""event":"pause""#)
        recording.send(SIGUSR2)
        _ = try await recording.waitForLine(containing: #""event":"resume""#)
        let ending = try await recording.finish()
        #expect(ending.code == 0, "\(ending.errors)")
        let end = try #require(try Document.lines(ending.output).last)
        // Where the pause begins and ends decides how times are rounded.
        let duration = try #require(end["duration_ns"].number)
        #expect(abs(duration - 2e9) < 100)
        #expect(end["ledger"]["pauses"].elements.count == 1)
        for track in end["ledger"]["tracks"].elements {
            #expect(track["asked"].number == track["delivered"].number, "\(track)")
        }
        #expect(try await workspace.samples("a.mkv", channels: 2) == 96_000)
        let packets = try await workspace.probe("a.mkv", "packet=codec_type,pts_time")["packets"].elements
        let times = packets.filter { $0["codec_type"] == .string("video") }
            .compactMap { $0["pts_time"].string.flatMap(Double.init) }
        #expect(times.count == 60)
        for (earlier, later) in zip(times, times.dropFirst()) { #expect(abs(later - earlier - 1.0 / 30) < 0.02) }
    }

    @Test("keys at a terminal pause, set chapters by their titles, and end the clip; the terminal is as it was before")
    func keys() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let terminal = try PseudoTerminal()
        let before = terminal.mode
        let words = "record a.mkv --camera test:bars --chapter Opening --tag ARTIST=Ann --tag artist=Bob"
        let child = try ChildProcess(
            ["sh", "-c", "exec '\(Executable.capturegate)' \(words) 2>/dev/tty"], in: workspace, terminal: terminal.path
        )
        try await terminal.wait(for: "m adds a chapter")
        // Keys before are dropped, as those at a question are.
        while terminal.mode == before { try await Task.sleep(for: .milliseconds(5)) }
        let answers = [("m", "Opening"), (" ", "paused"), ("m", "Chapter 2"), (" ", "resumed")]
        for (key, answer) in answers {
            terminal.type(key)
            try await terminal.wait(for: answer)
            guard key == " " else { continue }
            // A clip has a pause only if frames come in it and after it.
            let rows = Self.rows(on: terminal.screen)
            try await terminal.wait { Self.rows(on: $0) > rows + 1 }
        }
        terminal.type("q")
        try await terminal.drain()
        let ending = try await child.finish()
        #expect(ending.code == 0 && ending.output.contains("1 pause"), "\(ending)")
        #expect(terminal.mode == before)
        let found = try await workspace.probe("a.mkv", "chapter_tags=title:format_tags=ARTIST")
        #expect(
            found["chapters"].elements.map { $0["tags"]["title"] } == ["Opening", "Chapter 2"].map(Document.string))
        #expect(found["format"]["tags"]["ARTIST"] == .string("Bob"))
    }

    private static func rows(on screen: String) -> Int { screen.split(separator: " s  lost").count }

    @Test("a pre-roll shows the level before the clip, Enter begins it, and q ends it")
    func preRoll() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let terminal = try PseudoTerminal()
        let words = "record a.wav --microphone test:tone --pre-roll 200ms"
        let child = try ChildProcess(
            ["sh", "-c", "exec '\(Executable.capturegate)' \(words) 2>/dev/tty"], in: workspace, terminal: terminal.path
        )
        try await terminal.wait(for: ". waiting  ")
        try await terminal.wait(for: "dBFS")
        #expect(!terminal.screen.contains("Recording audio"))
        terminal.type("\n")
        try await terminal.wait(for: "Recording audio")
        try await terminal.wait(for: "lost 0")
        terminal.type("q")
        try await terminal.drain()
        let ending = try await child.finish()
        #expect(ending.code == 0 && ending.output.contains("stopped"), "\(ending)")
    }

    @Test("segments are named by the moment at which they begin, and the oldest make way for new ones")
    func segments() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let ending = try await workspace.capturegate(
            "record", "a-%Y%m%d.flac", "--microphone", "test:tone", "--segment", "300ms", "--keep", "2", "--for",
            "1500ms",
            "--json")
        #expect(ending.code == 0, "\(ending.errors)")
        let end = try #require(try Document.lines(ending.output).last)
        let kept = end["segments"].elements.compactMap { $0["path"].string }
        #expect(kept.count == 2 && kept.allSatisfy { $0.hasPrefix("a-20") })
        #expect(workspace.names.filter { $0.hasPrefix("a-") }.sorted() == kept.sorted())
        for name in kept { #expect(try await workspace.samples(name, channels: 2) == 14_400) }
    }

    @Test(
        "mistakes are told before anybody is asked",
        arguments: [
            (["a.flac", "--keep", "2"], "--segment"), (["a-%Q.flac", "--segment", "1s"], "%Q"),
            (["a.flac", "--segment", "1s", "--keep", "0"], "--keep"), (["a.flac", "--tag", "GRANT=1"], "NAME=text"),
            (["a.flac", "--tag", "x"], "NAME=text"), (["a.flac", "--buffer", "5"], "64M"),
        ])
    func mistakes(words: [String], hint: String) async throws {
        let workspace = try Workspace()
        let ending = try await workspace.capturegate(["record", "--microphone", "test:tone"] + words)
        #expect(ending.code == 64 && ending.errors.contains(hint), "\(ending)")
    }
}
