import CSystem
import Dispatch
import Gate

/// Asks at the terminal the process was started from: `/dev/tty`, never standard input, which anything may feed.
///
/// The answer is a key and Enter; an empty line, Ctrl-C and Ctrl-D turn away, and so do the deadline and a cancelled
/// task. What was typed before the question stood there is thrown away.
///
/// *thread-safe*
public struct TerminalPrompter: Prompter {
    /// How long a person has to answer.
    public let deadline: Duration
    private let queue = DispatchQueue(label: "capturegate.prompter.terminal")

    public var name: String { "terminal" }

    public init(deadline: Duration = .seconds(60)) {
        self.deadline = deadline
    }

    public func obstacle() async -> CaptureError? {
        let terminal = cs_open(Self.path, Self.readWrite, 0)
        guard terminal >= 0 else { return Self.nobody("There is no terminal to ask at.") }
        defer { cs_close(terminal) }
        guard cs_terminal_is_foreground(terminal) == 1 else {
            return Self.nobody("The program runs in the background, where it can't ask at the terminal.")
        }
        return nil
    }

    public func ask(_ question: Question) async -> Answer {
        let cancel: EventDescriptor
        do { cancel = try EventDescriptor() } catch { return .failed(error) }
        let deadline = deadline
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async {
                    continuation.resume(
                        returning: Self.converse(question, deadline: deadline, cancel: cancel.descriptor))
                }
            }
        } onCancel: {
            cancel.signal()
        }
    }

    private static func converse(_ question: Question, deadline: Duration, cancel: Int32) -> Answer {
        do {
            let line = try TerminalLine(opening: path, cancel: cancel, deadline: deadline)
            return try line.answer(to: QuestionText(question: question))
        } catch {
            return .failed(error)
        }
    }

    private static let path = "/dev/tty"
    private static let readWrite: Int32 = 2

    private static func nobody(_ why: String) -> CaptureError {
        CaptureError(.unavailable, why)
    }
}
