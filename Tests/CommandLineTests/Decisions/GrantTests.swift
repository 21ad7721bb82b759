import Testing

@Suite("grants by command", .fewAtOnce)
struct GrantTests {
    @Test(
        "each lifetime is stored as it was said",
        arguments: ["--once", "--session", "--for 2h", "--until 2199-01-01T12:00", "--always"])
    func lifetimes(option: String) async throws {
        let workspace = try Workspace()
        let words = ["grant", "camera", "--json"] + option.split(separator: " ").map(String.init)
        let ending = try await workspace.capturegate(words)
        #expect(ending.code == 0)
        let document = try Document(ending.output)
        let word = option.dropFirst(2).split(separator: " ")[0]
        #expect(document["decision"]["lifetime"].string == (word == "for" ? "until" : String(word)))
        #expect((document["committed_ns"].number ?? 0) > 0)
        let status = try Document(try await workspace.capturegate("status", "--json").output)
        let stored = try #require(status["decisions"].elements.first)
        guard case .object(let members) = document["decision"] else { throw Failure("there is no decision") }
        for (name, value) in members { #expect(stored[name] == value, "\(name)") }
        // Each command of a test has a separate session.
        #expect(stored["in_force"] == .bool(option != "--session"))
    }

    @Test("where the session's leader has ended nothing is granted for the session, all else works")
    func leaderless() async throws {
        let workspace = try Workspace()
        // The outer shell waits for the session's leader, which leaves the waiting part running.
        let part = """
            while [ -e /proc/$leader ]; do sleep 0.01; done
            "$0" grant camera --session; echo "code $?"; "$0" grant camera --always; echo "code $?"
            """
        let leader = "leader=$$; ( \(part) ) &"
        let ending = try await workspace.run(["sh", "-c", "setsid sh -c '\(leader)' \(Executable.capturegate); wait"])
        #expect(ending.output.split(separator: "\n").filter { $0.hasPrefix("code") } == ["code 64", "code 0"])
        #expect(ending.errors.contains("--for 8h"))
    }

    @Test("the level and the device are what was said")
    func levelAndDevice() async throws {
        let workspace = try Workspace()
        let line = ["grant", "microphone", "--level", "meter", "--device", "tone", "--once", "--json"]
        let decision = try Document(try await workspace.capturegate(line).output)["decision"]
        #expect(decision["level"] == .string("meter"))
        #expect(decision["device"] == .string("test:tone"))
    }

    @Test("another program is named by its file")
    func otherProgram() async throws {
        let workspace = try Workspace()
        try workspace.write("#!/bin/sh\n", to: "memo")
        let line = ["grant", "microphone", "--to", "memo", "--always", "--json"]
        let decision = try Document(try await workspace.capturegate(line).output)["decision"]
        #expect(decision["executable"].string?.hasSuffix("/memo") == true)
        #expect(decision["sha256"].string?.count == 64)
    }

    @Test("a device that is not there may be decided about by its id, not by a part of a name")
    func absentDevice() async throws {
        let workspace = try Workspace()
        let ending = try await workspace.capturegate("grant", "camera", "--device", "camera:usb-x", "--once")
        #expect(ending.code == 0)
        let other = try await workspace.capturegate("grant", "camera", "--device", "nonsense", "--once")
        #expect(other.code == 66)
        #expect(other.errors.contains("test:bars"))
    }

    @Test("a microphone is no camera")
    func wrongKind() async throws {
        let ending = try await Workspace().capturegate("grant", "camera", "--device", "test:tone", "--once")
        #expect(ending.code == 66)
        #expect(ending.errors.contains("is a microphone"))
    }

    @Test("revoking takes back this program's grants of all devices, and no others")
    func revoke() async throws {
        let workspace = try Workspace()
        try workspace.write("#!/bin/sh\n", to: "memo")
        _ = try await workspace.capturegate("grant", "camera", "--always")
        _ = try await workspace.capturegate("grant", "camera", "--device", "test:bars", "--once")
        _ = try await workspace.capturegate("grant", "microphone", "--always")
        _ = try await workspace.capturegate("grant", "camera", "--to", "memo", "--always")
        let document = try Document(try await workspace.capturegate("revoke", "camera", "--json").output)
        #expect(document["removed"].elements.map { $0["id"] } == [.number(1), .number(2)])
        #expect((document["committed_ns"].number ?? 0) > 0)
        let status = try Document(try await workspace.capturegate("status", "--json").output)
        #expect(status["decisions"].elements.map { $0["id"] } == [.number(3), .number(4)])
    }

    @Test("revoking what was never granted is told and no error")
    func revokeNothing() async throws {
        let ending = try await Workspace().capturegate("revoke", "camera")
        #expect(ending.code == 0)
        #expect(ending.output.lowercased().contains("no permissions or denials"))
    }

    @Test("a program that has been deleted can be revoked by its path")
    func revokeDeleted() async throws {
        let workspace = try Workspace()
        try workspace.write("#!/bin/sh\n", to: "memo")
        let path = try await workspace.run(["realpath", "memo"]).output.split(separator: "\n").map(String.init)[0]
        _ = try await workspace.capturegate("grant", "camera", "--to", path, "--always")
        _ = try await workspace.run(["rm", "memo"])
        let document = try Document(try await workspace.capturegate("revoke", "camera", "--to", path, "--json").output)
        #expect(document["removed"].elements.count == 1)
    }

    @Test("a kill switch stands above grants, and says how it is taken off")
    func killSwitch() async throws {
        let workspace = try Workspace()
        #expect(try await workspace.capturegate("microphone", "off").code == 0)
        let grant = try await workspace.capturegate("grant", "microphone", "--always")
        #expect(grant.code == 0)
        #expect(grant.errors.contains("capturegate microphone on"))
        let refused = try await workspace.capturegate("record", "a.wav", "--microphone", "test:tone", "--for", "1s")
        #expect(refused.code == 77)
        #expect(refused.errors.contains("capturegate microphone on"))
        #expect(try await workspace.capturegate("microphone", "on").code == 0)
        let status = try Document(try await workspace.capturegate("status", "--json").output)
        #expect(status["kill_switches"].elements.isEmpty)
    }
}
