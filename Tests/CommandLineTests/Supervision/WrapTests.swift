import FoundationEssentials
import Testing

@Suite("wrap", .serialized, .fewAtOnce)
struct WrapTests {
    /// Home with a tool in a separate directory after ~/.local/bin on the PATH.
    private struct Home {
        let workspace: Workspace
        var launcher: String { workspace.file(".local/bin/tool") }
        var tool: String { workspace.file("bin/tool") }

        init() async throws {
            workspace = try Workspace()
            try FileManager.default.createDirectory(
                atPath: workspace.file("bin"), withIntermediateDirectories: true)
            try await program("bin/tool", "printf '%s|' \"$0\" \"$@\"\n")
        }

        /// A separate process writes it: a file that this one has open may also be open in another test's child, and the kernel
        /// starts nothing that is open for writing.
        func program(_ name: String, _ script: String) async throws {
            let write = "printf '%s' \"$1\" > \"$2\" && chmod 755 \"$2\""
            let text = "#!/bin/sh\n" + script
            let ending = try await workspace.run(["sh", "-c", write, "sh", text, workspace.file(name)])
            guard ending.code == 0 else { throw Failure(ending.errors) }
        }

        func folder(_ name: String) throws {
            try FileManager.default.createDirectory(atPath: workspace.file(name), withIntermediateDirectories: true)
        }

        /// Runs a shell's command as this user, with the usual PATH.
        func shell(_ command: String) async throws -> Ending {
            let path = "PATH=\(workspace.file(".local/bin")):\(workspace.file("bin")):$PATH"
            return try await workspace.run(["sh", "-c", "\(path); export PATH; \(command)"])
        }

        func capturegate(_ words: String) async throws -> Ending {
            try await shell("'\(Executable.capturegate)' \(words)")
        }

        /// All files and directories of the home, except decisions.
        var names: [String] {
            let all = FileManager.default.enumerator(atPath: workspace.path)?.compactMap { $0 as? String } ?? []
            return all.filter { !$0.hasPrefix("state") && !$0.hasPrefix("stderr-") }.sorted()
        }
    }

    @Test("a wrapped program runs under supervision by its own name, with its arguments")
    func run() async throws {
        let home = try await Home()
        let wrapped = try await home.capturegate("wrap tool --camera none --purpose \"it's mine\"")
        #expect(wrapped.code == 0, "\(wrapped.errors)")
        #expect(wrapped.output.contains(home.launcher))
        let ending = try await home.shell("tool 'a b' --camera -- \"x'y\"")
        #expect(ending.output == "\(home.tool)|a b|--camera|--|x'y|", "\(ending.code) \(ending.errors)")
        try await home.program("bin/tool", "grep Seccomp: /proc/self/status\n")
        #expect(try await home.shell("tool").output == "Seccomp:\t2\n")
    }

    @Test("within a run its launcher starts it as it is")
    func nested() async throws {
        let home = try await Home()
        _ = try await home.capturegate("wrap tool")
        let ending = try await home.capturegate("run -- tool inner")
        #expect(ending.code == 0)
        #expect(ending.output.hasSuffix("tool|inner|"))
    }

    @Test("what is wrapped is listed, wrapping again replaces the options, and unwrapping leaves nothing behind")
    func unwrap() async throws {
        let home = try await Home()
        let before = home.names
        _ = try await home.capturegate("wrap tool --camera none")
        _ = try await home.capturegate("wrap tool --microphone none")
        let listed = try await home.capturegate("wrap")
        #expect(listed.output.contains("--microphone none") && !listed.output.contains("--camera"))
        let document = try Document(await home.capturegate("wrap --json").output)
        #expect(document["wrapped"].elements.first?["program"].string == home.tool)
        #expect(try await home.capturegate("unwrap tool").code == 0)
        #expect(home.names == before)
        #expect(try await home.capturegate("wrap").output == "No program is wrapped.\n")
        #expect(try await home.capturegate("unwrap tool").code == 66)
    }

    @Test("a desktop entry of the program goes through the launcher, and is there again as it was")
    func entry() async throws {
        let home = try await Home()
        let own = """
            [Desktop Entry]
            Name=Tool
            Exec=env MODE=1 tool %U
            TryExec=tool
            DBusActivatable=true
            Actions=new;

            [Desktop Action new]
            Exec="\(home.tool)" --new

            """
        try home.folder(".local/share/applications")
        try home.workspace.write(own, to: ".local/share/applications/tool.desktop")
        try home.workspace.write(
            "[Desktop Entry]\nName=Other\nExec=other tool\n", to: ".local/share/applications/other.desktop")
        let before = home.names
        #expect(try await home.capturegate("wrap tool").code == 0)
        let copy = try home.workspace.text(".local/share/applications/tool.desktop")
        #expect(copy.contains("Exec=env MODE=1 \(home.launcher) %U\n"))
        #expect(copy.contains("TryExec=\(home.launcher)\n"))
        #expect(copy.contains("DBusActivatable=false\n"))
        #expect(copy.contains("Exec=\(home.launcher) --new\n"))
        #expect(try home.workspace.text(".local/share/applications/other.desktop").contains("Exec=other tool\n"))
        #expect(try await home.capturegate("unwrap tool").code == 0)
        #expect(try home.workspace.text(".local/share/applications/tool.desktop") == own)
        #expect(home.names == before)
    }

    @Test("a file that is not ours is left alone")
    func occupied() async throws {
        let home = try await Home()
        try home.folder(".local/bin")
        try home.workspace.write("#!/bin/sh\n", to: ".local/bin/tool")
        let ending = try await home.capturegate("wrap tool")
        #expect(ending.code == 73)
        #expect(ending.errors.contains("capturegate did not create it"))
        #expect(try home.workspace.text(".local/bin/tool") == "#!/bin/sh\n")
    }

    @Test("a launcher that nobody would find is not made, and the PATH is what the person is told to mend")
    func path() async throws {
        let home = try await Home()
        let without = try await home.workspace.run([
            "sh", "-c", "PATH='\(home.workspace.file("bin")):/usr/bin:/bin' '\(Executable.capturegate)' wrap tool",
        ])
        #expect(without.code == 78)
        #expect(without.errors.contains("comes before") || without.errors.contains("is not on the PATH"))
        #expect(!FileManager.default.fileExists(atPath: home.launcher))
    }

    @Test("what can't be wrapped is refused with its reason", arguments: ["no-such-program", "''", "--camera none"])
    func refused(words: String) async throws {
        let home = try await Home()
        let ending = try await home.capturegate("wrap \(words)")
        #expect([64, 66].contains(ending.code))
        #expect(!ending.errors.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: home.workspace.file(".local")))
    }
}
