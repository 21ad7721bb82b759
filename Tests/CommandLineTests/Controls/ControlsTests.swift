import Testing

@Suite("controls", .fewAtOnce)
struct ControlsTests {
    @Test("are refused where nobody has allowed the device, with the command of the lowest level")
    func refused() async throws {
        let ending = try await Workspace().capturegate("controls", "test:bars", "--json")
        #expect(ending.code == 77)
        #expect(ending.errors.contains("capturegate grant camera --device test:bars --level still --once"))
        #expect(try Document(ending.output)["error"]["exit_code"] == .number(77))
    }

    @Test("of a microphone are asked for at its lowest level", arguments: ["test:tone", "alsa:null"])
    func microphone(device: String) async throws {
        let ending = try await Workspace().capturegate("controls", device, "volume=1")
        #expect(ending.code == 77)
        #expect(ending.errors.contains("capturegate grant microphone --device \(device) --level meter --once"))
    }

    @Test("of a built-in device are none, which is no error")
    func none() async throws {
        let workspace = try Workspace()
        #expect(try await workspace.capturegate("grant", "camera", "--level", "still", "--always").code == 0)
        let list = try await workspace.capturegate("controls", "test:bars")
        #expect(list.code == 0)
        #expect(list.output.contains("has no controls"))
        let json = try await workspace.capturegate("controls", "test:bars", "--json")
        let document = try Document(json.output)
        #expect(document["device"] == .string("test:bars"))
        #expect(document["controls"].elements.isEmpty)
        let log = try await workspace.capturegate("log")
        #expect(log.output.contains("controls read"))
    }

    @Test("of a name of ALSA's configuration are none: a card's are those of the card's own microphones")
    func named() async throws {
        let workspace = try Workspace()
        #expect(try await workspace.capturegate("grant", "microphone", "--level", "meter", "--always").code == 0)
        let list = try await workspace.capturegate("controls", "alsa:null")
        #expect(list.code == 0)
        #expect(list.output.contains("has no controls"))
    }

    @Test("that the device does not have are refused")
    func unknown() async throws {
        let workspace = try Workspace()
        #expect(try await workspace.capturegate("grant", "camera", "--always").code == 0)
        let ending = try await workspace.capturegate("controls", "test:bars", "brightness=5")
        #expect(ending.code == 64)
        #expect(ending.errors.contains("has no controls"))
    }

    @Test("use up a grant for once")
    func once() async throws {
        let workspace = try Workspace()
        #expect(try await workspace.capturegate("grant", "camera", "--level", "still", "--once").code == 0)
        #expect(try await workspace.capturegate("controls", "test:bars").code == 0)
        #expect(try await workspace.capturegate("controls", "test:bars").code == 77)
    }

    @Test("of a device that is not there end with 66 and name those that are", arguments: ["nonsense", "camera:x", ""])
    func absent(device: String) async throws {
        let ending = try await Workspace().capturegate("controls", device, "brightness")
        #expect(ending.code == 66)
        #expect(ending.errors.contains("test:bars"))
    }

    @Test("of a name that fits two devices end with 66 and name both")
    func ambiguous() async throws {
        let ending = try await Workspace().capturegate("controls", "test:")
        #expect(ending.code == 66)
        #expect(ending.errors.contains("test:bars, test:tone"))
    }

    @Test(
        "are told what is wrong with the words before anybody is asked",
        arguments: [
            (["default"], "different devices"), (["test:bars", "=5"], "NAME=VALUE"), (["test:bars", ""], "NAME=VALUE"),
            (["test:bars", "gain=5", "--reset"], "--reset"), ([], "<device>"),
            (["test:bars", "--nonsense"], "--nonsense"),
        ])
    func usage(_ words: [String], _ cause: String) async throws {
        let ending = try await Workspace().capturegate(["controls"] + words)
        #expect(ending.code == 64)
        #expect(ending.errors.contains(cause))
    }
}
