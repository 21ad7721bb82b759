import CaptureBase

extension Gatekeeper {
    /// Asks for what is open, if asking can help, and returns when the answer is stored.
    ///
    /// Questions of this gatekeeper are asked one after another. Identical ones that wait at once are one question.
    func settle(_ requests: [DeviceRequest]) async throws(CaptureError) {
        let reading = await read(requests)
        guard case .success(let subject) = subject, !reading.askable.isEmpty else {
            return try reading.absenceOrNothing(for: subject)
        }
        guard !AskingScope.isSilent else { throw reading.refusal(for: self.subject) ?? .silent }
        if let budget = AskingScope.current?.budget, !budget.spend(requests) {
            throw reading.refusal(for: self.subject) ?? .silent
        }
        if let place = AskingScope.current?.place, await !place.enter() { throw .withdrawn }
        let key = QuestionKey.devices(reading.askable.compactMap(\.questionItem))
        try await desk.ask(key) { await self.ask(requests, of: subject) }.get()
    }

    /// The turn has come: reads again, since an earlier answer may have settled it, and asks for what is still open.
    private func ask(_ requests: [DeviceRequest], of subject: Subject) async -> Result<Void, CaptureError> {
        do throws(CaptureError) {
            let turn = try await turns?.take(for: subject)
            defer { withExtendedLifetime(turn) {} }
            let reading = await read(requests)
            guard !reading.askable.isEmpty else { return .success(()) }
            let items = reading.askable.compactMap(\.questionItem)
            var obstacle = obstacle(of: items)
            if obstacle == nil { obstacle = await prompter.obstacle() }
            if let obstacle { throw reading.refusal(for: self.subject, obstacle) }
            if Task.isCancelled { throw .withdrawn }
            let question = question(reading, to: subject)
            try await keep(await prompter.ask(question), to: question)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    private func question(_ reading: GateReading, to subject: Subject) -> Question {
        let hour = clock.now.advanced(by: 3_600_000_000_000)
        let session: [Lifetime] = subject.session.isIdentified ? [.session(subject.session)] : []
        let previous = reading.askable.lazy.compactMap { item -> Grant? in
            guard case .notDetermined(let previous) = item.status else { return nil }
            return previous
        }
        return Question(
            subject: subject, items: reading.askable.compactMap(\.questionItem),
            lifetimes: [.once] + session + [.until(hour), .always], previous: previous.first)
    }

    /// Stores what a person decided, and nothing else.
    private func keep(_ answer: Answer, to question: Question) async throws(CaptureError) {
        // Whoever asked has turned away while the answer was on its way: it is nobody's.
        let answer = Task.isCancelled ? .dismissed : answer
        switch answer {
        case .allow(let lifetime): try await store(.allow, for: lifetime, of: question)
        case .deny: try await store(.deny, for: .always, of: question)
        case .dismissed: throw await dismissal(of: question, "The question was dismissed.")
        case .timedOut: throw await dismissal(of: question, "Nobody answered the question in time.")
        case .failed(let error):
            throw await dismissal(of: question, "The question could not be asked: \(error.message)", [error])
        }
    }
}

extension GateReading {
    /// Throws where there is no device to ask about; a stored answer is not an error.
    fileprivate func absenceOrNothing(for subject: Result<Subject, CaptureError>) throws(CaptureError) {
        if case .absent = availability, let refusal = refusal(for: subject) { throw refusal }
    }

    fileprivate func refusal(for subject: Result<Subject, CaptureError>, _ obstacle: CaptureError) -> CaptureError {
        let refusal = refusal(for: subject) ?? .silent
        guard let item = askable.first else { return refusal }
        return item.notice(for: subject).refusal(refusal, obstacle: obstacle)
    }
}

extension GateReading.Item {
    fileprivate var questionItem: Question.Item? {
        resolution.device.map { Question.Item(request: request, device: $0) }
    }
}

extension CaptureError {
    fileprivate static let silent = CaptureError(
        .notAuthorized, "It is not allowed, and nobody may be asked here.",
        remedies: [Remedy("See what is allowed.", command: "capturegate status")])
}
