import Glibc
import Testing

/// With a microphone of `Tests/PacedPCM` that is unplugged after half a second, and does not come back.
@Suite("a device that is away when the clip ends", .fewAtOnce)
struct AbsenceTests {
    private static let microphone = "alsa:paced_with:VANISH_AFTER=24000,COMES_BACK=0"
    /// Unplugged after two seconds: what begins to record beside it may be as late as that.
    private static let later = "alsa:paced_with:VANISH_AFTER=96000,COMES_BACK=0"
    private static let hangingAgain = "alsa:paced_with:VANISH_AFTER=24000,OPEN_HANGS=2"

    private func start(
        _ options: String, in workspace: Workspace, microphone: String = Self.microphone
    ) throws -> ChildProcess {
        try workspace.paced(arguments(options, microphone))
    }

    private func arguments(_ options: String, _ microphone: String) -> [String] {
        ["record"] + options.split(separator: " ").map(String.init)
            + ["--microphone", microphone, "--rate", "48000", "--channels", "2", "--json"]
    }

    private func record(
        _ options: String, in workspace: Workspace, microphone: String = Self.microphone
    ) async throws -> Ending {
        try await start(options, in: workspace, microphone: microphone).finish()
    }

    private func workspace() async throws -> Workspace {
        let workspace = try Workspace()
        try await workspace.allowAllDevices()
        return workspace
    }

    private func sound(_ end: Document?) throws -> Document {
        try #require(end?["ledger"]["tracks"].elements.first { $0["kind"] == .string("audio") })
    }

    @Test(
        "has missed the rest of it, which is silence and counts as lost; the clip is complete",
        arguments: [
            ("a.wav", "a.wav --reattach=1h"), ("a.wav", "--reattach a.wav"),
            ("a.mkv", "a.mkv --camera test:bars --reattach --size 320x240"),
        ])
    func complete(name: String, options: String) async throws {
        let workspace = try await workspace()
        let ending = try await record(options + " --for 4s", in: workspace, microphone: Self.later)
        #expect(ending.code == 0, "\(ending.errors)")
        let end = try Document.lines(ending.output).last
        #expect(end?["reason"] == .string("complete"))
        let track = try sound(end)
        let lost = try #require(track["lost"]["device"].number)
        // What waits to be read when it is unplugged is lost as well, and a camera that is late has the clip begin late.
        #expect((96_000..<192_000).contains(lost))
        #expect(track["filled"] == .number(lost))
        #expect(track["delivered"].number.map { $0 + lost } == track["asked"].number)
        let samples = try await workspace.samples(name, channels: 2)
        #expect(samples == 192_000)
    }

    @Test("marks the rest of it, where losses are marked")
    func marked() async throws {
        let workspace = try await workspace()
        let ending = try await record("a.mkv --camera none --for 2s --reattach=1h --on-loss mark", in: workspace)
        #expect(ending.code == 0, "\(ending.errors)")
        let track = try sound(try Document.lines(ending.output).last)
        #expect(track["marks"].elements.count == 1)
        #expect(track["marks"].elements.first?["frames"] == track["lost"]["device"])
    }

    @Test("ends it at the hole, where losses end it")
    func failed() async throws {
        let workspace = try await workspace()
        let ending = try await record("a.mkv --camera none --for 2s --reattach=1h --on-loss fail", in: workspace)
        #expect(ending.code == 74)
        let end = try Document.lines(ending.output).last
        #expect(end?["reason"] == .string("loss"))
        #expect(try sound(end)["filled"] == .number(0))
    }

    @Test("is waited for no longer than was said, also where the clip was to be longer")
    func impatient() async throws {
        let workspace = try await workspace()
        let ending = try await record("a.wav --camera none --for 1h --reattach=500ms", in: workspace)
        #expect(ending.code == 69)
        #expect(try Document.lines(ending.output).last?["reason"] == .string("device_gone"))
    }

    @Test("is not waited for where the time can't be read")
    func misspelled() async throws {
        let ending = try await record("a.wav --camera none --reattach=soon", in: workspace())
        #expect(ending.code == 64)
        #expect(ending.errors.contains("a time such as"), "\(ending.errors)")
    }

    @Test(
        "leaves silence up to the last picture, where the clip is ended by hand; also while its opening does not return",
        arguments: [microphone, hangingAgain])
    func interrupted(microphone: String) async throws {
        let workspace = try await workspace()
        let ending = try await interrupted(Self.beside, in: workspace, microphone: microphone)
        #expect(ending.code == 0, "\(ending.errors)")
        let tracks = try #require(Document.lines(ending.output).last)["ledger"]["tracks"].elements
        let ends = tracks.compactMap { $0["last_ns"].number }
        #expect(ends.count == 2)
        // A frame lasts for a while after its moment.
        #expect(ends.allSatisfy { abs($0 - ends[0]) < 50e6 }, "\(ends)")
        #expect(try await workspace.samples("a.mkv", channels: 2) > 72_000)
    }

    @Test("ends it as a loss where losses end it, also by hand")
    func interruptedByLoss() async throws {
        let workspace = try await workspace()
        let ending = try await interrupted(Self.beside + " --on-loss fail", in: workspace, microphone: Self.microphone)
        #expect(ending.code == 74, "\(ending.errors)")
        let end = try Document.lines(ending.output).last
        #expect(end?["reason"] == .string("loss"))
        #expect(try sound(end)["lost"]["device"].number ?? 0 > 0)
    }

    private static let beside = "a.mkv --camera test:bars --size 320x240 --reattach=1h"

    /// Records with a camera, unplugs the microphone once both record, and ends the recording a second later.
    private func interrupted(_ options: String, in workspace: Workspace, microphone: String) async throws -> Ending {
        let recording = try workspace.paced(arguments(options, microphone), vanishingWith: workspace.file("unplug"))
        let unplugged = try await elapsed(0.5e9, in: recording)
        try workspace.write("", to: "unplug")
        _ = try await elapsed(unplugged + 1e9, in: recording)
        recording.send(SIGINT)
        return try await recording.finish()
    }

    /// Waits for a length of the clip, and returns the length that it has then; nanoseconds.
    private func elapsed(_ least: Double, in recording: ChildProcess) async throws -> Double {
        while true {
            let line = try await recording.waitForLine(containing: "\"progress\"")
            if let elapsed = try Document(line)["elapsed_ns"].number, elapsed >= least { return elapsed }
        }
    }

    @Test("has stalled where it comes back and its opening does not return; the pictures go on until then")
    func hanging() async throws {
        let workspace = try await workspace()
        let recording = try start(
            "a.mkv --camera test:bars --size 320x240 --reattach=1h", in: workspace, microphone: Self.hangingAgain)
        let ending = try await recording.finish()
        #expect(ending.code == 69)
        #expect(ending.errors.contains("did not answer within 10 s"), "\(ending.errors)")
        let end = try Document.lines(ending.output).last
        #expect(end?["reason"] == .string("stalled"))
        let pictures = end?["ledger"]["tracks"].elements.first { $0["kind"] == .string("video") }
        #expect(pictures?["last_ns"].number ?? 0 > 10e9)
    }

    @Test("does not keep another one from coming back")
    func other() async throws {
        let workspace = try await workspace()
        let options = "a.mkv --camera none --for 3s --reattach=1h --sync none --microphone \(Self.microphone)"
        let recording = try start(options, in: workspace, microphone: "alsa:paced_vanish")
        let ending = try await recording.finish()
        #expect(ending.code == 0, "\(ending.errors)")
        let tracks = try #require(Document.lines(ending.output).last)["ledger"]["tracks"].elements
        let delivered = tracks.compactMap { $0["delivered"].number }
        #expect(delivered.count == 2)
        // Each return brings half a second more.
        #expect(delivered.max() ?? 0 > 40_000, "\(delivered)")
        #expect(delivered.min() ?? 0 <= 24_000, "\(delivered)")
    }
}
