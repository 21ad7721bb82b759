import Testing

@Suite("snapshot", .fewAtOnce)
struct SnapshotCommandTests {
    private func workspace(_ level: String = "still") async throws -> Workspace {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("grant", "camera", "--level", level, "--always")
        return workspace
    }

    @Test(
        "it takes a picture that others can read, and says what it is", arguments: ["shot.jpg", "shot.png", "shot.qoi"])
    func one(name: String) async throws {
        let workspace = try await workspace()
        let ending = try await workspace.capturegate(
            "snapshot", name, "--camera", "test:bars", "--size", "320x240", "--json")
        #expect(ending.code == 0)
        let event = try Document(ending.output)
        #expect(event["path"].string == name && event["settled"].bool == true)
        #expect(event["bytes"].number == Double(workspace.size(name)) && workspace.size(name) > 500)
        let probe = try await workspace.run([
            "ffprobe", "-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", name,
        ])
        #expect(probe.output == "320,240\n")
    }

    @Test("several get numbers, from one each 100 ms")
    func several() async throws {
        let workspace = try await workspace("video")
        let ending = try await workspace.capturegate(
            "snapshot", "shot.jpg", "--camera", "test:bars", "--count", "3", "--every", "100ms", "--settle", "0",
            "--json")
        #expect(ending.code == 0)
        let events = try Document.lines(ending.output)
        #expect(events.compactMap { $0["path"].string } == ["shot-1.jpg", "shot-2.jpg", "shot-3.jpg"])
        #expect(events.allSatisfy { $0["settled"] == .bool(false) })
        let times = events.compactMap { $0["timestamp_ns"].number }
        #expect(times.count == 3 && times[2] - times[0] > 150e6)
    }

    @Test("a burst, and the first picture that comes, take a grant to record; single pictures in peace do not")
    func burst() async throws {
        let workspace = try await workspace()
        let line = ["snapshot", "shot.png", "--camera", "test:bars", "--size", "320x240"]
        for burst in [
            ["--settle", "0"], ["--settle", "999ms"], ["--count", "2"], ["--count", "2", "--every", "999ms"],
        ] {
            let ending = try await workspace.capturegate(line + burst)
            #expect(ending.code == 77 && ending.errors.contains("\"still\"") && ending.errors.contains("\"video\""))
            #expect(!workspace.names.contains { $0.hasPrefix("shot") })
        }
        #expect(try await workspace.capturegate(line + ["--count", "2", "--every", "1s"]).code == 0)
        #expect(workspace.names.contains("shot-2.png"))
    }

    @Test("Ctrl-C in a series keeps what was taken, and is no error")
    func interrupted() async throws {
        let workspace = try await workspace("video")
        let child = try workspace.start(
            "snapshot", "shot.jpg", "--camera", "test:bars", "--count", "100", "--every", "1h", "--settle", "0")
        _ = try await child.waitForLine(containing: "shot-001.jpg")
        child.send(2)
        #expect(try await child.finish().code == 0)
        #expect(workspace.size("shot-001.jpg") > 500)
    }

    @Test("what exists is kept, before anybody is asked")
    func exists() async throws {
        let workspace = try Workspace()
        try workspace.write("mine", to: "shot.jpg")
        let ending = try await workspace.capturegate("snapshot", "shot.jpg", "--camera", "test:bars")
        #expect(ending.code == 73)
        #expect(try workspace.text("shot.jpg") == "mine")
    }

    @Test("a refusal leaves no file behind")
    func refused() async throws {
        let workspace = try Workspace()
        let ending = try await workspace.capturegate("snapshot", "shot.jpg", "--camera", "test:bars")
        #expect(ending.code == 77)
        #expect(workspace.size("shot.jpg.partial") <= 0)
    }

    @Test("what the camera does otherwise than asked is told, and with --strict refused")
    func differences() async throws {
        let workspace = try await workspace("video")
        let line = ["snapshot", "shot.jpg", "--camera", "test:bars", "--settle", "0", "--size", "321x241"]
        let words = try await workspace.capturegate(line)
        #expect(words.code == 0)
        #expect(words.output.contains("Note: size 320x240 instead of 321x241"))
        let document = try await workspace.capturegate(line + ["--force", "--json"])
        #expect(try Document(document.output)["differences"].elements == [.string("size 320x240 instead of 321x241")])
        #expect(try await workspace.capturegate(line + ["--force", "--strict"]).code == 78)
    }

    @Test("half a picture that was left is told, and replaced by force")
    func leftOver() async throws {
        let workspace = try await workspace("video")
        try workspace.write("half", to: "shot.jpg.partial")
        let line = ["snapshot", "shot.jpg", "--camera", "test:bars", "--settle", "0"]
        let ending = try await workspace.capturegate(line)
        #expect(ending.code == 73 && !ending.errors.contains("recover"))
        #expect(try await workspace.capturegate(line + ["--force"]).code == 0)
        #expect(workspace.size("shot.jpg") > 500 && !workspace.names.contains("shot.jpg.partial"))
    }

    @Test("an ending that is no picture's is told, with those that are")
    func ending() async throws {
        let ending = try await workspace().capturegate("snapshot", "shot.mkv", "--camera", "test:bars")
        #expect(ending.code == 64)
        #expect(ending.errors.contains(".jpg"))
    }
}
