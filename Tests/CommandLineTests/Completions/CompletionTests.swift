import Testing

@Suite("what a shell completes", .fewAtOnce)
struct CompletionTests {
    static let offers = [
        LineExample("recover cl", "clip.mkv.partial"), LineExample("recover --to cl", "clip.mkv.partial"),
        LineExample("record cl", "clip.mkv.partial"), LineExample("record a.mkv --tee cl", "clip.mkv.partial"),
        LineExample("record clips/a", "clips/a.wav"), LineExample("snapshot cl", "clip.mkv.partial"),
        LineExample("bench --compare cl", "clip.mkv.partial"), LineExample("grant camera --to cl", "clip.mkv.partial"),
        LineExample("policy check cl", "clips"), LineExample("grant mic", "microphone"),
        LineExample("revoke cam", "camera"),
        LineExample("camera ", "off"), LineExample("devices --default ", "microphone"),
        LineExample("devices --capability ", "camera"),
        LineExample("grant camera --level st", "still"), LineExample("record a --format mj", "mjpeg"),
        LineExample("record a --sync so", "sound"), LineExample("record a --on-loss m", "mark"),
        LineExample("record a --audio-codec o", "opus"), LineExample("record a --sample-format S3", "S32_LE"),
        LineExample("record a --opus-frame 2", "2.5"), LineExample("snapshot a --format q", "qoi"),
        LineExample("bench enc", "encoders"),
        LineExample("record a --camera ", "test:bars"), LineExample("record a --camera no", "none"),
        LineExample("record a --microphone te", "test:tone"), LineExample("snapshot a --camera ", "test:bars"),
        LineExample("meter ", "test:tone"), LineExample("controls te", "test:bars"),
        LineExample("grant camera --device te", "test:bars"),
        LineExample("bench --microphone de", "default"), LineExample("record a --fo", "--format"),
        LineExample("rec", "recover"), LineExample("rig r", "run"), LineExample("rig check pl", "plan.yaml"),
        LineExample("rig run --out cl", "clips"), LineExample("rig run pl", "plan.yaml"),
        LineExample("rig run plan.yaml --only camera.ra", "camera.rate"),
        LineExample("rig run plan.yaml --profile c", "certification"),
        LineExample("rig explain sound.x", "sound.xruns"), LineExample("rig compare cl", "clip.mkv.partial"),
    ]

    /// Lines with a colon or an equals sign, at which bash ends a word, and the expected completion of the last one.
    static let split = [
        LineExample("meter test:", "tone"), LineExample("meter test:to", "tone"),
        LineExample("record a --camera test:b", "bars"), LineExample("record a --camera=te", "test:bars"),
        LineExample("record a --camera=test:", "bars"), LineExample("snapshot a --camera=", "default"),
        LineExample("record --camera test:bars --microphone test:tone --sync so", "sound"),
        LineExample("record --camera=test:bars --for=5s a --sync=so", "sound"),
        LineExample("controls test:bars --js", "--json"), LineExample("recover odd:na", "name.mkv.partial"),
    ]

    private func offered(for line: String) async throws -> [String] {
        let workspace = try Workspace()
        let files = ["clip.mkv.partial", "plan.yaml", "clips/a.wav", "odd:name.mkv.partial"]
        _ = try await workspace.run([
            "sh", "-c", "mkdir clips; for file in \(files.joined(separator: " ")); do : >$file; done",
        ])
        // Called as bash does, with the words so far, split as bash splits them.
        let script = """
            . <("$0" --generate-completion-script bash)
            words=${1% }; COMP_WORDS=("$0" $(sed -E 's/[:=]+/ & /g' <<<"$words")); [ "$words" = "$1" ] || COMP_WORDS+=("")
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE="$0 $1"; COMP_POINT=${#COMP_LINE}
            typed=${COMP_WORDS[COMP_CWORD]}; case $typed in [:=]*) typed= ;; esac
            registered=$(complete -p capturegate | sed -E 's/.* -F ([^ ]+) .*/\\1/')
            "$registered" "$0" "$typed" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let ending = try await workspace.run(["bash", "-c", script, Executable.capturegate, line])
        #expect(ending.code == 0)
        // To complete a device's name neither asks nor writes anything down.
        #expect(!workspace.names.contains("state"))
        return ending.output.split(separator: "\n").map(String.init)
    }

    @Test("bash offers files, folders, values, devices and options where they belong", arguments: offers)
    func bash(offer: LineExample) async throws {
        #expect(try await offered(for: offer.line).contains(offer.word))
    }

    @Test("bash goes on behind a colon or an equals sign", arguments: split)
    func pieces(offer: LineExample) async throws {
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
