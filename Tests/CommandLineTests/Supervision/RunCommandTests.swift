import Testing

@Suite("run", .serialized, .fewAtOnce)
struct RunCommandTests {
    @Test("a program's output and status are its own")
    func status() async throws {
        let workspace = try Workspace()
        let ending = try await workspace.capturegate("run", "--", "sh", "-c", "echo said; exit 7")
        #expect(ending.code == 7)
        #expect(ending.output == "said\n")
    }

    @Test("a program that a signal ends has the status that a shell gives it")
    func signal() async throws {
        let workspace = try Workspace()
        #expect(try await workspace.capturegate("run", "--", "sh", "-c", "kill -TERM $$").code == 143)
    }

    @Test("options behind -- are the program's")
    func operands() async throws {
        let workspace = try Workspace()
        let ending = try await workspace.capturegate(
            "run", "--camera", "none", "--", "echo", "--camera", "-n", "--", "x")
        #expect(ending.code == 0)
        #expect(ending.output == "--camera -n -- x\n")
    }

    @Test("a program that is not there, and one that may not be executed, are told")
    func missing() async throws {
        let workspace = try Workspace()
        let missing = try await workspace.capturegate("run", "--", "no-such-program")
        #expect(missing.code == 66)
        #expect(missing.errors.contains("no program \"no-such-program\" on the PATH"))
        try workspace.write("text", to: "plain")
        let plain = try await workspace.capturegate("run", "--", "./plain")
        #expect(plain.code == 69)
        #expect(plain.errors.contains("can't be started: Permission denied"))
    }

    @Test("without a program, or with a service that nobody knows, the usage is told")
    func usage() async throws {
        let workspace = try Workspace()
        #expect(try await workspace.capturegate("run").code == 64)
        let service = try await workspace.capturegate("run", "--allow", "pulseaudio", "--", "true")
        #expect(service.code == 64)
        #expect(service.errors.contains("pipewire, pulse, jack, session-bus"))
    }

    @Test("a camera that is not there can't be chosen")
    func device() async throws {
        let workspace = try Workspace()
        #expect(try await workspace.capturegate("run", "--camera", "none such", "--", "true").code == 66)
    }

    @Test("one supervisor can't be put into another")
    func nested() async throws {
        let workspace = try Workspace()
        let ending = try await workspace.capturegate("run", "--", Executable.capturegate, "run", "--", "true")
        #expect(ending.code == 69)
        #expect(ending.errors.contains("already runs under a supervisor"))
    }

    @Test("what a program leaves behind is waited for, and ends with the supervisor")
    func orphans() async throws {
        let workspace = try Workspace()
        let ending = try await workspace.capturegate(
            "run", "--", "sh", "-c", "(sleep 0.3; echo late) & echo early; exit 3")
        #expect(ending.code == 3)
        #expect(ending.output == "early\nlate\n")
    }
}
