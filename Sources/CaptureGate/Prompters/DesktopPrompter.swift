import Dispatch
import Gate
import LinuxSystem

/// Asks in a dialog on the desktop: zenity or kdialog, where one is installed and there is a display.
///
/// "No" is picked already; closing the window turns away. The dialog gets only those variables of the environment that it
/// needs to find the display, and is killed, with all it started, when the deadline passes or the task is cancelled.
///
/// *thread-safe*
public struct DesktopPrompter: Prompter, PersonPrompter {
    /// Time that a person has to answer.
    public let deadline: Duration
    private let dialogs: [DesktopDialog]
    /// As the process was started: a library that sets DISPLAY later does not lead the question elsewhere.
    private let environment: [String: String]
    private let queue = DispatchQueue(label: "capturegate.prompter.desktop")

    public var name: String { "desktop" }
    package var asksPerson: Bool { true }

    public init(deadline: Duration = .seconds(60)) {
        self.init(deadline: deadline, dialogs: DesktopDialog.installed, environment: ProcessEnvironment.current)
    }

    init(deadline: Duration, dialogs: [DesktopDialog], environment: [String: String]) {
        self.deadline = deadline
        // The desktop's own dialog first: the other one works there too, but looks foreign.
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
                "There is no program to show a dialog with.",
                Remedy("Install zenity or kdialog.", command: "sudo apt-get install zenity"))
        }
        return nil
    }

    public func ask(_ question: Question) async -> Answer {
        Answer(await outcome(of: QuestionText(question: question).prompt))
    }

    public func confirm(_ confirmation: Confirmation) async -> ConfirmationAnswer {
        ConfirmationAnswer(await outcome(of: ConfirmationText(confirmation: confirmation).prompt))
    }

    private func outcome<Value>(of text: PromptText<Value>) async -> PromptOutcome<Value> {
        // Again, since the last look may be long ago.
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

    /// The variables by which a dialog finds display, session bus and its user's theme; and a locale in which its words are known
    /// and every name can be written.
    static func passed(of environment: [String: String]) -> [String: String] {
        let names: Set = [
            "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP",
            "DBUS_SESSION_BUS_ADDRESS", "HOME", "USER", "LOGNAME",
        ]
        return environment.filter { names.contains($0.key) }
            .merging(["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]) { _, own in own }
    }

    private static func nobody(_ why: String, _ remedies: Remedy..., errno: Int32 = 0) -> CaptureError {
        CaptureError(.unavailable, why, errno: errno, remedies: remedies)
    }
}
