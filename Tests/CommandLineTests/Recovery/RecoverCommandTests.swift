import Testing

@Suite("recover", .fewAtOnce)
struct RecoverCommandTests {
    /// A recording that is killed once its file has a megabyte, or the size of a second of audio.
    private func interrupted(_ name: String) async throws -> Workspace {
        let workspace = try Workspace()
        for capability in ["camera", "microphone"] {
            _ = try await workspace.capturegate("grant", capability, "--always")
        }
        let kind = name.hasSuffix("mkv") ? ["--camera", "test:bars"] : ["--microphone", "test:tone"]
        let child = try workspace.start(["record", name, "--json"] + kind)
        _ = try await child.waitForLine(containing: "\"progress\"")
        child.send(9)
        _ = try await child.finish()
        return workspace
    }

    @Test("an interrupted recording is finished, and others play it", arguments: ["memo.wav", "memo.flac", "clip.mkv"])
    func finishes(name: String) async throws {
        let workspace = try await interrupted(name)
        let ending = try await workspace.capturegate("recover", name + ".partial", "--json")
        #expect(ending.code == 0)
        let report = try Document(ending.output)
        #expect(report["path"].string?.hasSuffix(name) == true)
        let seconds = (report["duration_ns"].number ?? 0) / 1e9
        #expect(seconds > 0.2)
        let probe = try await workspace.run([
            "ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", name,
        ])
        let told = Double(probe.output.split(separator: "\n").first ?? "") ?? 0
        #expect(abs(told - seconds) < 0.06)
        let decoded = try await workspace.run(["ffmpeg", "-v", "error", "-i", name, "-f", "null", "-"])
        #expect(decoded.code == 0 && decoded.errors.isEmpty)
    }

    @Test("recording to that name again says that there is something to recover, and how")
    func hint() async throws {
        let workspace = try await interrupted("memo.wav")
        let size = workspace.size("memo.wav.partial")
        for option in ["--strict", "--force"] {
            let again = try await workspace.capturegate("record", "memo.wav", "--microphone", "test:tone", option)
            #expect(again.code == 73)
            #expect(again.errors.contains("capturegate recover 'memo.wav.partial'"))
            #expect(again.errors.contains("rm 'memo.wav.partial'"))
        }
        #expect(workspace.size("memo.wav.partial") == size)
    }

    @Test("--keep leaves the interrupted file, and what exists is not replaced")
    func keeps() async throws {
        let workspace = try await interrupted("memo.wav")
        try workspace.write("mine", to: "memo.wav")
        #expect(try await workspace.capturegate("recover", "memo.wav.partial").code == 73)
        #expect(try workspace.text("memo.wav") == "mine")
        let ending = try await workspace.capturegate("recover", "memo.wav.partial", "--to", "other.wav", "--keep")
        #expect(ending.code == 0 && ending.output.contains("Kept "))
        #expect(workspace.size("memo.wav.partial") > 44 && workspace.size("other.wav") > 44)
    }

    @Test("--to takes a file's name alone", arguments: ["-", "null:", ""])
    func noFile(name: String) async throws {
        let workspace = try await interrupted("memo.wav")
        #expect(try await workspace.capturegate("recover", "memo.wav.partial", "--to", name).code == 64)
        #expect(workspace.size("memo.wav.partial") > 44 && workspace.size("-") < 0)
    }

    @Test("a name of another format is refused")
    func format() async throws {
        let workspace = try await interrupted("memo.wav")
        let ending = try await workspace.capturegate("recover", "memo.wav.partial", "--to", "memo.flac")
        #expect(ending.code == 64)
        #expect(ending.errors.contains("ends in .wav"))
        #expect(workspace.size("memo.flac") < 0 && workspace.size("memo.wav.partial") > 44)
    }

    @Test("of several files one that is no clip stops none of the others")
    func several() async throws {
        let workspace = try await interrupted("memo.wav")
        try workspace.write("nonsense", to: "a.txt.partial")
        let ending = try await workspace.capturegate("recover", "a.txt.partial", "memo.wav.partial", "none.wav.partial")
        #expect(ending.code == 65)
        #expect(workspace.size("memo.wav") > 44)
        #expect(ending.errors.contains("a.txt.partial") && ending.errors.contains("none.wav.partial"))
    }
}
