import CaptureBase

extension RefusalNotice {
    /// Why a status does not allow what was asked; `nil` if it does.
    func refusal(of status: AuthorizationStatus) -> CaptureError? {
        switch status {
        case .restricted(let restriction): restricted(restriction)
        case .denied(let decision): denied(decision)
        case .notDetermined(let previous): undetermined(previous)
        case .authorized(let grant): tooLow(grant)
        }
    }

    private func restricted(_ restriction: Restriction) -> CaptureError {
        CaptureError(restriction.cause.kind, restriction.reason, remedies: restriction.remedies)
    }

    private func denied(_ decision: Decision) -> CaptureError {
        let date = CalendarDate(nanosecondsSince1970: decision.decidedAt.wallNanoseconds)
        return CaptureError(
            .notAuthorized, "\(program) may not use \(thing): denied on \(date) by \(decision.decidedBy.description).",
            remedies: [Remedy("Allow it after all.", command: command("grant", "--always", on: decision.device))])
    }

    private func undetermined(_ previous: Grant?) -> CaptureError {
        if let laterClock { return outrun(by: laterClock) }
        guard let previous else {
            return CaptureError(
                .notAuthorized, "Nobody has allowed \(program) to use \(thing) yet.", remedies: grantRemedies)
        }
        let date = CalendarDate(nanosecondsSince1970: previous.decidedAt.wallNanoseconds)
        return CaptureError(
            .notAuthorized,
            "\(program) is not the program that was allowed to use \(thing) on \(date): its file has changed since.",
            remedies: grantRemedies)
    }

    private func outrun(by later: LaterClock) -> CaptureError {
        let end = CalendarDate(nanosecondsSince1970: later.end)
        let seen = CalendarDate(nanosecondsSince1970: later.seen)
        return CaptureError(
            .notAuthorized,
            "\(program) may not use \(thing): the permission until \(end) counts as over, because the grant store has seen "
                + "a later clock, \(seen).",
            remedies: [.forgetLaterClock] + grantRemedies)
    }

    private func tooLow(_ grant: Grant) -> CaptureError? {
        guard let request, grant.level < request.level else { return nil }
        return CaptureError(
            .notAuthorized,
            "\(program) may use \(thing) for \"\(grant.level)\" only, and \"\(request.level)\" is needed.",
            remedies: grantRemedies)
    }

    /// Why a permit does not open what needs the level of the request.
    /// - Parameter level: the permit's.
    func permitTooLow(_ level: AccessLevel) -> CaptureError {
        let needed = request?.level.name ?? ""
        return CaptureError(
            .notAuthorized,
            "The permit for \(thing) is for \"\(level)\" only, and \"\(needed)\" is needed for what it is to open.",
            remedies: [Remedy("Ask for \"\(needed)\" in the operation's authorization.")] + grantRemedies)
    }

    /// The same refusal where a person would have to be asked and can't be.
    func refusal(_ refusal: CaptureError, obstacle: CaptureError) -> CaptureError {
        CaptureError(
            .notAuthorized, "\(refusal.message) Nobody can be asked now: \(obstacle.message)",
            remedies: refusal.remedies + obstacle.remedies, underlying: [obstacle])
    }
}

extension Restriction.Cause {
    /// What a refusal for this cause is, and so its exit status.
    var kind: CaptureError.Kind {
        switch self {
        case .policy, .killSwitch, .nodePermissions, .unknownSubject, .unknownLevel: .notAuthorized
        case .policyUnreadable: .configuration
        case .store: .store
        }
    }
}

extension Decider: CustomStringConvertible {
    public var description: String {
        switch self {
        case .person(let prompter): "a person (\(prompter))"
        case .command: "command"
        case .policy(let origin): "policy (\(origin.file):\(origin.line))"
        case .system: "the system"
        }
    }
}
