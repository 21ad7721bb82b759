import Testing

@Suite("one capture in several files", .fewAtOnce)
struct TeeTests {
    @Test("each has the tracks it can hold, of the same moment")
    func formats() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let ending = try await workspace.capturegate(
            "record", "a.mkv", "--camera", "test:bars", "--microphone", "test:tone", "--for", "700ms", "--tee",
            "b.flac",
            "--tee", "c.wav", "--tee", "d.mjpeg", "--json")
        #expect(ending.code == 0)
        let end = try #require(try Document.lines(ending.output).last)
        #expect(end["path"] == .string("a.mkv"))
        #expect(end["tees"].elements.map { $0["path"] } == ["b.flac", "c.wav", "d.mjpeg"].map(Document.string))
        for tee in end["tees"].elements {
            #expect(tee["bytes"].number == Double(workspace.size(tee["path"].string ?? "")))
            let track = try #require(tee["ledger"]["tracks"].elements.first)
            let lost = ["device", "ring", "corrupt", "empty", "short", "xrun", "stall", "suspend", "encoder"]
            let sum = lost.reduce(track["delivered"].number ?? -1) { $0 + (track["lost"][$1].number ?? -1) }
            #expect(track["asked"].number == sum)
        }
        let line =
            "for file in a.mkv b.flac c.wav; do ffmpeg -v error -i $file -map 0:a:0 -f s16le - | md5sum; done | uniq | wc -l"
        #expect(try await workspace.run(["sh", "-c", line]).output.filter(\.isNumber) == "1")
        #expect(try await workspace.samples("b.flac", channels: 2) == 33_600)
        for (name, count) in [("a.mkv", 2), ("b.flac", 1), ("c.wav", 1), ("d.mjpeg", 1)] {
            #expect(try await workspace.probe(name, "stream=codec_type")["streams"].elements.count == count)
        }
    }

    @Test("one that fails is told of, and does not end the others")
    func failure() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        // A device that is always full.
        let command =
            "'\(Executable.capturegate)' record a.wav --microphone test:tone --for 2s --tee - --json 2>events >/dev/full; "
            + "echo $?"
        let ending = try await workspace.run(["bash", "-c", command])
        #expect(ending.output == "74\n")
        let events = try Document.lines(try workspace.text("events"))
        let failed = events.filter { $0["event"] == .string("output_failed") }
        #expect(failed.map { $0["path"] } == [.string("-")])
        let end = try #require(events.last)
        #expect(end["reason"] == .string("complete"))
        #expect(end["tees"].elements.first?["end"] == .string("disk_full"))
        #expect(try await workspace.samples("a.wav", channels: 2) == 96_000)
    }

    @Test("one whose file can't have its name is, too", arguments: [["a", "b"], ["b", "a"]])
    func unnamed(files: [String]) async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let recording = try workspace.start(
            "record", files[0] + ".wav", "--tee", files[1] + ".flac", "--microphone", "test:tone", "--segment", "500ms",
            "--for", "2s", "--json")
        _ = try await recording.waitForLine(containing: #""event":"start""#)
        let (taken, other) = files[0] == "b" ? ("b-0001.wav", "flac") : ("b-0001.flac", "wav")
        try workspace.write("x", to: taken)
        let ending = try await recording.finish()
        #expect(ending.code == 73, "\(ending.errors)")
        #expect(try workspace.text(taken) == "x")
        let events = try Document.lines(ending.output)
        #expect(events.filter { $0["event"] == .string("output_failed") }.count == 1)
        var samples = 0
        for number in 1...4 { samples += try await workspace.samples("a-000\(number).\(other)", channels: 2) }
        #expect(samples == 96_000)
    }

    @Test("where the first one fails, the end says why, and the others are whole")
    func firstFails() async throws {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        let command =
            "'\(Executable.capturegate)' record - --format wav --microphone test:tone --for 2s --tee a.wav --json 2>events"
            + " >/dev/full; echo $?"
        let ending = try await workspace.run(["bash", "-c", command])
        #expect(ending.output == "74\n")
        // What standard error has besides is the same for a person.
        let line = try workspace.text("events").split(separator: "\n").last { $0.contains(#""event":"end""#) }
        let end = try Document(try #require(line))
        #expect(end["reason"] == .string("disk_full"))
        #expect(end["error"]["message"].string?.contains("standard output") == true)
        #expect(end["tees"].elements.first?["error"] == .null)
        #expect(try await workspace.samples("a.wav", channels: 2) == 96_000)
    }

    @Test("files that exist or can't hold any of it are told before anybody is asked, and nothing is left")
    func usage() async throws {
        let workspace = try Workspace()
        try workspace.write("x", to: "b.wav")
        let line = ["record", "a.mkv", "--microphone", "test:tone", "--tee"]
        #expect(try await workspace.capturegate(line + ["b.wav"]).code == 73)
        #expect(try await workspace.capturegate(line + ["b.y4m"]).code == 64)
        #expect(try await workspace.capturegate(line + ["b.foo"]).code == 64)
        #expect(try await workspace.capturegate(line + ["a.mkv"]).code == 64)
        #expect(workspace.names.filter { !$0.hasPrefix("std") && $0 != "state" } == ["b.wav"])
    }
}
