import CaptureBase

/// A message to a person, with choices.
///
/// *thread-safe*
public struct Alert: Hashable, Sendable {
    /// One line, such as "The disk is nearly full."
    public let title: String
    /// Further text; may be empty.
    public let message: String
    /// Words of the choices, 1 to 9, the safest first.
    public let choices: [String]

    /// - Parameters:
    ///   - title: one line.
    ///   - message: further text.
    ///   - choices: texts of the choices, the safest first; "OK" if none are given. At most nine are shown.
    public init(_ title: String, message: String = "", choices: [String] = ["OK"]) {
        self.title = title
        self.message = message
        self.choices = choices.isEmpty ? ["OK"] : Array(choices.prefix(9))
    }
}

/// End of an alert.
public enum AlertResponse: Hashable, Sendable {
    /// The person has picked a choice, by its index.
    case chosen(Int)
    /// The person turned away, or the operation was cancelled.
    case dismissed
    /// The presenter's own deadline passed.
    case timedOut
    /// The presenter could not show it.
    case failed(CaptureError)
}

/// Shows alerts to a person: a terminal, a dialog of the desktop, a script.
///
/// *thread-safe*
public protocol AlertPresenter: Sendable {
    /// Shows the alert, and waits for the response. Cancelling the task takes it down.
    func present(_ alert: Alert) async -> AlertResponse
}

/// Shows an alert. Alerts are shown one at a time, and no question is asked while one is open.
///
/// Its output is the index of the choice. The choice is not a permission: nothing is stored, and no permit results from it.
///
/// *thread-safe*
public struct AlertOperation: GateOperation, ConditionedOperation {
    public let alert: Alert
    public var conditions: [any OperationCondition] = []
    public var observers: [any OperationObserver] = []
    private let presenter: (any AlertPresenter)?

    /// - Parameters:
    ///   - alert: the message.
    ///   - presenter: shows it; `nil` for the gatekeeper's prompter, if that can show alerts.
    public init(_ alert: Alert, by presenter: (any AlertPresenter)? = nil) {
        self.alert = alert
        self.presenter = presenter
    }

    public var name: String { "Alert(\(alert.title))" }

    /// The conditions, and the exclusion of other alerts: `MutuallyExclusive<Alert>` excludes them elsewhere, too.
    public var allConditions: [any OperationCondition] { [MutuallyExclusive<Alert>()] + conditions }

    /// - Throws: `.dismissed` if the person turned away or did not respond in time, `.unavailable` if nobody can be
    ///   shown it, `.notAuthorized` if nobody may be.
    public func execute(in context: OperationContext) async throws(CaptureError) -> Int {
        try await context.gatekeeper.present(alert, by: presenter)
    }
}

extension Gatekeeper {
    /// Shows an alert in turn with all questions: a person has one terminal, and one pair of eyes.
    fileprivate func present(_ alert: Alert, by presenter: (any AlertPresenter)?) async throws(CaptureError) -> Int {
        guard !InteractionPolicy.isSilent else { throw .mayNotShow(alert) }
        guard let presenter = presenter ?? (prompter as? any AlertPresenter) else { throw .nobodyShows(alert) }
        if let slot = InteractionPolicy.current?.slot, await !slot.enter() { throw .withdrawn }
        let chosen = Locked<Int?>(nil)
        let outcome = await prompts.ask(.single(locks.nextNumber())) {
            if Task.isCancelled { return .failure(.withdrawn) }
            let response = await presenter.present(alert)
            let choice = alert.choice(Task.isCancelled ? .dismissed : response)
            return choice.map { index in chosen.withLock { $0 = index } }
        }
        try outcome.get()
        guard let index = chosen.withLock({ $0 }) else { throw .unread(alert, "was not answered") }
        return index
    }
}

extension Alert {
    /// Index of the choice, or the error of a response that picked none.
    fileprivate func choice(_ response: AlertResponse) -> Result<Int, CaptureError> {
        switch response {
        case .chosen(let index) where choices.indices.contains(index): .success(index)
        case .chosen(let index):
            .failure(CaptureError(.unavailable, "The alert \"\(title)\" has no choice \(index)."))
        case .dismissed: .failure(.unread(self, "was dismissed"))
        case .timedOut: .failure(.unread(self, "was not answered in time"))
        case .failed(let error): .failure(error)
        }
    }
}

extension CaptureError {
    fileprivate static func unread(_ alert: Alert, _ reason: String) -> CaptureError {
        CaptureError(
            .dismissed, "\"\(alert.title)\" \(reason).", remedies: [Remedy("Try again, and choose an answer.")])
    }

    fileprivate static func mayNotShow(_ alert: Alert) -> CaptureError {
        CaptureError(
            .notAuthorized, "The alert \"\(alert.title)\" can't be shown: this operation must not ask anybody.",
            remedies: [Remedy("Run the operation without SilentCondition.")])
    }

    fileprivate static func nobodyShows(_ alert: Alert) -> CaptureError {
        CaptureError(
            .unavailable,
            "The alert \"\(alert.title)\" can't be shown: the gatekeeper's prompter does not support alerts.",
            remedies: [Remedy("Choose a presenter, such as TerminalPrompter or DesktopPrompter.")])
    }
}
