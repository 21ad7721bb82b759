import Testing

@Suite("what a shell completes")
struct CompletionTests {
    /// A command line whose last word is completed, and a word that is offered.
    struct Offer: Sendable, CustomTestStringConvertible {
        let line: String
        let word: String
        var testDescription: String { line }

        init(_ line: String, _ word: String) {
            self.line = line
            self.word = word
        }
    }

    static let offers = [
        Offer("recover cl", "clip.mkv.partial"), Offer("recover --to cl", "clip.mkv.partial"),
        Offer("record cl", "clip.mkv.partial"), Offer("record a.mkv --tee cl", "clip.mkv.partial"),
        Offer("record clips/a", "clips/a.wav"), Offer("snapshot cl", "clip.mkv.partial"),
        Offer("bench --compare cl", "clip.mkv.partial"), Offer("grant camera --to cl", "clip.mkv.partial"),
        Offer("policy check cl", "clips"), Offer("grant mic", "microphone"), Offer("revoke cam", "camera"),
        Offer("kill ", "camera"), Offer("devices --default ", "microphone"), Offer("devices --capability ", "camera"),
        Offer("grant camera --level st", "still"), Offer("record a --format mj", "mjpeg"),
        Offer("record a --sync so", "sound"), Offer("record a --on-loss m", "mark"),
        Offer("record a --audio-codec o", "opus"), Offer("record a --sample-format S3", "S32_LE"),
        Offer("record a --opus-frame 2", "2.5"), Offer("snapshot a --format q", "qoi"), Offer("bench enc", "encoders"),
        Offer("record a --camera ", "test:bars"), Offer("record a --camera no", "none"),
        Offer("record a --microphone te", "test:tone"), Offer("snapshot a --camera ", "test:bars"),
        Offer("meter ", "test:tone"), Offer("controls te", "test:bars"), Offer("grant camera --device te", "test:bars"),
        Offer("bench --microphone de", "default"), Offer("record a --fo", "--format"), Offer("rec", "recover"),
    ]

    private func offered(for line: String) async throws -> [String] {
        let workspace = try Workspace()
        _ = try await workspace.run(["sh", "-c", "mkdir clips; : > clip.mkv.partial; : > clips/a.wav"])
        // As bash itself calls it, with the words that are there so far.
        let script = """
            . <("$0" --generate-completion-script bash)
            words=${1% }; COMP_WORDS=("$0" $words); [ "$words" = "$1" ] || COMP_WORDS+=("")
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE="$0 $1"; COMP_POINT=${#COMP_LINE}
            _capturegate "$0" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let ending = try await workspace.run(["bash", "-c", script, Executable.capturegate, line])
        #expect(ending.code == 0)
        // To complete a device's name neither asks nor writes anything down.
        #expect(!workspace.names.contains("state"))
        return ending.output.split(separator: "\n").map(String.init)
    }

    @Test("bash offers files, folders, values, devices and options where they belong", arguments: offers)
    func bash(offer: Offer) async throws {
        #expect(try await offered(for: offer.line).contains(offer.word))
    }

    @Test("a microphone is no camera, and a file no folder")
    func others() async throws {
        #expect(try await !offered(for: "record a --camera te").contains("test:tone"))
        #expect(try await !offered(for: "meter te").contains("test:bars"))
        #expect(try await !offered(for: "policy check cl").contains("clip.mkv.partial"))
        #expect(try await !offered(for: "snapshot a --camera ").contains("none"))
    }

    @Test("the colon in a device's name is none that zsh takes for the end of it")
    func colon() async throws {
        let line = "---completion meter -- positional@0 1 0 capturegate".split(separator: " ").map(String.init)
        let ending = try await Workspace().run(["env", "SAP_SHELL=zsh", Executable.capturegate] + line)
        #expect(ending.output.split(separator: "\n").contains("test\\:tone"))
    }

    @Test("zsh and fish are told the same", arguments: ["zsh", "fish"])
    func shells(shell: String) async throws {
        let ending = try await Workspace().capturegate("--generate-completion-script", shell)
        #expect(ending.code == 0)
        for word in ["microphone", "still", "---completion record -- --camera", "S32_LE"] {
            #expect(ending.output.contains(word))
        }
        // What completes files in each.
        #expect(ending.output.contains(shell == "zsh" ? "_files" : "-rF"))
    }
}
