import CaptureBase

extension Gatekeeper {
    /// Asks a person yes or no, in turn with all other questions: how a capability of one's own asks.
    ///
    /// Nothing is stored. Under a silent condition nobody is asked, and an operation asks the same thing once.
    /// - Throws: `.conditionFailed` for a no, `.dismissed` where nobody answered, `.notAuthorized` where nobody may or can
    ///   be asked.
    public func confirm(_ confirmation: Confirmation) async throws(CaptureError) {
        guard !AskingScope.isSilent else { throw .unasked(confirmation) }
        let budget = AskingScope.current?.budget
        if let answer = budget?.answer(to: confirmation) { return try answer.get() }
        if let place = AskingScope.current?.place, await !place.enter() { throw .withdrawn }
        let key = QuestionKey.confirmation(locks.nextNumber())
        let answer = await desk.ask(key) { await self.put(confirmation) }
        if !Task.isCancelled { budget?.keep(answer, to: confirmation) }
        try answer.get()
    }

    private func put(_ confirmation: Confirmation) async -> Result<Void, CaptureError> {
        if let obstacle = await prompter.obstacle() { return .failure(obstacle) }
        if Task.isCancelled { return .failure(.withdrawn) }
        let answer = await prompter.confirm(confirmation)
        switch Task.isCancelled ? .dismissed : answer {
        case .yes: return .success(())
        case .no:
            return .failure(
                CaptureError(.conditionFailed, "\"\(confirmation.title)\" was answered with no.", remedies: [.agree]))
        case .dismissed: return .failure(.unanswered(confirmation, "was dismissed"))
        case .timedOut: return .failure(.unanswered(confirmation, "was not answered in time"))
        case .failed(let error):
            return .failure(.unanswered(confirmation, "could not be asked: \(error.message)", error.remedies))
        }
    }
}

extension CaptureError {
    static let withdrawn = CaptureError(.cancelled, "The question was withdrawn.")

    static func unasked(_ confirmation: Confirmation) -> CaptureError {
        CaptureError(
            .notAuthorized, "\"\(confirmation.title)\" must be confirmed, and nobody may be asked here.",
            remedies: [Remedy("Run it where a person can be asked.")])
    }

    fileprivate static func unanswered(
        _ confirmation: Confirmation, _ reason: String, _ remedies: [Remedy] = []
    ) -> CaptureError {
        CaptureError(.dismissed, "\"\(confirmation.title)\" \(reason).", remedies: [.agree] + remedies)
    }
}

extension Remedy {
    fileprivate static let agree = Remedy("Try again, and agree when it asks.")
}
