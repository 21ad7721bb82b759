import FoundationEssentials
import Testing

/// With the microphone of `Tests/PacedPCM` that overruns by 200 ms after half a second.
@Suite("what is lost")
struct LossTests {
    private func record(_ options: String, in workspace: Workspace) async throws -> (Int32, [Document]) {
        #expect(try await workspace.capturegate("grant", "microphone", "--always").code == 0)
        let configuration = try #require(ProcessInfo.processInfo.environment["ALSA_CONFIG_PATH"])
        let ending = try await workspace.run(
            ["env", "ALSA_CONFIG_PATH=\(configuration)", Executable.capturegate, "record", "a.mkv", "--microphone"]
                + ["alsa:paced_stall", "--rate", "48000", "--channels", "2", "--for", "2s", "--json", "--on-loss"]
                + options.split(separator: " ").map(String.init))
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
