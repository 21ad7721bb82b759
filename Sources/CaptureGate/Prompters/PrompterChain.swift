import Gate

/// Asks by the first of several prompters that can ask now.
///
/// *thread-safe*
public final class PrompterChain: Prompter, PersonPrompter {
    /// The terminal from which the program was started, or otherwise the desktop.
    public static var system: PrompterChain { PrompterChain([TerminalPrompter(), DesktopPrompter()]) }

    /// Prompters, in the order of use.
    public let prompters: [any Prompter]
    private let last = Locked<String?>(nil)

    public init(_ prompters: [any Prompter]) {
        self.prompters = prompters
    }

    /// The name of the prompter that asked last, for the audit log.
    public var name: String { last.withLock { $0 } ?? prompters.map(\.name).joined(separator: " or ") }

    /// True only where each of them asks a person: any of them may be the one that answers.
    package var asksPerson: Bool {
        prompters.allSatisfy { ($0 as? any PersonPrompter)?.asksPerson == true }
    }

    /// The reasons that none of them can ask; `nil` if one can.
    public func obstacle() async -> CaptureError? {
        switch await ready() {
        case .success: nil
        case .failure(let error): error
        }
    }

    public func ask(_ question: Question) async -> Answer {
        switch await ready() {
        case .success(let prompter): await prompter.ask(question)
        case .failure(let error): .failed(error)
        }
    }

    public func confirm(_ confirmation: ConfirmationRequest) async -> ConfirmationAnswer {
        switch await ready() {
        case .success(let prompter): await prompter.confirm(confirmation)
        case .failure(let error): .failed(error)
        }
    }

    /// The first that can ask now, or the reasons of all of them together.
    func ready() async -> Result<any Prompter, CaptureError> {
        var obstacles: [CaptureError] = []
        for prompter in prompters {
            guard let obstacle = await prompter.obstacle() else {
                last.withLock { $0 = prompter.name }
                return .success(prompter)
            }
            obstacles.append(obstacle)
        }
        if prompters.isEmpty { return .failure(CaptureError(.unavailable, "This program has no way to ask.")) }
        return .failure(
            CaptureError(
                .unavailable, obstacles.map(\.message).joined(separator: " "),
                remedies: obstacles.flatMap(\.remedies), underlying: obstacles))
    }
}
