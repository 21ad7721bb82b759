import Gate
import LinuxSystem

extension SQLiteGrantStore {
    /// Each decision replaces the one with the same key.
    package func record(_ decisions: [Decision], audit: AuditEvent) throws(CaptureError) -> StoreCommit {
        try commit(audit) { db in
            try decisions.map { decision in
                try DecisionTable.clearWay(for: decision, db)
                return try DecisionTable.insert(decision, db)
            }
        }
    }

    package func remove(_ ids: [Int64], audit: AuditEvent) throws(CaptureError) -> StoreCommit {
        try commit(audit) { try DecisionTable.remove(ids, $0) }
    }

    /// All in one transaction: if one of them is already used up, none is consumed.
    package func consume(once ids: [Int64], audit: AuditEvent) throws(CaptureError) -> StoreCommit {
        let wanted = Set(ids)
        return try commit(audit) { db in
            try wanted.sorted().map { try DecisionTable.consume($0, bootID: audit.at.bootID, db) }
        }
    }

    /// A switch is written even if it already has the wanted value: the log records who wanted it.
    package func setKillSwitch(
        _ capability: CapabilityName, on: Bool, audit: AuditEvent
    ) throws(CaptureError) -> StoreCommit {
        guard DecisionState.switchable.contains(capability) else {
            throw CaptureError(
                .usage, "\"\(capability)\" can't be switched off.",
                remedies: [Remedy("Switch off all microphones or all cameras.", .showSwitches)])
        }
        return try commit(audit) { db in
            let sql =
                on
                ? "INSERT OR IGNORE INTO kill_switch (capability) VALUES (?)"
                : "DELETE FROM kill_switch WHERE capability = ?"
            try db.run(sql, [.text(capability.rawValue)])
            return []
        }
    }

    /// Appends only a line. Running captures need no notice.
    package func append(_ event: AuditEvent) throws(CaptureError) {
        _ = try commit(event, decides: false) { _ in [] }
    }

    /// Forgets a wall time that was later than the clock now is, and removes the permissions with an end that depend on it:
    /// those that expired by that later time, which must not be revived, and those decided under it.
    ///
    /// - Parameters:
    ///   - ids: further decisions to remove.
    ///   - audit: the line that records it; its time becomes the latest one seen.
    /// - Returns: the removed decisions.
    package func forgetLaterClock(removing ids: [Int64] = [], audit: AuditEvent) throws(CaptureError) -> StoreCommit {
        try commit(audit, clock: .isSet) { db in
            let state = try DecisionState(db)
            let resting = state.decisions.filter { decision in
                decision.restsOnLaterClock(state.latestWallNanoseconds, at: audit.at)
            }
            return try DecisionTable.remove(ids + resting.compactMap(\.id), db)
        }
    }

    /// Effect of a change on the latest wall time seen.
    enum Clock: Sendable {
        case onlyGrows
        case isSet
    }

    /// One transaction: the change, its audit line, and the latest wall time.
    ///
    /// The head file names the new line before the commit and settles after it (see `AuditHead`).
    ///
    /// - Parameters:
    ///   - decides: true if running captures must be notified at once.
    ///   - retains: true to shorten a log that has grown too long afterwards.
    /// - Throws: also if the store differs from the state after its last change: another change would hide that.
    func commit(
        _ event: AuditEvent, decides: Bool = true, retains: Bool = true, clock: Clock = .onlyGrows,
        _ change: @Sendable (borrowing SQLiteConnection) throws -> [Decision]
    ) throws(CaptureError) -> StoreCommit {
        let chain = AuditChain(headPath: folder.headPath)
        return try perform { db in
            var changed: [Decision] = []
            try chain.settling(db) {
                try db.inTransaction(.immediate) {
                    try chain.confirm(db)
                    try DecisionTable.forgetEarlier(butOf: event.at.bootID, db)
                    changed = try change(db)
                    let latest = clock == .isSet ? "?" : "max(latest_wall, ?)"
                    try db.run("UPDATE state SET latest_wall = \(latest)", [.integer(event.at.wallNanoseconds)])
                    try chain.append(event.resting(on: changed), db)
                    return .commit
                }
            }
            let committed = SystemClock.monotonic.now
            if decides { chain.head.announce() }
            chain.settle(db)
            if retains { AuditLog.retain(after: event, chain, db) }
            return StoreCommit(decisions: changed, committed: .nanoseconds(committed))
        }
    }
}

extension AuditEvent {
    /// Names the decision that was just stored: it had no number when the event was made.
    fileprivate func resting(on decisions: [Decision]) -> AuditEvent {
        guard decision == nil, decisions.count == 1, let id = decisions[0].id else { return self }
        return AuditEvent(
            kind, at: at, subject: subject, capability: capability, level: level, devices: devices, decision: id,
            frames: frames, bytes: bytes, detail: detail)
    }
}
