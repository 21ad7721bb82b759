import Testing

@testable import capturegate

@Suite("help", .fewAtOnce)
struct HelpTests {
    @Test("--version prints the version")
    func version() async throws {
        let ending = try await Workspace().capturegate("--version")
        #expect(ending.code == 0)
        #expect(ending.output == "capturegate 0.1.0\n")
    }

    /// Commands by their names, as typed.
    static let commands = types.map { $0.0 }

    private static let types = CaptureGateCommand.configuration.subcommands.flatMap { command in
        let name = command.configuration.commandName ?? ""
        return [([name], command)]
            + command.configuration.subcommands.map { ([name, $0.configuration.commandName ?? ""], $0) }
    }

    private func help(_ words: [String], columns: Int = 80) async throws -> [Substring] {
        let ending = try await Workspace().run(["env", "COLUMNS=\(columns)", Executable.capturegate] + words)
        #expect(ending.code == 0 && ending.errors.isEmpty)
        return ending.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    }

    /// Options and arguments of a help, in their order.
    private func labels(_ help: [Substring]) -> [String] {
        help.filter { $0.hasPrefix("  -") }.compactMap {
            $0.split(separator: " ").first { $0.hasPrefix("--") }.map(String.init)
        }
    }

    @Test("the help of the program fits on a screen of 40 lines", arguments: [[], ["help"], ["--help"], ["-h"]])
    func program(words: [String]) async throws {
        let help = try await help(words)
        #expect(help.count <= 40)
        for command in Self.commands where command.count == 1 {
            #expect(help.contains { $0.hasPrefix("  \(command[0]) ") }, "\(command)")
        }
    }

    @Test("the help of a command has at most 60 lines of 80 columns, with examples", arguments: commands)
    func short(command: [String]) async throws {
        let help = try await help(command + ["--help"])
        #expect(help.count <= 60)
        #expect(help.allSatisfy { $0.count <= 80 })
        let name = "capturegate \(command.joined(separator: " "))"
        #expect(help.contains { $0.hasPrefix("  ") && $0.contains(name) })
        #expect(help == (try await self.help(["help"] + command)))
    }

    @Test("the help of record begins with the devices and the duration, and has about fifteen options")
    func record() async throws {
        let options = labels(try await help(["record", "--help"]))
        #expect(options.prefix(3) == ["--camera", "--microphone", "--for"])
        #expect((12...18).contains(options.count))
    }

    @Test("--help-all shows each option", arguments: [["record"], ["snapshot"], ["meter"]])
    func allOptions(command: [String]) async throws {
        let program = try await Workspace().capturegate("--experimental-dump-help")
        let found = try Document(program.output)["command"]["subcommands"].elements.first {
            $0["commandName"] == .string(command[0])
        }
        let names = (found?["arguments"].elements ?? []).filter { $0["kind"] != .string("positional") }
            .compactMap { $0["preferredName"]["name"].string.map { "--\($0)" } }
        #expect(names.count > 3)
        let shown = labels(try await help(command + ["--help-all"]))
        #expect(Set(shown) == Set(names).subtracting(["--help", "--version"]))
    }

    @Test("in a terminal of any width, no word breaks", arguments: commands + [[]])
    func widths(command: [String]) async throws {
        var words: [[Substring]] = []
        for columns in [40, 41, 59, 60, 79, 80, 133, 200] {
            let help = try await help(command + ["--help"], columns: columns)
            // A word that is longer than the line has a line for itself.
            #expect(help.allSatisfy { $0.count <= columns || $0.split(separator: " ").count <= 2 }, "\(columns)")
            words.append(help.flatMap { $0.split(separator: " ") }.filter { $0 != "\\" })
        }
        #expect(words.allSatisfy { $0 == words[0] })
    }

    @Test("a usage requires only what the parser requires", arguments: commands)
    func usage(command: [String]) throws {
        let type = try #require(Self.types.first { $0.0 == command }).1
        guard type.configuration.subcommands.isEmpty else { return }
        var depth = 0
        let required = CaptureGateCommand.usageString(for: type).filter { character in
            if character == "[" { depth += 1 }
            if character == "]" { depth -= 1 }
            return depth == 0 && character != "]"
        }
        let words = required.split(separator: " ").dropFirst(1 + command.count).filter { $0 != "..." }
        #expect(words.allSatisfy { $0.hasPrefix("<") || $0 == "--" }, "\(required)")
        let values = ["<capability>": "camera", "<position>": "off"]
        let line = command + words.map { $0 == "--" ? "--" : values[String($0), default: "a.yaml"] }
        // Two commands refuse what the parser accepts: a permission without a lifetime, and no program.
        let more = ["grant": ["--once"], "run": ["true"]][command[0], default: []]
        #expect(throws: Never.self) { _ = try CaptureGateCommand.parseAsRoot(line + more) }
    }

    @Test("a completion script asked of a command is that of the whole program", arguments: ["devices", "record"])
    func completionScript(command: String) async throws {
        let whole = try await Workspace().capturegate("--generate-completion-script", "bash")
        let part = try await Workspace().capturegate(command, "--generate-completion-script", "bash")
        #expect(whole.code == 0 && whole.output.contains("complete"))
        #expect((part.code, part.output) == (0, whole.output))
    }

    @Test("examples are on lines of their own, whole and as they are typed")
    func whole() async throws {
        let meter = try await Workspace().capturegate("help", "meter").output
        #expect(meter.contains("\n  capturegate meter --json | jq 'select(.event==\"level\").channels[0].peak_dbfs'\n"))
        let devices = try await Workspace().capturegate("help", "devices").output
        #expect(devices.contains("\n  capturegate record clip.mkv --camera \"$camera\" --for 5s\n"))
    }

    @Test("a reader that has gone ends the program quietly")
    func closedPipe() async throws {
        let command = "'\(Executable.capturegate)' help record | true; echo \"${PIPESTATUS[0]}\""
        let ending = try await Workspace().run(["bash", "-c", command])
        #expect(ending.output == "0\n")
        #expect(ending.errors.isEmpty)
    }

    @Test("output that can't be written is an error")
    func fullDevice() async throws {
        let ending = try await Workspace().run(["sh", "-c", "'\(Executable.capturegate)' devices >/dev/full"])
        #expect(ending.code == 74)
        #expect(ending.errors.contains("Standard output can't be written"))
    }
}
