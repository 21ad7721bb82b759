import Dispatch
import Gate
import LinuxSystem

/// Asks at the terminal the process was started from: `/dev/tty`, never standard input, which anything may feed.
///
/// The answer is a key and Enter. An empty line, Ctrl-C, Ctrl-D, Escape, the deadline and a cancelled task dismiss the question.
/// Input that was typed before the question had been visible for a moment is discarded. The terminal's mode is always restored,
/// unless the process is killed while it asks.
///
/// *thread-safe*
public struct TerminalPrompter: Prompter, PersonPrompter {
    /// Time that a person has to answer.
    public var deadline: Duration { conversation.deadline }
    private let conversation: TerminalConversation
    private let queue = DispatchQueue(label: "capturegate.prompter.terminal")

    public var name: String { "terminal" }
    package var asksPerson: Bool { true }

    public init(deadline: Duration = .seconds(60)) {
        self.init(deadline: deadline, path: Terminal.controlling, pause: .milliseconds(300))
    }

    init(deadline: Duration, path: String, pause: Duration) {
        conversation = TerminalConversation(path: path, deadline: deadline, pause: pause)
    }

    public func obstacle() async -> CaptureError? {
        guard let isForeground = try? Terminal(opening: conversation.path).isForeground else {
            return Self.nobody("There is no terminal to ask at.", "Start the program from a terminal.")
        }
        // Who reads or sets the mode in the background is stopped by the kernel, with the question unanswered.
        guard isForeground else {
            return Self.nobody(
                "The program runs in the background, so it can't ask at the terminal.",
                "Bring the program to the foreground (fg).")
        }
        return nil
    }

    public func ask(_ question: Question) async -> Answer {
        Answer(await outcome(of: QuestionText(question: question).prompt))
    }

    public func confirm(_ confirmation: ConfirmationRequest) async -> ConfirmationAnswer {
        ConfirmationAnswer(await outcome(of: ConfirmationText(confirmation: confirmation).prompt))
    }

    /// One question at a time: two at one terminal would mix their lines.
    func outcome<Value>(of text: PromptText<Value>) async -> PromptOutcome<Value> {
        let conversation = conversation
        return await PromptQueue.run(on: queue) { cancel in conversation.outcome(of: text, cancel: cancel) }
    }

    private static func nobody(_ why: String, _ advice: String) -> CaptureError {
        CaptureError(.unavailable, why, remedies: [Remedy(advice)])
    }
}

/// A question at a terminal: shown, then asked until a word means something.
struct TerminalConversation: Sendable {
    let path: String
    let deadline: Duration
    /// Time that the question is visible before an answer counts: earlier input was meant for something else.
    let pause: Duration

    /// Blocks until there is an outcome.
    /// - Parameter cancel: a descriptor that turns readable when the question is withdrawn.
    func outcome<Value>(of text: PromptText<Value>, cancel: Int32) -> PromptOutcome<Value> {
        do {
            let terminal = try Terminal(opening: path, .keys, cancel: cancel, until: Deadline(after: deadline))
            return ask(text, at: terminal)
        } catch {
            return Self.outcome(error)
        }
    }

    /// Asks again after a word that means nothing; a slip of the finger is no decision.
    private func ask<Value>(_ text: PromptText<Value>, at terminal: borrowing Terminal) -> PromptOutcome<Value> {
        do throws(Terminal.Interruption) {
            try terminal.write(([""] + text.lines + text.choiceLines).joined(separator: "\n") + "\n")
            // Input that was typed earlier must not answer a question that nobody has read.
            try terminal.settle(for: pause)
            while true {
                try terminal.write(text.promptLine)
                let answer = try terminal.readWord()
                if let value = text.choice(for: answer) { return .chosen(value) }
                if answer.isEmpty { break }
                try terminal.write("Type one of the letters in brackets.\n")
            }
            terminal.note("No decision was stored.\n")
            return .dismissed
        } catch {
            // The person must not believe that a half-typed answer counted.
            if case .withdrawn = error { terminal.note("\nNo decision was stored.\n") }
            if case .timedOut = error { terminal.note("\nNo answer in time. No decision was stored.\n") }
            return Self.outcome(error)
        }
    }

    /// A question that ends without an answer is no denial: the next one may be answered.
    private static func outcome<Value>(_ interruption: Terminal.Interruption) -> PromptOutcome<Value> {
        switch interruption {
        case .withdrawn: .dismissed
        case .timedOut: .timedOut
        case .failed(let verb, let errno):
            .failed(
                CaptureError(
                    .unavailable, "The terminal can't be \(verb): \(errno.text).", errno: errno.number))
        }
    }
}

/// Runs code that waits for a person on a queue where it may block. The threads of Swift's tasks are few and must not block.
enum PromptQueue {
    /// - Parameter body: gets a descriptor that turns readable when the task is cancelled.
    static func run<Value>(
        on queue: DispatchQueue, _ body: @escaping @Sendable (_ cancel: Int32) -> PromptOutcome<Value>
    ) async -> PromptOutcome<Value> {
        let cancel: EventDescriptor
        do { cancel = try EventDescriptor.forWaiting() } catch { return .failed(error) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: body(cancel.descriptor)) }
            }
        } onCancel: {
            cancel.signal()
        }
    }
}
