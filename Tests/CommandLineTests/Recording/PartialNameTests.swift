import Glibc
import Testing

@Suite("what others do to partial files", .fewAtOnce)
struct PartialNameTests {
    private static let sound = ["--microphone", "test:tone", "--for", "500ms"]
    private static let picture = ["--camera", "test:bars", "--settle", "0"]

    @Test(
        "a pipe under a partial name is refused with 73, and nothing waits for its reader",
        .timeLimit(.minutes(10)),
        arguments: [
            (["record", "a.wav"] + sound, "a.wav.partial"),
            (["record", "a.wav", "--force"] + sound, "a.wav.partial"),
            (["record", "b.wav", "--tee", "a.flac"] + sound, "a.flac.partial"),
            (["record", "a.wav", "--segment", "200ms"] + sound, "a-0002.wav.partial"),
            (["snapshot", "a.png"] + picture, "a.png.partial"),
            (["snapshot", "a.png", "--force"] + picture, "a.png.partial"),
            (["snapshot", "a.png", "--count", "2"] + picture, "a-2.png.partial"),
            (["recover", "source.raw", "--to", "a.raw"], "a.raw.recovering"),
        ])
    func pipe(line: [String], partial: String) async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        try workspace.write("sound", to: "source.raw")
        #expect(mkfifo(workspace.file(partial), 0o666) == 0)
        let ending = try await workspace.capturegate(line)
        #expect(ending.code == 73)
        #expect(ending.errors.contains("\(partial) is a pipe"))
        let kind = try await workspace.run(["stat", "-c", "%F", partial])
        #expect(kind.output == "fifo\n")
        #expect(!workspace.names.contains { $0.hasPrefix("b.wav") || $0 == "a.wav" || $0 == "a-0001.wav" })
    }

    @Test("--force replaces no link that leads to standard output, also where that is a file")
    func standardOutput() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let line = "ln -s /proc/self/fd/1 out.wav; '\(Executable.capturegate)' record out.wav --force "
        let ending = try await workspace.run([
            "sh", "-c", line + Self.sound.joined(separator: " ") + " > words; echo $?; readlink out.wav",
        ])
        #expect(ending.output == "64\n/proc/self/fd/1\n")
        #expect(!workspace.names.contains("out.wav.partial"))
    }

    @Test(
        "one that is cut, or removed, ends its recording with 74 and a sentence, as it is",
        arguments: ["truncate -s 0", "truncate -s 100", "rm"])
    func cut(command: String) async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let child = try workspace.start(
            "record", "a.mkv", "--microphone", "test:tone", "--camera", "test:bars", "--size", "160x120", "--json")
        _ = try await child.waitForLine(containing: "\"progress\"")
        #expect(try await workspace.run(["sh", "-c", "\(command) a.mkv.partial"]).code == 0)
        // Nobody stops it.
        let ending = try await child.finish()
        #expect(ending.code == 74)
        #expect(ending.errors.contains(command == "rm" ? "was removed during" : "was cut to"))
        #expect(workspace.names.filter { $0.hasPrefix("a.mkv") } == (command == "rm" ? [] : ["a.mkv.partial"]))
    }

    @Test("one of several that is cut is told of, and the others are whole")
    func tee() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let child = try workspace.start(
            "record", "a.wav", "--tee", "b.flac", "--microphone", "test:tone", "--for", "3s", "--json")
        _ = try await child.waitForLine(containing: "\"progress\"")
        #expect(try await workspace.run(["truncate", "-s", "0", "b.flac.partial"]).code == 0)
        let ending = try await child.finish()
        #expect(ending.code == 74)
        let events = try Document.lines(ending.output)
        #expect(events.filter { $0["event"] == .string("output_failed") }.map { $0["path"] } == [.string("b.flac")])
        #expect(events.last?["tees"].elements.first?["end"] == .string("failure"))
        #expect(try await workspace.samples("a.wav", channels: 2) == 144_000)
        #expect(!workspace.names.contains("b.flac"))
    }
}
