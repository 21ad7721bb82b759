import CaptureBase

extension Gatekeeper {
    /// Stores a decision for each device of a question, all or none, with one line of the audit log.
    func store(_ verdict: Decision.Verdict, for lifetime: Lifetime, of question: Question) async throws(CaptureError) {
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

    /// Writes that a question ended without an answer, and makes the error of it.
    func dismissal(of question: Question, _ reason: String, _ causes: [CaptureError] = []) async -> CaptureError {
        await report(question.event(.dismissal, at: clock.now, reason))
        let remedies = question.items.first.map { item in
            RefusalNotice(
                subject: subject, capability: item.request.capability, request: item.request, device: item.device
            ).grantRemedies
        }
        return CaptureError(
            .dismissed, "\(reason) Nothing is stored, and nothing is captured.",
            remedies: (remedies ?? []) + causes.flatMap(\.remedies), underlying: causes)
    }
}

extension Question {
    /// One item for each capability and device selector: the one of the highest level.
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

    /// A line about this question. Capability and level stand in it where there is only one.
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
    var phrase: String {
        switch self {
        case .once: "once"
        case .session: "for this session"
        case .until(let limit): "until \(CalendarDate(nanosecondsSince1970: limit.wallNanoseconds))"
        case .always: "for good"
        }
    }
}
