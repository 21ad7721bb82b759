import Glibc
import Testing

@Suite("the files of a recording", .fewAtOnce)
struct FilesTests {
    @Test("a recording goes into a file each so often, and no sample is missing between them")
    func segments() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let ending = try await workspace.capturegate(
            "record", "a.mkv", "--camera", "test:bars", "--microphone", "test:tone", "--channels", "1", "--for",
            "1500ms", "--segment", "400ms", "--json")
        #expect(ending.code == 0)
        let names = (1...4).map { "a-000\($0).mkv" }
        #expect(workspace.names.filter { $0.hasPrefix("a") } == names)
        let events = try Document.lines(ending.output)
        let told = events.filter { $0["event"] == .string("segment") }
        #expect(told.map { $0["path"] } == names.map { .string($0) })
        let end = try #require(events.last)
        #expect(end["segments"].elements == told.map { $0.without("event") })
        #expect(end["tracks"].elements[1]["frames"] == .number(72_000))
        var (samples, pictures) = (0, 0)
        for name in names {
            samples += try await workspace.samples(name, channels: 1)
            let streams = try await workspace.probe(name, "stream=nb_read_frames")["streams"].elements
            pictures += Int(streams[0]["nb_read_frames"].string ?? "") ?? 0
        }
        #expect(samples == 72_000)
        #expect(Double(pictures) == end["tracks"].elements[0]["frames"].number)
    }

    @Test("people are told of each file")
    func words() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let ending = try await workspace.capturegate(
            "record", "a.wav", "--microphone", "test:tone", "--for", "1s", "--segment", "500ms")
        #expect(ending.code == 0)
        #expect(ending.output.contains("a-0001.wav: 0.5 s"))
        #expect(ending.output.contains("a-0001.wav to a-0002.wav (2 files): 1.0 s"))
    }

    @Test("a segment that exists already is told before anybody is asked")
    func existing() async throws {
        let workspace = try Workspace()
        try workspace.write("x", to: "a-0002.wav")
        let line = ["record", "a.wav", "--microphone", "test:tone", "--for", "1s", "--segment", "500ms"]
        let ending = try await workspace.capturegate(line)
        #expect(ending.code == 73)
        #expect(ending.errors.contains("a-0002.wav exists already"))
        #expect(try workspace.text("a-0002.wav") == "x")
    }

    @Test("so is a part of a recording that was interrupted, even with --force")
    func interrupted() async throws {
        let workspace = try Workspace()
        try workspace.write("x", to: "a-0003.wav.partial")
        let line = ["record", "a.wav", "--microphone", "test:tone", "--segment", "500ms", "--force"]
        let ending = try await workspace.capturegate(line)
        #expect(ending.code == 73)
        #expect(ending.errors.contains("capturegate recover 'a-0003.wav.partial'"))
        #expect(workspace.names.filter { $0.hasPrefix("a-") } == ["a-0003.wav.partial"])
        #expect(try workspace.text("a-0003.wav.partial") == "x")
    }

    @Test("names that are like a part's and are none are in nobody's way")
    func others() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let others = [
            "a-2.wav", "a-0000.wav", "a-00002.wav", "a-000x.wav", "b-0002.wav", "a-0002.wave", "a-0002.wav.txt",
        ]
        for name in others { try workspace.write("x", to: name) }
        let ending = try await workspace.capturegate(
            "record", "a.wav", "--microphone", "test:tone", "--for", "600ms", "--segment", "500ms")
        #expect(ending.code == 0)
        for name in others { #expect(try workspace.text(name) == "x") }
    }

    @Test(
        "one whose name is taken while it is recorded ends it with 73; what is there stays, and so do the parts before")
    func taken() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let child = try workspace.start("record", "a.wav", "--microphone", "test:tone", "--segment", "300ms", "--json")
        _ = try await child.waitForLine(containing: "start")
        // While it is stopped, the last part that it has opened is known.
        child.send(SIGSTOP)
        try await offPool {
            var status: Int32 = 0
            guard waitpid(child.id, &status, WUNTRACED) == child.id else { throw Failure("it did not stop") }
        }
        let last = try #require(
            workspace.names.filter { $0.hasPrefix("a-") }.compactMap { Int($0.filter(\.isNumber)) }.max())
        let next = "a-\(String(last + 10_001).dropFirst()).wav"
        try workspace.write("x", to: next)
        child.send(SIGCONT)
        let ending = try await child.finish()
        #expect(ending.code == 73)
        #expect(ending.errors.contains(next))
        #expect(try workspace.text(next) == "x")
        #expect(try await workspace.samples("a-0001.wav", channels: 2) > 0)
    }

    @Test("a recording ends before its file is too large, with 0 and a valid file")
    func maxSize() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let line = ["record", "a.wav", "--microphone", "test:tone", "--max-size", "200K"]
        let ending = try await workspace.capturegate(line + ["--json"])
        #expect(ending.code == 0)
        let end = try #require(try Document.lines(ending.output).last)
        #expect(end["reason"] == .string("max_size"))
        #expect(workspace.size("a.wav") <= 200_000 && workspace.size("a.wav") > 150_000)
        let frames = try #require(end["tracks"].elements[0]["frames"].number)
        let streams = try await workspace.probe("a.wav", "stream=duration_ts")["streams"].elements
        #expect(streams[0]["duration_ts"] == .number(frames))
        let words = try await workspace.capturegate(line + ["--force"])
        #expect(words.code == 0)
        #expect(words.output.contains("maximum size reached"))
    }

    @Test(
        "a size that the first picture has no room in is refused, in several files too",
        arguments: [[], ["--segment", "1m"]])
    func tooSmallForAPicture(segments: [String]) async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let line = [
            "record", "a.y4m", "--camera", "test:bars", "--size", "640x480", "--max-size", "100K", "--for", "1s",
        ]
        let ending = try await workspace.capturegate(line + segments)
        #expect(ending.code == 64)
        #expect(ending.errors.contains("too small for the first frame"))
        #expect(!workspace.names.contains { $0.hasPrefix("a") })
    }

    @Test(
        "sizes and segments out of range are wrong usage",
        arguments: ["--max-size 99K", "--max-size big", "--segment 0s"])
    func usage(option: String) async throws {
        let workspace = try Workspace()
        let words = option.split(separator: " ").map(String.init)
        let ending = try await workspace.capturegate(["record", "a.wav", "--microphone", "test:tone"] + words)
        #expect(ending.code == 64)
        let piped = try await workspace.capturegate(
            "record", "-", "--format", "wav", "--microphone", "test:tone", "--segment", "1s")
        #expect(piped.code == 64)
    }
}
