import Glibc
import Testing

@Suite("pipes to write to", .fewAtOnce)
struct PipeOutputTests {
    /// Runs words of a shell in which `record` records half a second of the test tone.
    private func shell(_ workspace: Workspace, _ script: String) async throws -> Ending {
        let record =
            "record() { '\(Executable.capturegate)' record \"$@\" --microphone test:tone --for 500ms --quiet; }"
        return try await workspace.run(["bash", "-c", "\(record)\n\(script)"])
    }

    @Test(
        "A pipe with a name, a shell's own, any open file and /dev/stdout get the clip as it comes",
        arguments: [
            "mkfifo pipe.wav; cat pipe.wav >clip & record pipe.wav; code=$?; wait; exit $code",
            "mkfifo pipe; cat pipe >clip & record pipe --format wav; code=$?; wait; exit $code",
            "record >(cat >clip; : >done) --format wav || exit; until [ -e done ]; do sleep 0.05; done",
            "record /dev/fd/3 --format wav 3>clip", "record /dev/stdout --format wav >clip",
            "record /proc/self/fd/1 --format wav | cat >clip; exit ${PIPESTATUS[0]}",
            "mkfifo pipe; cat pipe >clip & record other.flac --tee wav:pipe; code=$?; wait; exit $code",
            "record other.flac --tee wav:clip",
        ])
    func written(script: String) async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let ending = try await shell(workspace, script)
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(try await workspace.samples("clip", channels: 2) == 24_000)
    }

    @Test("Without an ending and a format it is Matroska")
    func matroska() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let script = "mkfifo pipe; cat pipe >clip & record pipe; code=$?; wait; exit $code"
        #expect(try await shell(workspace, script).code == 0)
        let format = try await workspace.probe("clip", "format=format_name")["format"]["format_name"]
        #expect(format == .string("matroska,webm"))
    }

    @Test(
        "A reader that has enough, as head, is a normal end of its output, and the others go on",
        arguments: [
            ("record - --format wav | head -c 9 >clip; echo ${PIPESTATUS[0]}", nil),
            ("record - --format mkv | head -c 9 >clip; echo ${PIPESTATUS[0]}", nil),
            ("record other.wav --tee opus:- | head -c 9 >clip; echo ${PIPESTATUS[0]}", "other.wav"),
            ("record - --format wav --tee other.wav | head -c 9 >clip; echo ${PIPESTATUS[0]}", "other.wav"),
        ] as [(String, String?)])
    func enough(script: String, other: String?) async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let ending = try await shell(workspace, script)
        #expect(ending.output == "0\n" && ending.errors.isEmpty, "\(ending)")
        #expect(workspace.size("clip") == 9)
        if let other { #expect(try await workspace.samples(other, channels: 2) == 24_000) }
    }

    @Test("A reader that pauses for two seconds misses nothing: what comes meanwhile waits, as --buffer says")
    func pause() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let record =
            "'\(Executable.capturegate)' record - --camera test:bars --size 320x240 --video-codec raw --for 3s --json 2>events"
        let script = "\(record) | (sleep 2; cat >clip); echo ${PIPESTATUS[0]}"
        #expect(try await workspace.run(["bash", "-c", script]).output == "0\n")
        let end = try #require(try Document.lines(try workspace.text("events")).last)
        let track = try #require(end["ledger"]["tracks"].elements.first)
        // Without a queue the pause alone costs 50 frames. A machine that is busy may lose a few for another reason.
        let delivered = try #require(track["delivered"].number)
        #expect(delivered > 60 && track["asked"].number == 90, "\(track)")
        let count = try await workspace.probe("clip", "stream=nb_read_frames")
        #expect(count["streams"].elements.first?["nb_read_frames"] == .string(String(Int(delivered))))
    }

    @Test("Another user's pipe is not written to: it may lie in wait", .enabled(if: geteuid() == 0))
    func foreign() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let script =
            "mkfifo pipe.wav && chown 65534 pipe.wav; cat pipe.wav >clip & record pipe.wav; code=$?; kill %1; exit $code"
        let ending = try await shell(workspace, script)
        #expect(ending.code == 73 && ending.errors.contains("exists already"))
        #expect(workspace.size("clip") == 0)
    }

    @Test("One pipe can't be several files, and one that nobody reads is waited for until Ctrl-C")
    func refused() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let cut = try await shell(workspace, "mkfifo pipe; record pipe --format wav --segment 1s")
        #expect(cut.code == 64 && cut.errors.contains("is a pipe"))
        let waiting = try workspace.start("record", "pipe", "--microphone", "test:tone", "--for", "500ms")
        // Before it waits, or while: it has opened nothing that a signal would have to close.
        waiting.send(SIGINT)
        #expect(try await waiting.finish().code == -SIGINT)
    }
}
