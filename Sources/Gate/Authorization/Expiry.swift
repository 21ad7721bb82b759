/// A moment on both clocks that the gate trusts together: wall time, and time since boot with the boot's id.
///
/// A wall clock can be set back, a boot clock can't; a boot clock ends with its boot, a wall clock does not.
///
/// *thread-safe*
public struct GateInstant: Hashable, Sendable, Codable {
    /// ``sinceEpoch`` in nanoseconds, as stores and the audit log contain it.
    package let wallNanoseconds: Int64
    /// ``sinceBoot`` in nanoseconds, as stores and the audit log contain it.
    package let bootNanoseconds: Int64
    /// `/proc/sys/kernel/random/boot_id`.
    public let bootID: String

    /// Makes a moment in whole nanoseconds. Longer times than 64 bits hold, 292 years, are limited.
    ///
    /// - Parameters:
    ///   - sinceEpoch: CLOCK_REALTIME, since 1970-01-01T00:00:00Z.
    ///   - sinceBoot: CLOCK_BOOTTIME, since boot, time asleep included.
    ///   - bootID: `/proc/sys/kernel/random/boot_id`.
    public init(sinceEpoch: Duration, sinceBoot: Duration, bootID: String) {
        self.init(
            wallNanoseconds: sinceEpoch.exactNanoseconds, bootNanoseconds: sinceBoot.exactNanoseconds, bootID: bootID)
    }

    /// Makes a moment of what a clock or a store has.
    package init(wallNanoseconds: Int64, bootNanoseconds: Int64, bootID: String) {
        self.wallNanoseconds = wallNanoseconds
        self.bootNanoseconds = bootNanoseconds
        self.bootID = bootID
    }

    /// CLOCK_REALTIME, since 1970-01-01T00:00:00Z.
    public var sinceEpoch: Duration { .nanoseconds(wallNanoseconds) }
    /// CLOCK_BOOTTIME, since boot, time asleep included.
    public var sinceBoot: Duration { .nanoseconds(bootNanoseconds) }
}

/// The gate's source of time; tests inject their own.
///
/// *thread-safe*
public protocol GateClock: Sendable {
    var now: GateInstant { get }
}

extension GateInstant {
    /// True if either clock says that this moment has come.
    ///
    /// After a reboot the limit's boot clock says nothing; but a boot that lasts longer than the whole grant has
    /// outlived it, even with the wall clock set back in between.
    func hasPassed(at now: GateInstant, since start: GateInstant) -> Bool {
        if now.wallNanoseconds >= wallNanoseconds { return true }
        if now.bootID == bootID { return now.bootNanoseconds >= bootNanoseconds }
        return now.bootNanoseconds >= max(0, saturating(wallNanoseconds, minus: start.wallNanoseconds))
    }

    /// True if every clock that can show it says that this moment has passed: the wall clock, and in the same boot the boot clock,
    /// which nobody can set.
    func hasPassedForCertain(at now: GateInstant) -> Bool {
        guard now.wallNanoseconds >= wallNanoseconds else { return false }
        return now.bootID != bootID || now.bootNanoseconds >= bootNanoseconds
    }

    /// Nanoseconds until this moment comes on the clock that gets there first; 0 if it has come.
    func remaining(at now: GateInstant) -> Int64 {
        let wall = saturating(wallNanoseconds, minus: now.wallNanoseconds)
        guard now.bootID == bootID else { return max(0, wall) }
        return max(0, min(wall, saturating(bootNanoseconds, minus: now.bootNanoseconds)))
    }

    /// The same moment with a wall time of at least `latest`.
    func notBefore(wall latest: Int64) -> GateInstant {
        GateInstant(
            wallNanoseconds: max(wallNanoseconds, latest), bootNanoseconds: bootNanoseconds, bootID: bootID)
    }

    /// This moment plus `nanoseconds`, on both clocks; the last moment there is where the sum is too large.
    package func advanced(by nanoseconds: Int64) -> GateInstant {
        GateInstant(
            wallNanoseconds: saturating(wallNanoseconds, plus: nanoseconds),
            bootNanoseconds: saturating(bootNanoseconds, plus: nanoseconds), bootID: bootID)
    }

    /// Limits instead of trapping: the numbers come from files and clocks.
    private func saturating(_ value: Int64, plus other: Int64) -> Int64 {
        let (sum, overflow) = value.addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }

    private func saturating(_ value: Int64, minus other: Int64) -> Int64 {
        let (difference, overflow) = value.subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}

extension Decision {
    /// True if the decision has expired, judged so that no wrong clock allows anything.
    ///
    /// A permission has expired as soon as any clock says so, including the latest wall time that the store has seen: setting the
    /// clock back does not revive it. A denial has expired when every clock that can show it says so, by the present time: a clock
    /// that was ahead for a while does not shorten it.
    ///
    /// - Parameters:
    ///   - now: The present clocks.
    ///   - latest: Latest wall time that the store has seen, nanoseconds since 1970.
    package func hasRunOut(at now: GateInstant, latest: Int64) -> Bool {
        guard case .until(let limit) = lifetime else { return false }
        return switch verdict {
        case .allow: limit.hasPassed(at: now.notBefore(wall: latest), since: decidedAt)
        case .deny: limit.hasPassedForCertain(at: now)
        }
    }

    /// True for a timed permission that could revive if a later wall time were forgotten, or that was given under that clock: it
    /// is removed together with that time.
    package func restsOnLaterClock(_ latest: Int64, at now: GateInstant) -> Bool {
        guard verdict == .allow, case .until = lifetime else { return false }
        return hasRunOut(at: now, latest: latest) || decidedAt.wallNanoseconds > now.wallNanoseconds
    }
}

extension StoreSnapshot {
    /// True if a decision has expired.
    /// - Parameters:
    ///   - decision: One of the store's decisions.
    ///   - now: The present clocks.
    public func hasRunOut(_ decision: Decision, at now: GateInstant) -> Bool {
        decision.hasRunOut(at: now, latest: latestSinceEpoch.exactNanoseconds)
    }

    /// Latest clock time in the permission database, since 1970, if the clock is now at least a second earlier; otherwise
    /// `nil`. The clock was ahead then, or was set back since. Permissions with a time limit use the latest time.
    /// - Parameter now: The present clocks.
    public func laterClock(than now: GateInstant) -> Duration? {
        latestSinceEpoch - now.sinceEpoch >= .seconds(1) ? latestSinceEpoch : nil
    }
}

/// A later clock, seen by the store, that ended a permission for a time before its time.
struct LaterClock: Hashable, Sendable {
    /// End of the permission, nanoseconds since 1970.
    let end: Int64
    /// Wall time that the store has seen, nanoseconds since 1970.
    let seen: Int64
}

extension AuthorizationRules {
    /// Permission that would decide if the present clock alone counted, and is over by the latest one that the store
    /// has seen.
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
