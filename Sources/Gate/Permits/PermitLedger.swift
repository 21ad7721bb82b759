import CaptureBase

/// What stands behind a permit and its device permits: the devices, and what the capture rests on.
///
/// *thread-safe*
final class PermitState: Sendable {
    struct Item: Sendable {
        let request: DeviceRequest
        let device: DeviceDescription
        /// The device's other ids.
        let aliases: [DeviceID]
    }

    private struct State {
        /// The operation has ended.
        var isClosed = false
        /// Set when the first device was redeemed: the grant of each item.
        var bases: [Grant]?
    }

    let gatekeeper: Gatekeeper
    let items: [Item]
    let usage = PermitUsage()
    private let state = Locked(State())

    init(gatekeeper: Gatekeeper, items: [Item]) {
        self.gatekeeper = gatekeeper
        self.items = items
    }

    /// Ends the permit with its operation. Captures that have begun go on and stay watched.
    func close() {
        state.withLock { $0.isClosed = true }
    }

    /// Refuses what lends more to the program than was allowed.
    func require(_ level: AccessLevel, of index: Int) async throws(CaptureError) {
        let item = items[index]
        guard item.request.level < level || !item.request.capability.has(level) else { return }
        let error = item.notice(of: gatekeeper, needing: level).permitTooLow(item.request.level)
        await gatekeeper.reportRefusal(of: [item], error)
        throw error
    }

    func redeem(_ index: Int) async throws(CaptureError) -> ActiveCapture {
        let started = await gatekeeper.onStoreQueue { () -> Result<ActiveCapture, CaptureError> in
            Result { () throws(CaptureError) in try self.start(index) }
        }
        switch started {
        case .success(let capture): return capture
        case .failure(let error):
            await gatekeeper.reportRefusal(of: [items[index]], error)
            throw error
        }
    }

    /// On the store queue, which is serial: devices of one permit start one after another.
    private func start(_ index: Int) throws(CaptureError) -> ActiveCapture {
        try gatekeeper.checkStanding(for: items[index].device, items[index].request.capability)
        if state.withLock({ $0.isClosed }) {
            throw CaptureError(
                .notAuthorized, "The permit was for an operation that has ended.",
                remedies: [Remedy("Open the device inside the operation's execute, with its own permit.")])
        }
        // Before the store is read, so that no change falls between reading and watching.
        gatekeeper.watcher.open()
        let known = state.withLock { $0.bases }
        let bases = try grants(continuing: known)
        try writeStart(index, bases, isFirst: known == nil)
        state.withLock { $0.bases = bases }
        let watch = WatchedCapture(items[index], basis: bases[index])
        usage.add(watch)
        gatekeeper.watcher.begin(watch)
        return ActiveCapture(watch, gatekeeper: gatekeeper)
    }

    /// The grants of all devices, read now: all or nothing.
    private func grants(continuing known: [Grant]?) throws(CaptureError) -> [Grant] {
        let judge = gatekeeper.watcher.judge
        let cases = items.indices.map { index in
            CaptureJudge.Case(
                request: items[index].request, device: items[index].device.id, aliases: items[index].aliases,
                basis: known?[index])
        }
        var grants: [Grant] = []
        for (item, finding) in zip(items, judge.findings(of: cases)) {
            let notice = RefusalNotice(
                subject: judge.subject, capability: item.request.capability, request: item.request,
                device: item.device, laterClock: finding.laterClock)
            if let refusal = notice.refusal(of: finding.status) { throw refusal }
            guard let grant = finding.status.grant else {
                throw CaptureError(.notAuthorized, "The authorization is gone.")
            }
            grants.append(grant)
        }
        return grants
    }

    /// Writes the `start` line; the first device also uses up what is for one capture, in the same transaction.
    private func writeStart(_ index: Int, _ bases: [Grant], isFirst: Bool) throws(CaptureError) {
        let event = items[index].event(
            .start, at: gatekeeper.clock.now, subject: gatekeeper.subject, decision: bases[index].id,
            detail: "capture began")
        var once: [Int64] = []
        for case let grant in bases where grant.lifetime == .once {
            if let id = grant.id, !once.contains(id) { once.append(id) }
        }
        if isFirst, !once.isEmpty {
            _ = try gatekeeper.store.consume(once: once, audit: event)
        } else {
            try gatekeeper.store.append(event)
        }
    }
}

extension PermitState.Item {
    func notice(of gatekeeper: Gatekeeper, needing level: AccessLevel) -> RefusalNotice {
        let needed = DeviceRequest(
            capability: request.capability, level: level, device: request.device, purpose: request.purpose)
        return RefusalNotice(
            subject: gatekeeper.subject, capability: request.capability, request: needed, device: device)
    }

    func event(
        _ kind: AuditEvent.Kind, at now: GateInstant, subject: Result<Subject, CaptureError>, decision: Int64? = nil,
        frames: UInt64? = nil, bytes: UInt64? = nil, detail: String
    ) -> AuditEvent {
        AuditEvent(
            kind, at: now, subject: try? subject.get(), capability: request.capability, level: request.level,
            devices: [device.id], decision: decision, frames: frames, bytes: bytes, detail: detail)
    }
}
