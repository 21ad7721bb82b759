import Glibc
import Testing

@Suite("the files of a recording")
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
        #expect(words.output.contains("as large as it may be"))
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

extension Document {
    fileprivate func without(_ name: String) -> Document {
        guard case .object(var members) = self else { return self }
        members[name] = nil
        return .object(members)
    }
}
