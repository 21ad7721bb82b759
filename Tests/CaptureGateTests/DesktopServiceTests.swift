import Glibc
import LinuxSystem
import Testing

@testable import CaptureGate

/// A machine's programs in a directory of the test.
private struct Machine {
    let root: String
    var environment = ["DISPLAY": ":77"]

    init(_ programs: [String], entries: [String] = []) throws {
        root = try TemporaryFolder.make()
        for folder in ["usr", "usr/bin", "usr/share", "usr/share/applications"] { mkdir("\(root)/\(folder)", 0o700) }
        for program in programs { close(creat("\(root)/usr/bin/\(program)", 0o700)) }
        for entry in entries { close(creat("\(root)/usr/share/applications/\(entry).desktop", 0o600)) }
    }

    var desktop: DesktopPrograms { DesktopPrograms(environment: environment, root: root) }

    /// Words of a program that would be started, without its directory.
    func words(_ program: ChildProcess?) -> [String]? {
        program.map { ([$0.path] + $0.arguments).map { $0.hasPrefix(root) ? String($0.dropFirst(root.count)) : $0 } }
    }
}

@Suite("Programs of the desktop")
struct DesktopProgramsTests {
    @Test("The proposed standard's terminal goes before the person's, and that before the system's")
    func terminals() throws {
        var machine = try Machine(["xterm", "capturegate"])
        #expect(
            machine.words(machine.desktop.terminal(running: ["capturegate"])) == [
                "/usr/bin/xterm", "-e", "/usr/bin/capturegate",
            ])
        machine = try Machine(["xterm", "x-terminal-emulator", "capturegate", "foot"])
        #expect(
            machine.words(machine.desktop.terminal(running: ["capturegate"]))?.first == "/usr/bin/x-terminal-emulator")
        machine.environment["TERMINAL"] = "foot"
        #expect(machine.words(machine.desktop.terminal(running: ["capturegate"]))?.first == "/usr/bin/foot")
        close(creat("\(machine.root)/usr/bin/xdg-terminal-exec", 0o700))
        #expect(
            machine.words(machine.desktop.terminal(running: ["capturegate", "grant", "camera"]))
                == ["/usr/bin/xdg-terminal-exec", "/usr/bin/capturegate", "grant", "camera"])
    }

    @Test(
        "A variable that names no program names no terminal",
        arguments: ["", "-e", "foot -e", "../bin/xterm", "/no/such/terminal", "a;b"])
    func variable(value: String) throws {
        var machine = try Machine(["xterm", "capturegate"])
        machine.environment["TERMINAL"] = value
        #expect(machine.words(machine.desktop.terminal(running: ["capturegate"]))?.first == "/usr/bin/xterm")
    }

    @Test(
        "A word that a shell could take for its own is not handed to a terminal",
        arguments: [
            "", "a b", "$(id)", "`id`", "a;b", "a|b", "a&b", "a>b", "'a'", "\"", "*", "~", "#", "\n", "\u{1B}", "ü",
        ])
    func hostile(word: String) throws {
        let machine = try Machine(["xterm", "capturegate"])
        #expect(machine.desktop.terminal(running: ["capturegate", "grant", word]) == nil)
    }

    @Test("Without a display, a terminal or the program there is no button")
    func nothing() throws {
        var machine = try Machine(["xterm", "capturegate"])
        #expect(machine.desktop.terminal(running: []) == nil)
        #expect(machine.desktop.terminal(running: ["none"]) == nil)
        #expect(machine.desktop.terminal(running: ["./capturegate"]) == nil)
        machine.environment = [:]
        #expect(machine.desktop.terminal(running: ["capturegate"]) == nil)
        machine = try Machine(["capturegate"])
        #expect(machine.desktop.terminal(running: ["capturegate"]) == nil)
    }

    @Test("GNOME's settings have a page for each, or one of privacy")
    func gnome() throws {
        var machine = try Machine(["gnome-control-center"], entries: ["gnome-microphone-panel"])
        #expect(machine.desktop.settings(about: .microphone) == nil)
        machine.environment["XDG_CURRENT_DESKTOP"] = "ubuntu:GNOME"
        #expect(
            machine.words(machine.desktop.settings(about: .microphone)) == [
                "/usr/bin/gnome-control-center", "microphone",
            ])
        #expect(machine.desktop.settings(about: .camera) == nil && machine.desktop.settings(about: .storage) == nil)
        machine = try Machine(["gnome-control-center"], entries: ["gnome-privacy-panel"])
        machine.environment["XDG_CURRENT_DESKTOP"] = "GNOME"
        #expect(
            machine.words(machine.desktop.settings(about: .camera)) == ["/usr/bin/gnome-control-center", "privacy"])
    }

    @Test("Plasma's settings have the rights of programs")
    func plasma() throws {
        var machine = try Machine(["systemsettings"], entries: ["kcm_flatpak", "kcm_pulseaudio"])
        machine.environment["XDG_CURRENT_DESKTOP"] = "KDE"
        #expect(machine.words(machine.desktop.settings(about: .camera)) == ["/usr/bin/systemsettings", "kcm_flatpak"])
        machine = try Machine(["systemsettings"], entries: ["kcm_pulseaudio"])
        machine.environment["XDG_CURRENT_DESKTOP"] = "KDE"
        #expect(
            machine.words(machine.desktop.settings(about: .microphone)) == [
                "/usr/bin/systemsettings", "kcm_pulseaudio",
            ])
        #expect(machine.desktop.settings(about: .camera) == nil)
    }
}

@Suite("Services of a bus that is not there")
struct MissingBusTests {
    private let nowhere = [
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=/no/such/socket", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/no/such/socket",
    ]

    @Test("A location is absent, and allowed by nobody")
    func location() async {
        let service = GeoClue(desktopID: "test", deadline: .seconds(1), environment: nowhere)
        guard case .absent(let error) = await service.state(for: .city), case .failed = await service.ask(for: .city)
        else {
            Issue.record("there is one")
            return
        }
        #expect(error.kind == .unavailable && !error.remedies.isEmpty)
        await #expect(throws: CaptureError.self) { try await service.position(.city, within: .seconds(1)) }
    }

    @Test("No push message would arrive")
    func push() async {
        let distributors = PushDistributors(
            for: "org.example.Memo", token: "secret", purpose: "Test", serverKey: nil, distributor: nil,
            deadline: .seconds(1), environment: nowhere)
        #expect(await distributors.obstacle()?.kind == .unavailable)
        guard case .failure(let error) = await distributors.register() else {
            Issue.record("registered")
            return
        }
        #expect(error.message.contains("Push messages can't arrive"))
    }

    @Test("A notice reaches nobody")
    func notice() async {
        let notice = DesktopNotice(deadline: .seconds(1), command: { _ in nil }, environment: nowhere, root: "")
        guard case .failed = await notice.show(CaptureError(.busy, "It is in use.")) else {
            Issue.record("shown")
            return
        }
    }

    @Test(
        "A name or a token that is none is not registered",
        arguments: [
            ("memo", "t"), ("", "t"), ("org..memo", "t"), ("org.1memo", "t"), ("org.me mo", "t"), ("org.memo", ""),
        ])
    func names(application: String, token: String) async {
        let distributors = PushDistributors(
            for: application, token: token, purpose: "Test", serverKey: nil, distributor: nil, deadline: .seconds(1),
            environment: nowhere)
        guard case .failure(let error) = await distributors.register() else {
            Issue.record("registered")
            return
        }
        #expect(error.kind == .usage)
    }

    @Test("An endpoint is a URL of the web")
    func endpoints() {
        #expect(PushDistributors.isEndpoint("https://push.example.org/up?token=1"))
        for url in ["", "https://", "ftp://a/b", "https://a b", "https://ä", "https://a\n", "javascript:alert(1)"] {
            #expect(!PushDistributors.isEndpoint(url))
        }
        #expect(!PushDistributors.isEndpoint("https://a/" + String(repeating: "x", count: 1000)))
    }

    @Test("Tokens differ, and are long enough that nobody guesses them")
    func tokens() {
        let tokens = Set((0..<100).map { _ in PushDistributors.newToken() })
        #expect(tokens.count == 100 && tokens.allSatisfy { $0.count == 32 })
    }
}
