import Testing

/// With the microphones of `Tests/PacedPCM` that overrun by 200 ms or sleep for as long after half a second.
@Suite("what is lost", .fewAtOnce)
struct LossTests {
    private func record(
        _ options: String, from pcm: String = "paced_stall", in workspace: Workspace
    ) async throws -> (Int32, [Document]) {
        #expect(try await workspace.capturegate("grant", "microphone", "--always").code == 0)
        let ending = try await workspace.paced(
            ["record", "a.mkv", "--microphone", "alsa:\(pcm)", "--rate", "48000", "--channels", "2", "--for", "2s"]
                + ["--json", "--on-loss"] + options.split(separator: " ").map(String.init)
        ).finish()
        return (ending.code, try Document.lines(ending.output))
    }

    @Test("is filled, and counted")
    func fill() async throws {
        let workspace = try Workspace()
        let (code, events) = try await record("fill", in: workspace)
        #expect(code == 0)
        #expect(!events.contains { $0["event"] == .string("loss") })
        let track = try #require(events.last?["ledger"]["tracks"].elements.first)
        #expect((track["lost"]["xrun"].number ?? 0) > 0 && track["marks"] == .null)
        #expect(try await workspace.samples("a.mkv", channels: 2) == 96_000)
    }

    @Test("in a sleep is silence in the file, with every bit around it, and no xrun's")
    func sleep() async throws {
        let workspace = try Workspace()
        let (code, events) = try await record("fill", from: "paced_sleep", in: workspace)
        #expect(code == 0)
        let track = try #require(events.last?["ledger"]["tracks"].elements.first)
        let lost = Int(try #require(track["lost"]["suspend"].number))
        #expect(lost >= 9600 - 4800 && track["filled"] == .number(Double(lost)))
        #expect(track["lost"]["xrun"] == .number(0) && track["xruns"] == .number(0))
        let sound = try await PacedRecording(of: "a.mkv", in: workspace)
        #expect(sound.frames == 96_000)
        #expect(sound.isDevice(0..<24_000, from: 0))
        // A program that is held up while it wakes the device takes the first frames after the sleep for older ones.
        let start = try #require((24_000...24_480).first { sound.isSilent($0..<$0 + lost) })
        // The clock tells the length of the sleep within a period.
        let numbers = (start + lost - 4800)...(start + lost + 4800)
        #expect(numbers.contains { sound.isDevice(start + lost..<96_000, from: $0) })
    }

    @Test("is told, and becomes a chapter")
    func mark() async throws {
        let workspace = try Workspace()
        let (code, events) = try await record("mark", in: workspace)
        #expect(code == 0)
        let told = events.filter { $0["event"] == .string("loss") }
        let track = try #require(events.last?["ledger"]["tracks"].elements.first)
        let marks = track["marks"].elements
        #expect(!marks.isEmpty && marks.map { $0["at_ns"] } == told.map { $0["at_ns"] })
        let lost = ["xrun", "ring"].compactMap { track["lost"][$0].number }.reduce(0, +)
        #expect(marks.compactMap { $0["frames"].number }.reduce(0, +) == lost)
        let chapters = try await workspace.run(["ffprobe", "-v", "error", "-show_chapters", "-of", "json", "a.mkv"])
        let found = try Document(chapters.output)["chapters"].elements
        #expect(found.map { $0["start"] } == marks.map { $0["at_ns"] })
        #expect(found.first?["tags"]["title"].string?.hasSuffix("samples lost: ALSA paced_stall") == true)
        #expect(try await workspace.samples("a.mkv", channels: 2) == 96_000)
        #expect(try await workspace.run(["mkvinfo", "-v", "a.mkv"]).code == 0)
    }

    @Test("ends the clip before the hole, where it is to")
    func fail() async throws {
        let workspace = try Workspace()
        let (code, events) = try await record("fail", in: workspace)
        #expect(code == 74)
        let end = try #require(events.last)
        #expect(end["reason"] == .string("loss"))
        #expect(end["error"]["message"].string?.contains("has lost") == true)
        let track = try #require(end["ledger"]["tracks"].elements.first)
        let lost = ["xrun", "ring"].compactMap { track["lost"][$0].number }.reduce(0, +)
        #expect(track["filled"] == .number(0) && lost > 0)
        let frames = try #require(end["tracks"].elements.first?["frames"].number)
        #expect(frames < 96_000)
        #expect(try await workspace.samples("a.mkv", channels: 2) == Int(frames))
    }
}
