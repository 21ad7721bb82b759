import CaptureBase

extension Gatekeeper {
    /// Asks about undecided devices, if asking can help, and returns when the answer is stored.
    ///
    /// Questions of this gatekeeper are asked one after another. Identical questions that wait at the same time are asked once.
    ///
    /// - Parameter service: finds capabilities other than microphones and cameras; `nil` for the machine's devices.
    func settle(
        _ requests: [DeviceRequest], in service: (any DeviceDirectory)? = nil
    ) async throws(CaptureError) {
        let policy = InteractionPolicy.current
        let reading: AuthorizationSnapshot
        if let known = policy?.known, known.isOf(requests, in: self) {
            reading = known
        } else {
            reading = await read(requests, in: service)
        }
        guard case .success(let subject) = subject, !reading.askable.isEmpty else {
            return try reading.throwAbsence(for: subject)
        }
        guard !InteractionPolicy.isSilent else { throw reading.refusal(for: self.subject) ?? .silent }
        if let once = policy?.once, !once.spend(requests) {
            throw reading.refusal(for: self.subject) ?? .silent
        }
        // Among several questions of one operation the next comes only when the last has not settled it.
        if let slot = policy?.slot, await !slot.enter() { throw .withdrawn }
        let key = QuestionKey.devices(reading.askable.compactMap(\.questionItem))
        try await prompts.ask(key) { [reading] in
            await self.ask(requests, in: service, of: subject, after: reading)
        }.get()
    }

    /// Asks about what is still undecided when its turn comes: an earlier answer, here or in another process, may have settled it.
    /// The store is read again if it has changed since.
    private func ask(
        _ requests: [DeviceRequest], in service: (any DeviceDirectory)?, of subject: Subject,
        after earlier: AuthorizationSnapshot
    ) async -> Result<Void, CaptureError> {
        do throws(CaptureError) {
            // Held until the answer is stored: the next process finds it there.
            let token = try await promptLock?.take(for: subject)
            defer { withExtendedLifetime(token) {} }
            let reading = await read(requests, in: service, after: earlier)
            // Settled: all that wait read the store and find the decision.
            guard !reading.askable.isEmpty else { return .success(()) }
            let items = reading.askable.compactMap(\.questionItem)
            // The standing first: a prompter of the program's own is not even asked whether it could ask.
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

    // The safest lifetime first: it is under the finger.
    private func question(_ reading: AuthorizationSnapshot, to subject: Subject) -> Question {
        let hour = clock.now.advanced(by: 3_600_000_000_000)
        // A session that can't be identified would be granted to all such sessions.
        let session: [Lifetime] = subject.session.isIdentified ? [.session(subject.session)] : []
        let previous = reading.askable.lazy.compactMap { item -> Grant? in
            guard case .notDetermined(let previous) = item.status else { return nil }
            return previous
        }
        return Question(
            subject: subject, items: reading.askable.compactMap(\.questionItem),
            lifetimes: [.once] + session + [.until(hour), .always], previous: previous.first)
    }

    /// Stores the decision of a person, and nothing else.
    private func keep(_ answer: Answer, to question: Question) async throws(CaptureError) {
        // If the caller was cancelled while the answer arrived, the answer is for nobody.
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

extension AuthorizationSnapshot {
    /// Throws if there is no device to ask about; a stored answer is not an error.
    fileprivate func throwAbsence(for subject: Result<Subject, CaptureError>) throws(CaptureError) {
        if case .absent = availability, let refusal = refusal(for: subject) { throw refusal }
    }

    fileprivate func refusal(for subject: Result<Subject, CaptureError>, _ obstacle: CaptureError) -> CaptureError {
        let refusal = refusal(for: subject) ?? .silent
        guard let item = askable.first else { return refusal }
        return item.notice(for: subject).refusal(refusal, obstacle: obstacle)
    }
}

extension AuthorizationSnapshot.Item {
    fileprivate var questionItem: Question.Item? {
        resolution.device.map { Question.Item(request: request, device: $0) }
    }
}

extension CaptureError {
    /// Refusal if nobody may be asked, and nothing else gives a reason.
    fileprivate static let silent = CaptureError(
        .notAuthorized, "This needs a permission, but the program must not ask for it.",
        remedies: [Remedy("See your permissions.", .showStatus)])
}

extension Gatekeeper {
    /// Stores a decision for each device of a question, all or none, with one line of the audit log.
    func store(_ verdict: Decision.Verdict, for lifetime: Lifetime, of question: Question) async throws(CaptureError) {
        // One transaction with its audit event: a crash leaves both or neither.
        let now = clock.now
        let decisions = question.distinctItems.map { item in
            Decision(
                verdict: verdict, subject: question.subject, capability: item.request.capability,
                level: item.request.level, device: item.request.device, lifetime: lifetime,
                decidedBy: .person(prompter: prompter.name), decidedAt: now)
        }
        let detail = verdict == .allow ? "allowed \(lifetime.phrase)" : "denied"
        let event = question.event(.decision, at: now, "\(detail) at \(prompter.name)")
        let store = store
        let stored = await onStoreQueue { () -> Result<StoreCommit, CaptureError> in
            Result { () throws(CaptureError) in try store.record(decisions, audit: event) }
        }
        _ = try stored.get()
    }

    /// Writes into the audit log that a question ended without an answer.
    /// - Returns: the error that reports this.
    func dismissal(of question: Question, _ reason: String, _ causes: [CaptureError] = []) async -> CaptureError {
        await report(question.event(.dismissal, at: clock.now, reason))
        let remedies = question.items.first.map { item in
            RefusalNotice(
                subject: subject, capability: item.request.capability, request: item.request, device: item.device
            ).grantRemedies
        }
        return CaptureError(
            .dismissed, "\(reason) Nothing was stored or captured.",
            remedies: (remedies ?? []) + causes.flatMap(\.remedies), underlying: causes)
    }
}

extension Question {
    /// Items of the highest level for each capability and device selector: one decision is stored for each.
    var distinctItems: [Item] {
        var kept: [Item] = []
        for item in items {
            let same = kept.firstIndex { other in
                other.request.capability == item.request.capability && other.request.device == item.request.device
            }
            guard let same else {
                kept.append(item)
                continue
            }
            if kept[same].request.level < item.request.level { kept[same] = item }
        }
        return kept
    }

    /// Audit event about this question; it names capability and level if there is only one.
    func event(_ kind: AuditEvent.Kind, at now: GateInstant, _ detail: String) -> AuditEvent {
        let first = items.first?.request
        let isOne = items.allSatisfy { $0.request.capability == first?.capability }
        let names = items.map { "\($0.request.capability) \($0.request.level)" }.joined(separator: ", ")
        return AuditEvent(
            kind, at: now, subject: subject, capability: isOne ? first?.capability : nil,
            level: isOne ? first?.level : nil, devices: items.map(\.device.id),
            detail: isOne ? detail : "\(detail) (\(names))")
    }
}

extension Lifetime {
    /// Words for the audit log.
    var phrase: String {
        switch self {
        case .once: "once"
        case .session: "for this session"
        case .until(let limit): "until \(CalendarDate(nanosecondsSince1970: limit.wallNanoseconds))"
        case .always: "permanently"
        }
    }
}

extension Gatekeeper {
    /// Asks a yes-or-no question, in turn with all other questions. Custom capabilities ask in this way.
    ///
    /// Nothing is stored. Under a silent condition nobody is asked, and an operation asks the same question once.
    /// - Throws: `.conditionFailed` if the answer is no, `.dismissed` if nobody answered, `.notAuthorized` if nobody may or can be
    ///   asked.
    public func confirm(_ confirmation: ConfirmationRequest) async throws(CaptureError) {
        guard !InteractionPolicy.isSilent else { throw .unasked(confirmation) }
        let once = InteractionPolicy.current?.once
        if let answer = once?.answer(to: confirmation) { return try answer.get() }
        if let slot = InteractionPolicy.current?.slot, await !slot.enter() { throw .withdrawn }
        // A unique number: two operations that ask the same question mean two different things.
        let key = QuestionKey.single(locks.nextNumber())
        let answer = await prompts.ask(key) { await self.put(confirmation) }
        // A question that was withdrawn is asked again at the next attempt.
        if !Task.isCancelled { once?.keep(answer, to: confirmation) }
        try answer.get()
    }

    /// Asks for a confirmation when its turn has come.
    private func put(_ confirmation: ConfirmationRequest) async -> Result<Void, CaptureError> {
        if let obstacle = await prompter.obstacle() { return .failure(obstacle) }
        // Withdrawn while the prompter was looked for.
        if Task.isCancelled { return .failure(.withdrawn) }
        let answer = await prompter.confirm(confirmation)
        switch Task.isCancelled ? .dismissed : answer {
        case .yes: return .success(())
        case .no:
            return .failure(
                CaptureError(.conditionFailed, "The answer to \"\(confirmation.title)\" was no.", remedies: [.agree]))
        case .dismissed: return .failure(.unanswered(confirmation, "was dismissed"))
        case .timedOut: return .failure(.unanswered(confirmation, "was not answered in time"))
        case .failed(let error):
            return .failure(.unanswered(confirmation, "could not be asked: \(error.message)", error.remedies))
        }
    }
}

// MARK: - One's own capabilities

extension CapabilityType {
    /// Asks when it is this capability's turn, if asking can help then.
    ///
    /// The gatekeeper combines and orders questions about devices. A custom dialog has a category instead: a second caller first
    /// reads whether the answer to the first one has settled it.
    func authorize(in gatekeeper: Gatekeeper) async throws(CaptureError) {
        // No wait for a person if nobody may be asked: the capability reports that itself.
        if self is any DeviceCapability || InteractionPolicy.isSilent {
            return try await requestAuthorization(in: gatekeeper)
        }
        let category = "Authorize(\(name))"
        var held = HeldLocks.current
        if held.categories.contains(category) { throw .waitsForItself(category, category) }
        // A caller may ask about a stored denial on purpose. Only a decision that is made meanwhile makes the question
        // unnecessary.
        let wasDecided = await comparedReport(in: gatekeeper).isDecided
        // The slot first: the operation that holds the category asks, and waits for no other question.
        if let slot = InteractionPolicy.current?.slot, await !slot.enter() { throw .withdrawn }
        guard let turn = await gatekeeper.locks.take(nil, [category], isNested: !held.isEmpty) else { throw .withdrawn }
        defer { gatekeeper.locks.release(turn) }
        if !wasDecided, await comparedReport(in: gatekeeper).isDecided { return }
        if Task.isCancelled { throw .withdrawn }
        held = held.adding(categories: [category], of: turn, in: gatekeeper.locks)
        try await HeldLocks.$current.withValue(held) { () -> Result<Void, CaptureError> in
            do throws(CaptureError) { return .success(try await requestAuthorization(in: gatekeeper)) } catch {
                return .failure(error)
            }
        }.get()
    }
}

extension AuthorizationReport {
    /// Set where somebody has decided about a thing that is there: asking changes nothing.
    fileprivate var isDecided: Bool {
        if case .absent = availability { return false }
        switch status {
        case .authorized, .denied: return !isAskable
        case .notDetermined, .restricted: return false
        }
    }
}

extension CaptureError {
    /// End of a question for which nobody waits any more.
    static let withdrawn = CaptureError(.cancelled, "The question was withdrawn.")

    /// Refusal of a confirmation if nobody may be asked.
    static func unasked(_ confirmation: ConfirmationRequest) -> CaptureError {
        CaptureError(
            .notAuthorized, "\"\(confirmation.title)\" needs a confirmation, but the program must not ask for it.",
            remedies: [Remedy("Run it where it can ask, such as at a terminal.")])
    }

    fileprivate static func unanswered(
        _ confirmation: ConfirmationRequest, _ reason: String, _ remedies: [Remedy] = []
    ) -> CaptureError {
        CaptureError(.dismissed, "\"\(confirmation.title)\" \(reason).", remedies: [.agree] + remedies)
    }
}

extension Remedy {
    fileprivate static let agree = Remedy("Try again, and agree.")
}
