import Gate
import LinuxSystem

/// Store of a program whose devices a broker opens: decisions and audit log are the broker's.
///
/// The program's own gate reads them to know what to ask and what to report. It decides nothing with them: the broker judges each
/// opening again, by its own gate.
///
/// *thread-safe*
package struct BrokeredStore: GrantStore {
    package let link: BrokerLink
    /// True for decisions about all of the user's programs; otherwise only those about this one.
    private let isOfUser: Bool

    package init(_ link: BrokerLink) {
        self.link = link
        isOfUser = false
    }

    /// Decisions about all of the user's programs, where the broker lets this one be an agent.
    package init(of agent: BrokerAgent) {
        link = agent.link
        isOfUser = true
    }

    /// - Throws: `.notAuthorized` if decisions about other programs are requested, and this one may not be an agent.
    package func snapshot() throws(CaptureError) -> StoreSnapshot {
        // A store that changes between two pages is read again from the first.
        for _ in 0..<8 {
            if let snapshot = try reading() { return snapshot }
        }
        throw CaptureError(
            .store, "The permissions change faster than they can be read from the capture broker.",
            remedies: [Remedy("Try again.")])
    }

    /// One reading; `nil` if the store changed meanwhile.
    private func reading() throws(CaptureError) -> StoreSnapshot? {
        var pages: [DecisionPage] = []
        var count = 0
        repeat {
            let query = DecisionQuery(isOfUser: isOfUser, start: UInt32(clamping: count))
            guard case .decisions(let page) = try link.wait(for: .decisions(query)).body else {
                throw BrokerFault.kind.error
            }
            if let first = pages.first, first.version != page.version { return nil }
            // Empty pages with a successor would never end, and neither would too many pages.
            guard !page.hasMore || !page.entries.isEmpty, pages.count < 1024 else { throw BrokerFault.count.error }
            pages.append(page)
            count += page.entries.count
        } while pages.last?.hasMore == true
        guard let last = pages.last else { return nil }
        let entries = pages.flatMap(\.entries)
        return StoreSnapshot(
            decisions: entries.filter { !$0.isConsumed }.map(\.decision), killSwitches: Set(last.switchedOff),
            latestSinceEpoch: .nanoseconds(last.latest), consumed: entries.filter(\.isConsumed).map(\.decision))
    }

    /// An answer of a person is in the broker's store already: it is looked for there. A decision by command is sent to the
    /// broker, which has the person confirm it.
    package func record(_ decisions: [Decision], audit: AuditEvent) throws(CaptureError) -> StoreCommit {
        if decisions.allSatisfy({ $0.decidedBy == .command }) { return try commit(of: .grant(GrantOrder(decisions))) }
        let stored = try snapshot().decisions
        var found: [Decision] = []
        for decision in decisions {
            guard let same = stored.last(where: { $0.answers(decision) }) else {
                throw CaptureError(
                    .store, "The capture broker did not store the answer about the \(decision.capability).",
                    remedies: [Remedy("Ask again.")])
            }
            found.append(same)
        }
        return StoreCommit(decisions: found, committed: .nanoseconds(SystemClock.monotonic.now))
    }

    package func remove(_ ids: [Int64], audit: AuditEvent) throws(CaptureError) -> StoreCommit {
        try commit(of: .revoke(RevokeOrder(ids)))
    }

    /// The broker uses a grant up when it opens the device; those of what it does not open, built-in devices and services, at once.
    package func consume(once ids: [Int64], audit: AuditEvent) throws(CaptureError) -> StoreCommit {
        let found = try snapshot().decisions.filter { decision in decision.id.map { ids.contains($0) } == true }
        guard found.count == Set(ids).count else {
            throw CaptureError(.notAuthorized, "Another capture has used this permission for one capture.")
        }
        let unopened = found.filter { decision in
            decision.capability.isOfService || decision.isOfBuiltIn && !link.lendsBuiltIn
        }.compactMap(\.id)
        if !unopened.isEmpty { _ = try commit(of: .spend(RevokeOrder(unopened))) }
        return StoreCommit(decisions: found, committed: .nanoseconds(SystemClock.monotonic.now))
    }

    package func setKillSwitch(
        _ capability: CapabilityName, on: Bool, audit: AuditEvent
    ) throws(CaptureError) -> StoreCommit {
        try commit(of: .killSwitch(SwitchOrder(capability, isOff: on)))
    }

    /// Nothing: the log is the broker's, which writes into it what it does.
    package func append(_ event: AuditEvent) throws(CaptureError) {}

    package func observeChanges(_ handler: @escaping @Sendable () -> Void) -> any ChangeObservation {
        link.observeChanges(handler)
    }

    /// Makes the broker change its store, for which a person may be asked.
    private func commit(of request: BrokerRequest) throws(CaptureError) -> StoreCommit {
        guard case .recorded(let recorded) = try link.wait(for: request, within: nil).body else {
            throw BrokerFault.kind.error
        }
        return StoreCommit(decisions: recorded.decisions, committed: .nanoseconds(recorded.committed))
    }
}

extension BrokerLink {
    /// Switches a capability off for all users, or on again; polkit says who may, and may ask for a password.
    ///
    /// - Returns: the time at which that was durable, on CLOCK_MONOTONIC.
    package func switchForAll(_ order: SwitchOrder) throws(CaptureError) -> Duration {
        guard case .recorded(let recorded) = try wait(for: .machineSwitch(order), within: nil).body else {
            throw BrokerFault.kind.error
        }
        return .nanoseconds(recorded.committed)
    }
}

extension Decision {
    /// True if it is about a built-in device alone.
    fileprivate var isOfBuiltIn: Bool { if case .id(let id) = device { id.isBuiltIn } else { false } }

    /// True if this stored decision is the answer that `other` would store.
    fileprivate func answers(_ other: Decision) -> Bool {
        verdict == other.verdict && capability == other.capability && device == other.device
            && level >= other.level && isFor(other.lifetime)
    }

    /// True for a lifetime of the same kind; its end is counted by the broker's clock.
    private func isFor(_ other: Lifetime) -> Bool {
        switch (lifetime, other) {
        case (.once, .once), (.session, .session), (.until, .until), (.always, .always): true
        default: false
        }
    }
}
