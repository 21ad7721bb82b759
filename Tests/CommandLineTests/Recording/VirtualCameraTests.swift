import Testing

@Suite("recordings that a virtual camera shows", .fewAtOnce)
struct VirtualCameraTests {
    private func refusal(_ words: String...) async throws -> (code: Int32, errors: String) {
        let workspace = try Workspace()
        let ending = try await workspace.capturegate(["record"] + words + ["--camera", "test:bars", "--for", "1s"])
        #expect(!workspace.names.contains { $0.contains("video") || $0.hasSuffix(".partial") })
        return (ending.code, ending.errors)
    }

    @Test("a node that is not there ends with 66, before anybody is asked, and it is told what takes pictures")
    func missing() async throws {
        let (code, errors) = try await refusal("v4l2:/dev/video999")
        #expect(code == 66)
        #expect(errors.contains("/dev/video999 does not exist."))
        #expect(errors.contains("video output"))
    }

    @Test("a name that is no V4L2 node's ends with 64", arguments: ["v4l2:/dev/null", "v4l2:/etc/hostname", "v4l2:/"])
    func other(name: String) async throws {
        let (code, errors) = try await refusal(name)
        #expect(code == 64)
        #expect(errors.contains("is not a V4L2 node"))
    }

    @Test("as a further output it is refused in the same way, and no file is left")
    func tee() async throws {
        let (code, errors) = try await refusal("a.mkv", "--tee", "v4l2:/dev/null")
        #expect(code == 64)
        #expect(errors.contains("is not a V4L2 node"))
    }

    @Test(
        "what is about files is refused where there is none",
        arguments: [
            ["--segment", "1m"], ["--max-size", "1M"], ["--force"], ["--title", "x"], ["--tag", "A=b"],
            ["--chapter", "x"], ["--buffer", "1M"],
        ])
    func files(option: [String]) async throws {
        let ending = try await Workspace().capturegate(
            ["record", "v4l2:/dev/null", "--camera", "test:bars"] + option)
        #expect(ending.code == 64)
        #expect(ending.errors.contains("\(option[0]) is for files, but v4l2:/dev/null writes none."))
    }

    @Test("options of files may stand beside it where there is a file, and a pre-roll may not")
    func beside() async throws {
        let ending = try await Workspace().capturegate(
            "record", "a.mkv", "--tee", "v4l2:/dev/null", "--camera", "test:bars", "--segment", "1m", "--title", "x")
        #expect(ending.errors.contains("is not a V4L2 node"))
        let second = try await Workspace().capturegate(
            "record", "a.mkv", "--tee", "v4l2:/dev/null", "--camera", "test:bars", "--pre-roll", "1s")
        #expect(second.code == 64)
        #expect(second.errors.contains("--pre-roll can't be combined"))
    }

    @Test("it has no sound, no codec and no format of a file")
    func kinds() async throws {
        let sound = try await Workspace().capturegate("record", "v4l2:/dev/null", "--microphone", "test:tone")
        #expect(sound.code == 64)
        #expect(sound.errors.contains("A virtual camera has no audio."))
        #expect(sound.errors.contains("--tee v4l2:/dev/videoN"))
        let two = try await refusal("v4l2:/dev/null", "--camera", "test:bars")
        #expect(two.code == 64)
        for option in [["--video-codec", "mjpeg"], ["--format", "mkv"], ["--jpeg-quality", "50"]] {
            let ending = try await Workspace().capturegate(
                ["record", "v4l2:/dev/null", "--camera", "test:bars"] + option)
            #expect(ending.code == 64)
            #expect(!ending.errors.contains("is not a V4L2 node"))
        }
    }

    @Test("no single picture is shown by it")
    func snapshot() async throws {
        let ending = try await Workspace().capturegate("snapshot", "v4l2:/dev/null", "--camera", "test:bars")
        #expect(ending.code == 64)
    }
}
