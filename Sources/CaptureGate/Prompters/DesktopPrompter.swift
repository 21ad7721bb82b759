import Dispatch
import Gate
import LinuxSystem

/// Asks in a dialog on the desktop: zenity or kdialog, if one is installed and there is a display.
///
/// "No" is selected first; closing the window dismisses the question. The dialog gets only those variables of the environment that
/// it needs to find the display. It is killed, with all programs that it started, when the deadline passes or the task is
/// cancelled.
///
/// *thread-safe*
public struct DesktopPrompter: Prompter, PersonPrompter {
    /// Time that a person has to answer.
    public let deadline: Duration
    private let dialogs: [DesktopDialog]
    /// Environment at the process's start: a library that sets DISPLAY later does not divert the question.
    private let environment: [String: String]
    private let queue = DispatchQueue(label: "capturegate.prompter.desktop")

    public var name: String { "desktop" }
    package var asksPerson: Bool { true }

    public init(deadline: Duration = .seconds(60)) {
        self.init(deadline: deadline, dialogs: DesktopDialog.installed, environment: ProcessEnvironment.current)
    }

    init(deadline: Duration, dialogs: [DesktopDialog], environment: [String: String]) {
        self.deadline = deadline
        // The desktop's own dialog first: the other one works there, too, but looks foreign.
        let isKDE = environment["XDG_CURRENT_DESKTOP"]?.split(separator: ":").contains("KDE") ?? false
        self.dialogs =
            dialogs.filter { ($0.kind == .kdialog) == isKDE } + dialogs.filter { ($0.kind == .kdialog) != isKDE }
        self.environment = environment
    }

    public func obstacle() async -> CaptureError? {
        guard hasDisplay else {
            return Self.nobody("There is no desktop to ask on.", Remedy("Start the program from a desktop session."))
        }
        guard dialog != nil else {
            return Self.nobody(
                "There is no program for dialogs.",
                Remedy("Install zenity or kdialog.", command: "sudo apt-get install zenity"))
        }
        return nil
    }

    public func ask(_ question: Question) async -> Answer {
        Answer(await outcome(of: QuestionText(question: question).prompt))
    }

    public func confirm(_ confirmation: ConfirmationRequest) async -> ConfirmationAnswer {
        ConfirmationAnswer(await outcome(of: ConfirmationText(confirmation: confirmation).prompt))
    }

    func outcome<Value>(of text: PromptText<Value>) async -> PromptOutcome<Value> {
        // Checked again, since the last check may be long ago.
        if let obstacle = await obstacle() { return .failed(obstacle) }
        guard let dialog else { return .dismissed }
        let program = ChildProcess(
            path: dialog.path, arguments: dialog.arguments(for: text), environment: Self.passed(of: environment))
        let end = Deadline(after: deadline)
        return await PromptQueue.run(on: queue) { cancel in
            do throws(Errno) {
                return dialog.outcome(of: try program.run(until: end, cancel: cancel), to: text)
            } catch {
                return .failed(
                    Self.nobody("The dialog \(dialog.path) can't be started: \(error.text).", errno: error.number))
            }
        }
    }

    /// Looked up for each question: a dialog may be installed or removed while the program runs.
    private var dialog: DesktopDialog? { dialogs.first { FileSystem.allows(.execute, to: $0.path) } }

    /// X11 or Wayland; a program that is started by ssh or cron has neither.
    private var hasDisplay: Bool {
        ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
    }

    /// Variables by which a dialog finds display and session bus, and a locale in which its words are known and every name can be
    /// written. No home directory is passed, not even one that could be created: toolkits read settings and themes from it. The
    /// program that asks may have written those files, and they could hide or press parts of the dialog.
    static func passed(of environment: [String: String]) -> [String: String] {
        let names: Set = [
            "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP",
            "DBUS_SESSION_BUS_ADDRESS", "USER", "LOGNAME",
        ]
        var passed = environment.filter { names.contains($0.key) }
        // Default location of the X server's key: Xsecurity(7).
        if passed["XAUTHORITY"] == nil, let home = environment["HOME"] { passed["XAUTHORITY"] = "\(home)/.Xauthority" }
        let nowhere = ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"].map { ($0, "/dev/null") }
        return passed.merging(nowhere + [("PATH", "/usr/bin:/bin"), ("LC_ALL", "C.UTF-8")]) { _, own in own }
    }

    private static func nobody(_ why: String, _ remedies: Remedy..., errno: Int32 = 0) -> CaptureError {
        CaptureError(.unavailable, why, errno: errno, remedies: remedies)
    }
}

/// A dialog program of a desktop and its command line: zenity of GTK, or kdialog of KDE.
struct DesktopDialog: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case zenity, kdialog
    }

    /// Determines the options, and the meaning of the exit status.
    let kind: Kind
    /// Absolute path: PATH is not searched, since the caller of the program may have set it.
    let path: String

    static let installed = [
        DesktopDialog(kind: .zenity, path: "/usr/bin/zenity"), DesktopDialog(kind: .kdialog, path: "/usr/bin/kdialog"),
    ]

    /// List of the choices, with the first one selected. It prints the key of the choice that stays selected.
    ///
    /// Text from outside comes after "=" or after a word of ours, never at the beginning of an argument: GLib ignores "--" if a
    /// later argument begins with a hyphen.
    func arguments<Value>(for text: PromptText<Value>) -> [String] {
        let heading = Self.escaped(text.lines + ["", text.title], lineBreak: kind == .zenity ? "\n" : "<br>")
        let rows = text.choices.enumerated().map { (index, choice) in
            (key: String(choice.key), label: choice.labelWithTerm, isFirst: index == 0)
        }
        switch kind {
        case .zenity:
            return [
                "--list", "--radiolist", "--title=CaptureGate", "--text=\(heading)", "--column=", "--column=key",
                "--column=", "--hide-column=2", "--print-column=2", "--hide-header", "--width=480", "--height=360",
            ] + rows.flatMap { [$0.isFirst ? "TRUE" : "FALSE", $0.key, $0.label] }
        case .kdialog:
            // The tag makes it rich text in every case, so that escaping is right in every case.
            return ["--title", "CaptureGate", "--radiolist", "<qt>\(heading)</qt>"]
                + rows.flatMap { [$0.key, $0.label, $0.isFirst ? "on" : "off"] }
        }
    }

    /// Text as it must be given so that it is shown as it is: neither Pango nor Qt takes anything in it for markup, and
    /// neither program takes a backslash in it for the beginning of another character.
    static func escaped(_ lines: [String], lineBreak: String) -> String {
        lines.map { line in
            line.reduce(into: "") { result, character in
                switch character {
                case "&": result += "&amp;"
                case "<": result += "&lt;"
                case ">": result += "&gt;"
                case "\"": result += "&quot;"
                case "'": result += "&#39;"
                case "\\": result += "\\\\"
                default: result.append(character)
                }
            }
        }.joined(separator: lineBreak)
    }
}

extension DesktopDialog {
    /// The meaning of the dialog's end. Only the key of a choice, printed by a dialog that ended well, is an answer.
    func outcome<Value>(of ended: ChildProcess.Outcome, to text: PromptText<Value>) -> PromptOutcome<Value> {
        switch ended.ending {
        case .exited(0): return choice(ended.text, of: text)
        // Both programs end so when the window is closed, by Escape or the button, and when they find no display.
        case .exited(1) where !Self.foundNoDisplay(ended.diagnostics): return .dismissed
        case .exited(1): return failed("found no display", ended)
        case .exited(5) where kind == .zenity: return .timedOut
        case .exited(let code): return failed("ended with exit status \(code)", ended)
        case .killed(let signal): return failed("was ended by signal \(signal)", ended)
        case .lost(let errno): return failed("was lost: \(errno.text)", ended)
        case .timedOut: return .timedOut
        case .cancelled: return .dismissed
        }
    }

    /// Choice whose key is the only text on the one line that was printed.
    private func choice<Value>(_ printed: String, of text: PromptText<Value>) -> PromptOutcome<Value> {
        let lines = printed.split(separator: "\n")
        if lines.isEmpty { return .dismissed }
        guard lines.count == 1, let choice = text.choices.first(where: { String($0.key) == lines[0] }) else {
            return .failed(error("printed an unknown answer", printed))
        }
        return .chosen(choice.value)
    }

    /// Exit status 1 has two meanings; the libraries' messages on standard error distinguish them.
    private static func foundNoDisplay(_ diagnostics: String) -> Bool {
        ["cannot open display", "could not connect to display", "unable to init server"].contains { phrase in
            diagnostics.lowercased().contains(phrase)
        }
    }

    /// Failure with the program's diagnostics, whose last line mostly names the missing resource.
    private func failed<Value>(_ what: String, _ ended: ChildProcess.Outcome) -> PromptOutcome<Value> {
        .failed(error(what, ended.diagnostics))
    }

    private func error(_ what: String, _ said: String) -> CaptureError {
        let last = said.split(separator: "\n").last.map { " It said: \(VisibleText.of(String($0), limit: 200))" } ?? ""
        return CaptureError(
            .unavailable, "The dialog \(path) \(what).\(last)",
            remedies: [Remedy("Start the program from a terminal. It then asks there.")])
    }
}
