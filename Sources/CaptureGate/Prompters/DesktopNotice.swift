import Dispatch
import Gate
import LinuxSystem

/// Shows a failure on the desktop: a notification with its sentence, and buttons for what helps.
///
/// A button opens a terminal with the command that a remedy has, or the page of the desktop's settings about the capability, where
/// the desktop has one. Where the notification service shows no buttons, or a remedy can't be one, the text names the command.
///
/// Standard: Desktop Notifications Specification 1.2. *thread-safe*
public struct DesktopNotice: Sendable {
    /// End of a notice.
    ///
    /// *thread-safe*
    public enum Outcome: Hashable, Sendable {
        /// The person closed it, or the service did.
        case closed
        /// The person pressed the button of a remedy, and its terminal has been closed since.
        case opened(Remedy)
        /// The person pressed the button that opens the desktop's settings.
        case openedSettings
        /// The notice was shown, but not answered in time.
        case timedOut
        /// It could not be shown, or what its button opens could not be started.
        case failed(CaptureError)
    }

    /// Words of the command for a remedy's action; `nil` if the program has no such command. The first word is the absolute
    /// path of an executable, or its name in `/usr/local/bin`, `/usr/bin` or `/bin`.
    public typealias Command = @Sendable (Remedy.Action) -> [String]?

    /// Time that it waits for a button.
    public let deadline: Duration
    private let command: Command
    private let programs: DesktopPrograms
    private let service: BusService

    /// - Parameters:
    ///   - deadline: time that it waits for a button.
    ///   - command: words for the gate's own steps: the library knows no command line of a program. Commands of other programs
    ///     that remedies name are known without.
    public init(deadline: Duration = .seconds(600), command: @escaping Command = { _ in nil }) {
        self.init(deadline: deadline, command: command, environment: ProcessEnvironment.current, root: "")
    }

    init(deadline: Duration, command: @escaping Command, environment: [String: String], root: String) {
        self.deadline = deadline
        self.command = command
        programs = DesktopPrograms(environment: environment, root: root)
        service = BusService(
            bus: .session, environment: environment, complaint: "A notice can't be shown",
            name: "the notification service", advice: "Start one, such as dunst or the desktop's.")
    }

    /// Shows a failure, and waits until a person has done something about it. Cancelling the task leaves it standing.
    ///
    /// - Parameters:
    ///   - error: the failure.
    ///   - capability: what it is about: then there may be a page of the settings for it.
    public func show(_ error: CaptureError, about capability: CapabilityName? = nil) async -> Outcome {
        let buttons = buttons(for: error, capability)
        let choice = await service.run(within: deadline) { bus, end, cancel throws(CaptureError) in
            try pressed(of: buttons, error, on: bus, until: end, cancel: cancel)
        }
        switch choice {
        case .success(.none): return .closed
        case .success(.some(let button)): return await press(button)
        case .failure(let error): return error.kind == .timedOut ? .timedOut : .failed(error)
        }
    }
}

extension DesktopNotice {
    /// Something that helps, with what it opens.
    private struct Button: Sendable {
        /// Key of the button at the service. Made by this program, so that no remedy can be mistaken for another one.
        let key: String
        let label: String
        let program: ChildProcess
        let outcome: Outcome
    }

    /// The desktop's settings, and the first remedy that a terminal can run: more would not be seen.
    private func buttons(for error: CaptureError, _ capability: CapabilityName?) -> [Button] {
        var buttons: [Button] = []
        for remedy in error.allRemedies {
            guard let words = words(for: remedy), let program = programs.terminal(running: words) else { continue }
            let label = VisibleText.of(remedy.text, limit: 60)
            buttons.append(Button(key: "remedy", label: label, program: program, outcome: .opened(remedy)))
            break
        }
        if let capability, let program = programs.settings(about: capability) {
            buttons.append(
                Button(key: "settings", label: "Open the settings", program: program, outcome: .openedSettings))
        }
        return buttons
    }

    /// Words of a remedy's command, whose every word a shell would leave alone.
    private func words(for remedy: Remedy) -> [String]? {
        guard let action = remedy.action else { return nil }
        return command(action) ?? remedy.command.map { $0.split(separator: " ").map(String.init) }
    }

    private func pressed(
        of buttons: [Button], _ error: CaptureError, on bus: borrowing BusConnection, until end: Deadline,
        cancel: Int32
    ) throws(CaptureError) -> Button? {
        let answer = try service.call(Self.named("GetCapabilities"), on: bus, until: end, cancel: cancel)
        let skills = Set((answer.values.first?.list ?? []).compactMap(\.text))
        let shown = skills.contains("actions") ? buttons : []
        if !shown.isEmpty {
            try service.listen(to: Self.name, "ActionInvoked", "NotificationClosed", on: bus)
        }
        let text = text(of: error, isMarkup: skills.contains("body-markup"))
        let notice = try service.call(
            Self.named("Notify"),
            [
                .text("CaptureGate"), .number(0), .text("dialog-warning"), .text("Capture not possible"),
                .text(text), .list(shown.flatMap { [.text($0.key), .text($0.label)] }), .options([]), .signed(-1),
            ], on: bus, until: end, cancel: cancel)
        guard let id = notice.values.first?.number else { throw service.error(.answered) }
        // Nothing comes back from one without buttons that would matter.
        if shown.isEmpty { return nil }
        return try service.first(from: notice.sender, on: bus, until: end, cancel: cancel) { signal -> Button?? in
            guard signal.values.first?.number == id else { return nil }
            // Closed, with no button.
            if signal.member == "NotificationClosed" { return .some(nil) }
            return shown.first { $0.key == signal.values.last?.text }
        }
    }

    /// Starts the program of a button, and waits for its end: a terminal stays open for as long as the person wants.
    private func press(_ button: Button) async -> Outcome {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "capturegate.notice").async {
                do throws(Errno) {
                    _ = try button.program.run(until: .never, cancel: -1)
                    continuation.resume(returning: button.outcome)
                } catch {
                    continuation.resume(
                        returning: .failed(
                            CaptureError(
                                .unavailable, "The button's program can't be started: \(error.text).",
                                errno: error.number)))
                }
            }
        }
    }

    /// The sentence, and each remedy with its command. A service that reads markup shows it as it is.
    private func text(of error: CaptureError, isMarkup: Bool) -> String {
        let lines =
            [error.message]
            + error.allRemedies.map { remedy in
                let words = remedy.action.flatMap { command($0) }.map(ShellQuote.command) ?? remedy.command
                return words.map { "\(remedy.text) \($0)" } ?? remedy.text
            }
        let text = lines.map { VisibleText.of($0, limit: 400) }.joined(separator: "\n")
        guard isMarkup else { return text }
        return text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    private static let name = "org.freedesktop.Notifications"

    private static func named(_ member: String) -> BusConnection.Method {
        BusConnection.Method(
            destination: name, path: "/org/freedesktop/Notifications", interface: name, member: member)
    }
}
