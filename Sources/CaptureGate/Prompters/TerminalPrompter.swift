import CSystem
import Dispatch
import Gate

/// Asks at the terminal the process was started from: `/dev/tty`, never standard input, which anything may feed.
///
/// The answer is a key and Enter; an empty line, Ctrl-C, Ctrl-D and Escape turn away, and so do the deadline and a
/// cancelled task. What was typed before the question had stood there for a moment is thrown away. The terminal's mode is
/// put back in every case but one: a process that is killed while it asks.
///
/// *thread-safe*
public struct TerminalPrompter: Prompter, PersonPrompter {
    /// How long a person has to answer.
    public var deadline: Duration { conversation.deadline }
    private let conversation: TerminalConversation
    private let queue = DispatchQueue(label: "capturegate.prompter.terminal")

    public var name: String { "terminal" }
    package var asksPerson: Bool { true }

    public init(deadline: Duration = .seconds(60)) {
        self.init(deadline: deadline, path: "/dev/tty", pause: .milliseconds(300))
    }

    init(deadline: Duration, path: String, pause: Duration) {
        conversation = TerminalConversation(path: path, deadline: deadline, pause: pause)
    }

    public func obstacle() async -> CaptureError? {
        let terminal = cs_open(conversation.path, O_RDWR | O_NOCTTY, 0)
        guard terminal >= 0 else {
            return Self.nobody("There is no terminal to ask at.", "Start the program from a terminal.")
        }
        defer { cs_close(terminal) }
        guard cs_terminal_is_foreground(terminal) == 1 else {
            return Self.nobody(
                "The program runs in the background, where it can't ask at the terminal.",
                "Bring the program to the foreground (fg).")
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
        let conversation = conversation
        return await PromptQueue.run(on: queue) { cancel in conversation.outcome(of: text, cancel: cancel) }
    }

    private static func nobody(_ why: String, _ advice: String) -> CaptureError {
        CaptureError(.unavailable, why, remedies: [Remedy(advice)])
    }
}
