import Glibc
import Testing

/// With a microphone whose every sample is known, through the real libasound.
@Suite("clips of a microphone", .fewAtOnce)
struct PacedClipTests {
    private let workspace: Workspace

    init() async throws {
        workspace = try Workspace()
        try await workspace.allowAllDevices()
    }

    private func start(_ options: String...) throws -> ChildProcess {
        let sound = ["--microphone", "alsa:paced", "--rate", "48000", "--channels", "2", "--json"]
        return try workspace.paced(["record"] + options + sound)
    }

    /// The first name whose recording has ended.
    private func end(_ child: ChildProcess) async throws -> Document {
        let ending = try await child.finish()
        #expect(ending.code == 0, "\(ending.errors)")
        return try #require(try Document.lines(ending.output).last)
    }

    @Test("are as long as was asked for, and have every bit", arguments: ["a.wav", "a.flac", "a.mka"])
    func length(name: String) async throws {
        let end = try await end(start(name, "--for", "3s"))
        #expect(end["reason"] == .string("complete"))
        let sound = try await PacedRecording(of: name, in: workspace)
        #expect(sound.frames == 144_000 && sound.start == 0)
    }

    @Test("end with Ctrl-C, with 0 and every bit until then", arguments: ["a.wav", "a.flac", "a.mka"])
    func interrupt(name: String) async throws {
        let recording = try start(name)
        _ = try await recording.waitForLine(containing: "\"progress\"")
        recording.send(SIGINT)
        let end = try await end(recording)
        #expect(end["reason"] == .string("interrupt"))
        let sound = try await PacedRecording(of: name, in: workspace)
        #expect(sound.start == 0 && Double(sound.frames) == end["tracks"].elements.first?["frames"].number)
        #expect(!workspace.names.contains { $0.hasSuffix(".partial") })
    }

    @Test(
        "that are killed have lost a second at most of what they had, and play",
        arguments: ["a.wav", "a.flac", "a.mka"], [1, 2, 5])
    func kill(name: String, reports: Int) async throws {
        let recording = try start(name)
        var told = 0.0
        for _ in 0..<reports {
            let line = try await recording.waitForLine(containing: "\"progress\"")
            told = try #require(Document(line)["elapsed_ns"].number)
        }
        recording.send(SIGKILL)
        let ending = try await recording.finish()
        #expect(ending.code == -SIGKILL)
        let plays = try await workspace.run(["ffmpeg", "-v", "quiet", "-i", name + ".partial", "-f", "null", "-"])
        #expect(plays.code == 0)
        let recovered = try await workspace.capturegate("recover", name + ".partial")
        #expect(recovered.code == 0, "\(recovered.errors)")
        let sound = try await PacedRecording(of: name, in: workspace)
        #expect(sound.start == 0)
        // Reported frames are written, or wait in memory.
        told = try Document.lines(ending.output).compactMap { $0["elapsed_ns"].number }.last ?? told
        #expect(Double(sound.frames) / 48_000 >= told / 1e9 - 1, "\(sound.frames) of \(told) ns")
    }

    @Test("lose no sample where one file ends and the next begins", arguments: ["wav", "flac", "mka"])
    func segments(ending: String) async throws {
        let end = try await end(start("a." + ending, "--for", "2s", "--segment", "400ms"))
        let parts = end["segments"].elements.compactMap { $0["path"].string }
        #expect(parts == (1...5).map { "a-000\($0).\(ending)" })
        var frames = 0
        for part in parts {
            let sound = try await PacedRecording(of: part, in: workspace)
            let isNext = sound.isDevice(0..<sound.frames, from: frames)
            #expect(isNext, "\(part)")
            frames += sound.frames
        }
        #expect(frames == 96_000)
    }
}
