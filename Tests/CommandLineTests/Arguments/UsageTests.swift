import Testing

@Suite("wrong usage", .fewAtOnce)
struct UsageTests {
    static let mistakes = [
        LineExample("nonsense", "nonsense"), LineExample("--nonsense", "--nonsense"),
        LineExample("record", "<out>"), LineExample("record a.wav b.wav", "b.wav"),
        LineExample("record a.wav --for", "--for"), LineExample("record a.wav --for 5y", "5y"),
        LineExample("record a.wav --for 0s", "0s"), LineExample("record a.wav --for -5s", "--for"),
        LineExample("record a.wav --for 11111111111d", "a time such as"),
        LineExample("record a.mkv --size big", "1280x720"), LineExample("record a.mkv --size 0x0", "1280x720"),
        LineExample("record a.mkv --size 640x480x2", "1280x720"),
        LineExample("record a.mkv --fps 0", "a frame rate"),
        LineExample("record a.mkv --fps 30/0", "a frame rate"),
        LineExample("record a.mkv --fps fast", "a frame rate"),
        LineExample("record a.mkv --pixel-format x", "four-character"),
        LineExample("record a.mkv --rate 7", "sample rate"),
        LineExample("record a.mkv --channels 0", "channels"), LineExample("record a.mkv --channels 65", "channels"),
        LineExample("record a.mkv --sample-format s17", "S16_LE"),
        LineExample("record a.mkv --video-codec h263", "mjpeg"),
        LineExample("record a.mkv --audio-codec mp3", "flac"), LineExample("record a.mkv --sync time", "picture"),
        LineExample("record a.wav --sync picture", "--sync picture needs a camera"),
        LineExample("record a.mkv --camera test:bars --sync sound", "--sync needs a microphone"),
        LineExample("record a.y4m --pixel-format h264", "stored unchanged, in a .mkv or .mp4"),
        LineExample("record a.webm --pixel-format HEVC", "H.265"),
        LineExample("record a.mkv --pixel-format h264 --video-codec vp8", "stored unchanged"),
        LineExample("record a.mp4 --pixel-format h265 --video-codec h264", "H.265"),
        LineExample("record a.mkv --tee a.mjpeg --pixel-format h264", "stored unchanged"),
        LineExample("record a.mkv --pixel-format h264 --keyframe-interval 1s", "--keyframe-interval has no effect"),
        LineExample("grant", "<capability>"),
        LineExample("grant screen --once", "microphone"), LineExample("grant camera", "--once"),
        LineExample("grant camera --once --always", "takes only one duration"),
        LineExample("grant camera --for soon", "a time such as"),
        LineExample("grant camera --until soon", "moment"),
        LineExample("grant camera --until 2026-02-31T25:00", "does not exist"),
        LineExample("grant camera --level meter --once", "still or video"), LineExample("revoke", "<capability>"),
        LineExample("grant location --level meter --once", "country or city or neighbourhood or street or exact"),
        LineExample("grant photos --level video --once", "read or write"),
        LineExample("grant storage --once", "storage"),
        LineExample("devices --capability location", "location"),
        LineExample("reset everything", "everything"), LineExample("camera", "<position>"),
        LineExample("log --last many", "many"), LineExample("log --last -1", "--last"),
        LineExample("log --verify --follow", "--verify"), LineExample("devices --capability screen", "screen"),
        LineExample("devices --default camera --watch", "--default"), LineExample("policy check one two", "two"),
        LineExample("status now", "now"), LineExample("record a.wav --for -5s", "a time such as 5s"),
        LineExample("record a.mkv --fps -1", "a frame rate"), LineExample("record a.wav --max-size -5", "500M"),
        LineExample("snapshot a.png --count -1", "1 to 100000"), LineExample("snapshot a.png --every 1s", "--count"),
        LineExample("record --hlep", "Unknown option '--hlep'"),
        LineExample("recrod a.wav", "Did you mean 'record'?"), LineExample("help nosuch", "no command 'nosuch'"),
        LineExample("help policy chekc", "Did you mean 'check'?"),
        LineExample("policy chekc", "Did you mean 'check'?"), LineExample("rig rnu a.yaml", "no command 'rnu'"),
        LineExample("rig rum a.yaml", "Did you mean 'run'?"), LineExample("rig run", "<plan>"),
        LineExample("rig explain camera.raet", "Did you mean 'camera.rate'?"),
        LineExample("rig run a.yaml --profile best", "certification"),
        LineExample("rig run a.yaml --resume", "--resume needs --out"),
        LineExample("rig run a.yaml --resume --out a. --only x", "leave --only out"),
        LineExample("rig compare a.json", "<after>"),
        LineExample("grant camera --until 9999-12-31", "between 1970 and 2200"),
        LineExample("record a.wav --start-at 1", "18:00:30.250"),
    ]

    @Test("ends with 64, one line that says what is wrong, and where to read on", arguments: mistakes)
    func mistake(_ mistake: LineExample) async throws {
        let workspace = try Workspace()
        let words = mistake.line.split(separator: " ").map(String.init)
        let ending = try await workspace.capturegate(words)
        #expect(ending.code == 64)
        #expect(ending.output.isEmpty)
        let lines = ending.errors.split(separator: "\n")
        let first = try #require(lines.first)
        #expect(first.hasPrefix("capturegate: "))
        #expect(first.contains(mistake.word))
        #expect(lines.count <= 3)
        #expect(!workspace.names.contains { $0.hasPrefix("a.") })
    }

    @Test("the help of the command that was meant is named")
    func help() async throws {
        let ending = try await Workspace().capturegate("record", "a.wav", "--fps")
        #expect(ending.errors.contains("See 'capturegate help record'"))
        let nested = try await Workspace().capturegate("rig", "run", "a.yaml", "--out")
        #expect(nested.errors.contains("See 'capturegate help rig run'"))
    }

    @Test("is told to programs as a document, too")
    func json() async throws {
        let ending = try await Workspace().capturegate("grant", "camera", "--json")
        let error = try Document(ending.output)["error"]
        #expect(error["kind"] == .string("usage"))
        #expect(error["exit_code"] == .number(64))
        #expect(error["message"].string?.contains("--once") == true)
        #expect(error["remedies"].elements.first?["text"].string?.contains("help grant") == true)
    }

    /// Command lines whose words are right and do not go together.
    static let contradictions = [
        LineExample("record a.foo --microphone test:tone", "ending"),
        LineExample("record a --microphone test:tone", "ending"),
        LineExample("record a.wav --camera test:bars", "WAV"), LineExample("record a.flac --camera test:bars", "FLAC"),
        LineExample("record a.y4m --microphone test:tone", "Y4M"),
        LineExample("record a.raw --camera test:bars --microphone test:tone", "one track"),
        LineExample("record a.mkv --camera none --microphone none", "needs a camera or a microphone"),
        LineExample("record a.wav --microphone test:tone --size 640x480", "--size"),
        LineExample("record a.y4m --camera test:bars --rate 48000", "--rate"),
        LineExample("record a.wav --microphone test:tone --audio-codec flac", "--audio-codec"),
        LineExample("record a.y4m --camera test:bars --video-codec mjpeg", "--video-codec"),
        LineExample("record a.mkv --camera test:bars --format avi", "avi"),
        LineExample("record a.wav --microphone test:tone --tee ./a.wav", "named twice"),
        LineExample("record a.wav --microphone test:tone --tee ../$folder/a.wav", "named twice"),
        LineExample("record a.mka --camera test:bars", "contain only audio"),
        LineExample("record a.mkv --camera test:bars --microphone test:tone --tee a.mka", "contain only audio"),
        LineExample("snapshot a.png --camera test:bars --quality 50", "PNG"),
        LineExample("grant camera --until 2020-01-01", "in the past"),
        LineExample("grant camera --to /nonexistent --once", "read"),
        LineExample("policy check /nonexistent", "does not exist"),
        LineExample("policy check /etc/passwd", "not a directory"),
    ]

    @Test("what does not go together ends with 64 before anybody is asked", arguments: contradictions)
    func contradiction(_ mistake: LineExample) async throws {
        let workspace = try Workspace()
        let folder = workspace.path.split(separator: "/").last ?? ""
        let words = mistake.line.replacing("$folder", with: folder).split(separator: " ").map(String.init)
        let ending = try await workspace.capturegate(words)
        #expect(ending.code == 64)
        #expect(ending.errors.contains(mistake.word))
        #expect(!workspace.names.contains { $0.hasPrefix("a.") })
    }
}
