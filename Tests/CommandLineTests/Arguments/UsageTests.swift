import Testing

@Suite("wrong usage")
struct UsageTests {
    /// A command line that is wrong, and a part of the sentence that says how.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let line: String
        let cause: String
        var testDescription: String { line }

        init(_ line: String, _ cause: String) {
            self.line = line
            self.cause = cause
        }
    }

    static let mistakes = [
        Mistake("nonsense", "nonsense"), Mistake("--nonsense", "--nonsense"),
        Mistake("record", "<out>"), Mistake("record a.wav b.wav", "b.wav"),
        Mistake("record a.wav --for", "--for"), Mistake("record a.wav --for 5y", "5y"),
        Mistake("record a.wav --for 0s", "0s"), Mistake("record a.wav --for -5s", "--for"),
        Mistake("record a.wav --for 11111111111d", "length of time"),
        Mistake("record a.mkv --size big", "1280x720"), Mistake("record a.mkv --size 0x0", "1280x720"),
        Mistake("record a.mkv --size 640x480x2", "1280x720"), Mistake("record a.mkv --fps 0", "frames a second"),
        Mistake("record a.mkv --fps 30/0", "frames a second"), Mistake("record a.mkv --fps fast", "frames a second"),
        Mistake("record a.mkv --pixel-format x", "four character"), Mistake("record a.mkv --rate 7", "sample rate"),
        Mistake("record a.mkv --channels 0", "channels"), Mistake("record a.mkv --channels 65", "channels"),
        Mistake("record a.mkv --sample-format s17", "S16_LE"), Mistake("record a.mkv --video-codec h264", "mjpeg"),
        Mistake("record a.mkv --audio-codec mp3", "flac"), Mistake("record a.mkv --sync time", "picture"),
        Mistake("record a.wav --sync picture", "--sync picture is about a camera"),
        Mistake("record a.mkv --camera test:bars --sync sound", "--sync is about a microphone"),
        Mistake("grant", "<capability>"),
        Mistake("grant screen --once", "microphone"), Mistake("grant camera", "--once"),
        Mistake("grant camera --once --always", "more than once"), Mistake("grant camera --for soon", "length of time"),
        Mistake("grant camera --until soon", "moment"), Mistake("grant camera --until 2026-02-31T25:00", "moment"),
        Mistake("grant camera --level meter --once", "still or video"), Mistake("revoke", "<capability>"),
        Mistake("reset everything", "everything"), Mistake("kill", "<capability>"),
        Mistake("log --last many", "many"), Mistake("log --last -1", "--last"),
        Mistake("log --verify --follow", "--verify"), Mistake("devices --capability screen", "screen"),
        Mistake("devices --default camera --watch", "--default"), Mistake("policy check one two", "two"),
        Mistake("status now", "now"), Mistake("record a.wav --for -5s", "length of time such as 5s"),
        Mistake("record a.mkv --fps -1", "frames a second"), Mistake("record a.wav --max-size -5", "500M"),
        Mistake("snapshot a.png --count -1", "1 to 100000"), Mistake("snapshot a.png --every 1s", "--count"),
        Mistake("record --hlep", "Unknown option '--hlep'"),
        Mistake("recrod a.wav", "Did you mean 'record'?"), Mistake("help nosuch", "no command 'nosuch'"),
        Mistake("help policy chekc", "Did you mean 'check'?"),
        Mistake("grant camera --until 9999-12-31", "1970 to 2200"),
        Mistake("record a.wav --start-at 1", "18:00:30.250"),
    ]

    @Test("ends with 64, one line that says what is wrong, and where to read on", arguments: mistakes)
    func mistake(_ mistake: Mistake) async throws {
        let workspace = try Workspace()
        let words = mistake.line.split(separator: " ").map(String.init)
        let ending = try await workspace.capturegate(words)
        #expect(ending.code == 64)
        #expect(ending.output.isEmpty)
        let lines = ending.errors.split(separator: "\n")
        let first = try #require(lines.first)
        #expect(first.hasPrefix("capturegate: "))
        #expect(first.contains(mistake.cause))
        #expect(lines.count <= 3)
        #expect(!workspace.names.contains { $0.hasPrefix("a.") })
    }

    @Test("the help of the command that was meant is named")
    func help() async throws {
        let ending = try await Workspace().capturegate("record", "a.wav", "--fps")
        #expect(ending.errors.contains("See 'capturegate help record'"))
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
        Mistake("record a.foo --microphone test:tone", "ending"), Mistake("record a --microphone test:tone", "ending"),
        Mistake("record a.wav --camera test:bars", "WAV"), Mistake("record a.flac --camera test:bars", "FLAC"),
        Mistake("record a.y4m --microphone test:tone", "Y4M"),
        Mistake("record a.raw --camera test:bars --microphone test:tone", "one track"),
        Mistake("record a.mkv --camera none --microphone none", "neither"),
        Mistake("record a.wav --microphone test:tone --size 640x480", "--size"),
        Mistake("record a.y4m --camera test:bars --rate 48000", "--rate"),
        Mistake("record a.wav --microphone test:tone --audio-codec flac", "--audio-codec"),
        Mistake("record a.y4m --camera test:bars --video-codec mjpeg", "--video-codec"),
        Mistake("record a.mkv --camera test:bars --format avi", "avi"),
        Mistake("record a.wav --microphone test:tone --tee ./a.wav", "named twice"),
        Mistake("record a.wav --microphone test:tone --tee ../$folder/a.wav", "named twice"),
        Mistake("record a.mka --camera test:bars", "sound alone"),
        Mistake("record a.mkv --camera test:bars --microphone test:tone --tee a.mka", "sound alone"),
        Mistake("snapshot a.png --camera test:bars --quality 50", "PNG"),
        Mistake("grant camera --until 2020-01-01", "passed"), Mistake("grant camera --to /nonexistent --once", "read"),
        Mistake("policy check /nonexistent", "not there"), Mistake("policy check /etc/passwd", "not a folder"),
    ]

    @Test("what does not go together ends with 64 before anybody is asked", arguments: contradictions)
    func contradiction(_ mistake: Mistake) async throws {
        let workspace = try Workspace()
        let folder = workspace.path.split(separator: "/").last ?? ""
        let words = mistake.line.replacing("$folder", with: folder).split(separator: " ").map(String.init)
        let ending = try await workspace.capturegate(words)
        #expect(ending.code == 64)
        #expect(ending.errors.contains(mistake.cause))
        #expect(!workspace.names.contains { $0.hasPrefix("a.") })
    }
}
