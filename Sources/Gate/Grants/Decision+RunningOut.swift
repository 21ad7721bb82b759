extension Decision {
    /// Whether its time has run out, judged so that no clock that is wrong allows anything.
    ///
    /// A yes has run out as soon as any clock says so, the latest wall time the store has seen included: setting the clock
    /// back does not bring it back. A no has run out when every clock that can tell says so, by the clock as it is: that it
    /// was ahead once does not shorten it.
    ///
    /// - Parameters:
    ///   - now: the clock as it is.
    ///   - latest: the latest wall time the store has seen, nanoseconds since 1970.
    package func hasRunOut(at now: GateInstant, latest: Int64) -> Bool {
        guard case .until(let limit) = lifetime else { return false }
        return switch verdict {
        case .allow: limit.hasPassed(at: now.notBefore(wall: latest), since: decidedAt)
        case .deny: limit.hasPassedForCertain(at: now)
        }
    }

    /// Whether it is a permission for a time that could come back to life if a later wall time were forgotten, or was given
    /// under that clock: it goes with what is forgotten.
    package func restsOnLaterClock(_ latest: Int64, at now: GateInstant) -> Bool {
        guard verdict == .allow, case .until = lifetime else { return false }
        return hasRunOut(at: now, latest: latest) || decidedAt.wallNanoseconds > now.wallNanoseconds
    }
}

extension StoreSnapshot {
    /// Whether the time of one of its decisions has run out.
    /// - Parameter now: the clock as it is.
    public func hasRunOut(_ decision: Decision, at now: GateInstant) -> Bool {
        decision.hasRunOut(at: now, latest: latestWallNanoseconds)
    }

    /// The latest wall time the store has seen, nanoseconds since 1970, where the clock has not come so far by a second at
    /// least: it was ahead then, or was set back since. Permissions for a time count by it.
    /// - Parameter now: the clock as it is.
    public func laterClock(than now: GateInstant) -> Int64? {
        let (ahead, overflow) = latestWallNanoseconds.subtractingReportingOverflow(now.wallNanoseconds)
        return overflow && latestWallNanoseconds > 0 || ahead >= 1_000_000_000 ? latestWallNanoseconds : nil
    }
}

/// Why a permission for a time does not hold though its time has not come: the store has seen a later clock.
struct LaterClock: Hashable, Sendable {
    /// Until when it was given, nanoseconds since 1970.
    let end: Int64
    /// The wall time that the store has seen, nanoseconds since 1970.
    let seen: Int64
}

extension AuthorizationRules {
    /// The permission that would decide if the clock alone counted, and has run out by the latest one the store has seen.
    func laterClock(of request: DeviceRequest, on device: DeviceID?) -> LaterClock? {
        guard case .success(let subject) = subject, now.wallNanoseconds > clock.wallNanoseconds else { return nil }
        let ends = decisions.compactMap { decision -> Int64? in
            guard case .until(let limit) = decision.lifetime, applies(decision, of: request, on: device, to: subject),
                decision.verdict == .allow, !decision.hasRunOut(at: clock, latest: clock.wallNanoseconds),
                decision.hasRunOut(at: clock, latest: now.wallNanoseconds)
            else { return nil }
            return limit.wallNanoseconds
        }
        return ends.max().map { LaterClock(end: $0, seen: now.wallNanoseconds) }
    }
}
