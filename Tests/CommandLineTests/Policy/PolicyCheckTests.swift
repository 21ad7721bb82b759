import FoundationEssentials
import Testing

@Suite("policy check", .serialized, .fewAtOnce)
struct PolicyCheckTests {
    private static let rule = "version: 1\nrules:\n  - allow: camera\n"

    /// A directory of rules with one file in it.
    private func workspace(_ text: String, mode: String = "644") async throws -> Workspace {
        let workspace = try Workspace()
        _ = try await workspace.run(["mkdir", "-m", "755", "policy.d"])
        try workspace.write(text, to: "policy.d/a.yaml")
        _ = try await workspace.run(["chmod", mode, "policy.d/a.yaml"])
        return workspace
    }

    @Test("rules that are understood end with 0")
    func good() async throws {
        let workspace = try await workspace(Self.rule)
        let ending = try await workspace.capturegate("policy", "check", "policy.d")
        #expect(ending.code == 0)
        #expect(ending.output.contains("1 rule in 1 file"))
        let json = try await workspace.capturegate("policy", "check", "policy.d", "--json")
        #expect(json.code == 0)
        #expect(try Document(json.output)["diagnostics"] == .array([]))
    }

    @Test("everything a rule can say is understood")
    func everything() async throws {
        let workspace = try await workspace(
            """
            version: 1
            rules:
              - allow: microphone
                level: meter
                device: [test:tone, usb-0d8c_C-Media-01]
                user: [root, 1002]
                group: root
                executable: /usr/bin/memo
                unit: memo.service
                until: 2027-01-31T18:00:00+01:00
                reason: "Memos, until the end of January."
              - deny: [camera, microphone]
                flatpak: org.example.Memo
              - ask: any
                snap: memo
            """)
        let ending = try await workspace.capturegate("policy", "check", "policy.d")
        #expect(ending.code == 0, "\(ending.output)")
        #expect(ending.output.contains("3 rules in 1 file"))
    }

    static let mistakes = [
        TextMistake(rule + "    colour: red\n", "4:5", "`colour` is not a key"),
        TextMistake("version: 1\nrule: []\nrules: []\n", "2:1", "`rule` is not a key"),
        TextMistake("version: 1\nrules:\n  - allow: screen\n", "3:12", "not a capability"),
        TextMistake("version: 1\nrules: camera\n", "2:8", "must be a list"),
        TextMistake("version: one\nrules: []\n", "1:10", "not supported"),
        TextMistake("rules: []\n", "1:1", "`version: 1` is missing"),
        TextMistake(rule + "    user: {name: root}\n", "4:11", "Write one word"),
        TextMistake(rule + "    level: record\n", "4:12", "still or video"),
        TextMistake(rule + "    user: nobody-of-that-name\n", "4:11", "does not exist"),
        TextMistake(rule + "    group: [root, none-of-that-name]\n", "4:19", "does not exist"),
        TextMistake(rule + "    executable: memo\n", "4:17", "Write an absolute path"),
        TextMistake(rule + "    until: 2027-02-29T00:00:00Z\n", "4:12", "not a date"),
        TextMistake(rule + "    until: 31.1.2027\n", "4:12", "not a date"),
        TextMistake(rule + "    allow: microphone\n", "4:5", "repeated"),
        TextMistake("version: 1\nrules: []\nversion: 1\n", "3:1", "repeated"),
        TextMistake("version: 1\nrules:\n\t- allow: camera\n", "3:1", "not YAML"),
        TextMistake("version: 1\nrules:\n  - allow: \"camera\n", "3:12", "end of stream"),
        TextMistake("version: 1\nrules:\n  - allow: camera }\n - x\n", "4:2", "not YAML"),
        TextMistake("\u{FEFF}" + rule, "1:1", "byte order mark"),
        TextMistake("version: 1\nrules:\n  - allow: cam\u{1B}[2Jera\n", "3:15", "U+001B"),
        TextMistake(rule + "    reason: \u{7F}\n", "4:13", "U+007F"),
        TextMistake("version: 1\nrules:\n  - *none\n", "3:5", "undefined alias"),
        TextMistake(bomb(isKey: false), "3:5", "Anchors and aliases are not supported"),
        TextMistake(bomb(isKey: true), "3:5", "Anchors and aliases are not supported"),
    ]

    /// Aliases of aliases: 9 to the power of 12 words.
    private static func bomb(isKey: Bool) -> String {
        let levels = (1...12).map { level in
            "a\(level): &a\(level) [" + (0..<9).map { _ in "*a\(level - 1)" }.joined(separator: ",") + "]\n"
        }
        let end = isKey ? "? *a12\n: allow\n" : "rules: *a12\n"
        return "version: 1\n# as long as it looks\na0: &a0 [x,x,x,x,x,x,x,x,x]\n" + levels.joined() + end
    }

    @Test("a mistake ends with 78 and is named with file, line and column", arguments: mistakes)
    func mistake(_ mistake: TextMistake) async throws {
        let workspace = try await workspace(mistake.text)
        let ending = try await workspace.capturegate("policy", "check", "policy.d")
        #expect(ending.code == 78)
        let lines = ending.output.split(separator: "\n")
        #expect(lines.contains { $0.contains("policy.d/a.yaml:\(mistake.place): ") }, "\(ending.output)")
        #expect(ending.output.contains(mistake.cause), "\(ending.output)")
        #expect(!ending.output.contains("\u{1B}"))
        let json = try await workspace.capturegate("policy", "check", "policy.d", "--json")
        #expect(json.code == 78)
        let found = try Document(json.output)["diagnostics"].elements
        let places = found.map { "\(Int($0["line"].number ?? -1)):\(Int($0["column"].number ?? -1))" }
        #expect(places.contains(mistake.place))
        #expect(found.allSatisfy { $0["file"].string?.hasSuffix("/policy.d/a.yaml") == true })
    }

    @Test("all mistakes of all files are told at once, in the order in which they are read")
    func all() async throws {
        let workspace = try await workspace("version: 2\nrules:\n  - allow: x\n")
        try workspace.write("{", to: "policy.d/B.yaml")
        _ = try await workspace.run(["chmod", "644", "policy.d/B.yaml"])
        let ending = try await workspace.capturegate("policy", "check", "policy.d")
        let files = ending.output.split(separator: "\n").map { $0.contains("B.yaml") }
        #expect(files == [true, false, false])
    }

    /// Changes to a good file or its directory, and the expected messages.
    static let harms = [
        ("chmod 666 policy.d/a.yaml", "Other users can write to this (mode 0666)"),
        ("chmod 664 policy.d/a.yaml", "Other users can write to this"),
        ("chmod 777 policy.d", "Other users can write to this (mode 0777)"),
        ("mv policy.d/a.yaml b; ln -s ../b policy.d/a.yaml", "symbolic link"),
        ("ln -s nowhere policy.d/c.yaml", "symbolic link"), ("mkdir policy.d/c.yaml", "not a regular file"),
        ("mkfifo policy.d/c.yaml", "not a regular file"), ("cp policy.d/a.yaml policy.d/c.yml", "end in .yaml"),
        ("printf 'version: 1\\nrules: []\\n#\\377\\n' > policy.d/a.yaml", "a.yaml:3:2: This byte is not valid UTF-8"),
        ("head -c 1048577 /dev/zero | tr '\\0' '#' > policy.d/a.yaml", "longer than 128 KiB"),
        ("rm -r policy.d; ln -s /mnt/not-mounted-here policy.d", "symbolic link is broken"),
        ("rm -r policy.d; ln -s policy.d policy.d", "symbolic link is broken"),
        ("cp policy.d/a.yaml policy.d/deny.YAML", "deny.YAML: The name of a policy file must end in .yaml"),
        ("cp policy.d/a.yaml policy.d/deny", "deny: The name of a policy file must end in .yaml"),
        ("cp policy.d/a.yaml policy.d/deny.json", "deny.json: The name of a policy file must end in .yaml"),
        (
            "printf 'version: 1\\nrules:\\342\\200\\250 []\\n' > policy.d/a.yaml",
            "a.yaml:2:7: This is a Unicode line break"
        ),
        ("truncate -s 1T policy.d/a.yaml", "longer than 128 KiB"),
        (": > policy.d/a.yaml", "The file is empty"),
    ]

    @Test("a file that can't be trusted or read ends with 78 and says why", arguments: harms)
    func harm(deed: String, cause: String) async throws {
        let workspace = try await workspace(Self.rule)
        _ = try await workspace.run(["sh", "-c", deed])
        let ending = try await workspace.capturegate("policy", "check", "policy.d")
        #expect(ending.code == 78)
        #expect(ending.output.contains(cause), "\(ending.output)")
    }

    @Test("what editors and packages leave is named, and is no policy")
    func leftovers() async throws {
        let workspace = try await workspace(Self.rule)
        _ = try await workspace.run([
            "sh", "-c", "cd policy.d; touch README a.yaml~ .a.swp; echo '{' > a.yaml.dpkg-old",
        ])
        let ending = try await workspace.capturegate("policy", "check", "policy.d")
        #expect(ending.code == 0)
        for name in ["README", "a.yaml~", ".a.swp", "a.yaml.dpkg-old"] {
            #expect(ending.output.contains("Ignored: \(name) "), "\(ending.output)")
        }
        let json = try Document(try await workspace.capturegate("policy", "check", "policy.d", "--json").output)
        #expect(json["passed_over"].elements.count == 4)
    }

    @Test("a folder that is not there is told, with 64")
    func absent() async throws {
        let ending = try await Workspace().capturegate("policy", "check", "no-such-folder")
        #expect(ending.code == 64 && ending.errors.contains("does not exist"))
    }

    @Test("control characters in a file's name are shown, not obeyed")
    func controls() async throws {
        let workspace = try await workspace(Self.rule)
        _ = try await workspace.run(["sh", "-c", "mkdir \"policy.d/$(printf 'x\\033[2J').yaml\""])
        let ending = try await workspace.capturegate("policy", "check", "policy.d")
        #expect(ending.code == 78)
        #expect(ending.output.contains("x\\u{1b}[2J.yaml"))
        #expect(!ending.output.contains("\u{1B}"))
    }
}
