import Dispatch
import Glibc
import Testing

@testable import CaptureGate

@Suite("Desktop prompter")
struct DesktopPrompterTests {
    @Test(
        "What the dialog prints is the answer, if it ends well",
        arguments: [
            ("echo n", Answer.deny), ("echo o", .allow(.once)), ("echo s", .allow(.session(Questions.session))),
            ("echo a", .allow(.always)), ("printf a", .allow(.always)),
        ])
    func answers(script: String, expected: Answer) async throws {
        for kind in [DesktopDialog.Kind.zenity, .kdialog] {
            #expect(try await FakeDialog(script, as: kind).prompter().ask(Questions.one()) == expected)
        }
    }

    @Test(
        "A closed window and an empty answer turn away, whatever was printed before",
        arguments: ["exit 1", "echo a; exit 1", "true", "echo 'Gtk-WARNING: theme' >&2; exit 1"])
    func turnedAway(script: String) async throws {
        #expect(try await FakeDialog(script).prompter().ask(Questions.one()) == .dismissed)
    }

    @Test("zenity's own time-out is one")
    func timedOut() async throws {
        #expect(try await FakeDialog("echo a; exit 5").prompter().ask(Questions.one()) == .timedOut)
    }

    @Test(
        "A dialog that fails answers nothing, and its error says how",
        arguments: [
            ("echo a; echo 'bad option' >&2; exit 255", "exit status 255"), ("exit 2", "exit status 2"),
            ("echo a; kill -SEGV $$", "signal 11"), ("echo z", "none of its choices"),
            ("echo a; echo o", "none of its choices"), ("echo always", "none of its choices"),
            ("echo 'cannot open display: :7' >&2; exit 1", "no display"),
            ("head -c 200000 /dev/zero | tr '\\0' a", "none of its choices"),
        ])
    func failures(script: String, message: String) async throws {
        let answer = try await FakeDialog(script).prompter().ask(Questions.one())
        guard case .failed(let error) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(error.message.contains(message) && !error.remedies.isEmpty)
    }

    @Test("What a failing dialog says is shown, not obeyed")
    func hostileDiagnostics() async throws {
        let answer = try await FakeDialog("printf 'x\\033[2J\\n' >&2; exit 9").prompter().ask(Questions.one())
        guard case .failed(let error) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(error.message.contains("x\\u{1b}[2J"))
    }

    @Test("A name becomes neither an option nor markup, and no line of its own")
    func hostileNames() async throws {
        let fake = try FakeDialog("printf '%s\\n' \"$@\" >arguments; echo n")
        let hostile = Questions.one(device: "--title=x <b>&lt;'\"\\n\n--extra-button=a", path: "--help")
        #expect(await fake.prompter().ask(hostile) == .deny)
        let arguments = fake.text("arguments").split(separator: "\n").map(String.init)
        let shown = try #require(arguments.first { $0.contains("=x") })
        #expect(shown.contains("&lt;b&gt;&amp;lt;&#39;&quot;\\\\n\\\\u{a}--extra-button=a"))
        #expect(!arguments.contains { $0.hasPrefix("--extra-button") || $0 == "--help" })
        #expect(arguments.contains { $0.hasPrefix("--text=--help wants to use") })
        #expect(arguments.suffix(12).prefix(3) == ["TRUE", "n", "No: until you take it back"])
        #expect(arguments.filter { $0 == "TRUE" }.count == 1)
        #expect(arguments.dropLast(12).allSatisfy { $0.hasPrefix("--") || !$0.hasPrefix("-") })
    }

    @Test("kdialog gets rich text in every case, so that escaping is right in every case")
    func kdialog() async throws {
        let fake = try FakeDialog("printf '%s\\n' \"$@\" >arguments; echo n", as: .kdialog)
        #expect(await fake.prompter().ask(Questions.one(device: "<img src=x>", path: "--help")) == .deny)
        let arguments = fake.text("arguments").split(separator: "\n").map(String.init)
        let heading = try #require(arguments.first { $0.hasPrefix("<qt>") })
        #expect(heading.contains("&lt;img src=x&gt;") && heading.contains("<br>"))
        #expect(!arguments.contains("--help"))
        #expect(arguments.suffix(12).prefix(3) == ["n", "No: until you take it back", "on"])
        #expect(arguments.filter { $0 == "on" }.count == 1)
    }

    @Test("The dialog gets the display, and nothing that could change what it is")
    func environment() async throws {
        let fake = try FakeDialog("env >environment; ls -l /proc/$$/fd >descriptors; echo n")
        let prompter = fake.prompter(environment: [
            "LD_PRELOAD": "/tmp/x.so", "GTK_MODULES": "x", "PATH": "/tmp", "WAYLAND_DISPLAY": "wayland-9",
            "ZENITY_CANCEL": "0", "BASH_ENV": "/tmp/x", "LC_ALL": "tlh", "HOME": "/home/me",
        ])
        #expect(await prompter.ask(Questions.one()) == .deny)
        let variables = Set(fake.text("environment").split(separator: "\n").map(String.init))
        #expect(
            variables.isSuperset(of: [
                "DISPLAY=:7", "WAYLAND_DISPLAY=wayland-9", "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8",
                "XAUTHORITY=/home/me/.Xauthority", "HOME=/dev/null", "XDG_CONFIG_HOME=/dev/null",
            ]))
        for name in ["LD_PRELOAD", "GTK_MODULES", "ZENITY_CANCEL", "BASH_ENV"] {
            #expect(!variables.contains { $0.hasPrefix("\(name)=") })
        }
        // bash itself has the script open.
        #expect(fake.text("descriptors").split(separator: "\n").filter { $0.contains(" -> ") }.count <= 4)
    }

    @Test("A deadline that passes ends the dialog and all it started")
    func deadline() async throws {
        let fake = try FakeDialog("exec 3>alive; trap '' TERM HUP; : >started; sleep 1000 & sleep 1000; echo a")
        guard mkfifo(fake.folder + "/alive", 0o600) == 0 else { throw TemporaryFolder.Failure() }
        let alive = open(fake.folder + "/alive", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(alive) }
        // A slow machine needs a longer deadline to start the dialog before it passes.
        var deadline = Duration.seconds(1)
        while access(fake.folder + "/started", F_OK) != 0 {
            #expect(await fake.prompter(deadline: deadline).ask(Questions.one()) == .timedOut)
            deadline *= 2
        }
        let gone = await withCheckedContinuation { continuation in
            DispatchQueue(label: "gone").async {
                var item = pollfd(fd: alive, events: Int16(POLLIN), revents: 0)
                continuation.resume(returning: poll(&item, 1, 120_000))
            }
        }
        // At its end: no process has the other side open.
        var byte: UInt8 = 0
        #expect(gone == 1 && read(alive, &byte, 1) == 0)
    }

    @Test("A cancelled task ends the dialog and all it started")
    func cancelled() async throws {
        let fake = try FakeDialog("echo >started; exec sleep 1000")
        guard mkfifo(fake.folder + "/started", 0o600) == 0 else { throw TemporaryFolder.Failure() }
        let prompter = fake.prompter()
        let task = Task { await prompter.ask(Questions.one()) }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            DispatchQueue(label: "started").async {
                // Opens when the dialog does.
                let started = open(fake.folder + "/started", O_RDONLY | O_CLOEXEC)
                var byte: UInt8 = 0
                _ = read(started, &byte, 1)
                close(started)
                continuation.resume()
            }
        }
        task.cancel()
        #expect(await task.value == .dismissed)
    }

    @Test("A dialog that ends leaves nothing behind that it started")
    func leftover() async throws {
        let fake = try FakeDialog("exec 3>alive; sleep 1000 & echo n")
        guard mkfifo(fake.folder + "/alive", 0o600) == 0 else { throw TemporaryFolder.Failure() }
        let alive = open(fake.folder + "/alive", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(alive) }
        #expect(await fake.prompter().ask(Questions.one()) == .deny)
        var item = pollfd(fd: alive, events: Int16(POLLIN), revents: 0)
        var byte: UInt8 = 0
        #expect(poll(&item, 1, 120_000) == 1 && read(alive, &byte, 1) == 0)
    }

    @Test("A confirmation is a yes only after a yes")
    func confirmation() async throws {
        let confirmation = ConfirmationRequest("Overwrite?", agreement: "--help")
        for (script, expected) in [
            ("echo y", ConfirmationAnswer.yes), ("echo n", .no), ("true", .dismissed), ("exit 1", .dismissed),
        ] {
            let fake = try FakeDialog("printf '%s\\n' \"$@\" >arguments; \(script)")
            #expect(await fake.prompter().confirm(confirmation) == expected)
            #expect(
                fake.text("arguments").split(separator: "\n").suffix(6) == [
                    "TRUE", "n", "No", "FALSE", "y", "Yes (--help)",
                ])
        }
    }

    @Test("Without a display, or a program to show a dialog with, nobody can be asked, and it says what to do")
    func obstacles() async throws {
        let fake = try FakeDialog("echo a")
        #expect(await fake.prompter().obstacle() == nil)
        let blind = fake.prompter(environment: ["DISPLAY": ""])
        let missing = DesktopPrompter(
            deadline: .seconds(60), dialogs: [DesktopDialog(kind: .zenity, path: "/no/such/dialog")],
            environment: ["DISPLAY": ":7"])
        for prompter in [blind, missing] {
            let obstacle = try #require(await prompter.obstacle())
            #expect(!obstacle.remedies.isEmpty)
            #expect(await prompter.ask(Questions.one()) == .failed(obstacle))
        }
    }
}
