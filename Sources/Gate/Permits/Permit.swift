import CaptureBase

/// Proof that an operation may open its devices. Only the gatekeeper creates it, right before the operation executes.
///
/// It can't be made, copied or used twice, and it is worth nothing once the operation has ended. Opening a device asks
/// the store once more.
///
/// *thread-safe*
public struct Permit: ~Copyable, Sendable {
    /// A device that may be opened.
    public struct Device: Hashable, Sendable {
        public let device: DeviceDescription
        public let capability: CapabilityName
        public let level: AccessLevel
    }

    /// All devices of the operation, also those already taken.
    public let devices: [Device]

    let state: PermitState
    /// Indices of the devices that were not taken yet.
    private var left: Set<Int>

    init(_ state: PermitState) {
        self.state = state
        devices = state.items.map {
            Device(device: $0.device, capability: $0.request.capability, level: $0.request.level)
        }
        left = Set(devices.indices)
    }

    /// Hands out a device, once.
    /// - Returns: `nil` if the permit does not cover this device, or it was taken.
    public mutating func take(_ id: DeviceID) -> DevicePermit? {
        guard let index = left.filter({ devices[$0].device.id == id }).min() else { return nil }
        left.remove(index)
        return DevicePermit(state, index, devices[index])
    }

    /// Throws, before anything is opened, if a device is not allowed at its capability's highest level, which allows to keep
    /// frames.
    /// - Throws: `.notAuthorized` with both levels, which is also in the audit log.
    package func requireFrames() async throws(CaptureError) {
        for (index, device) in devices.enumerated() {
            guard let level = device.capability.levels.last else { continue }
            try await state.require(level, of: index)
        }
    }
}

/// Proof that one device may be opened, once.
///
/// *thread-safe*
public struct DevicePermit: ~Copyable, Sendable {
    public let device: DeviceDescription
    public let capability: CapabilityName
    public let level: AccessLevel

    private let state: PermitState
    private let index: Int
    var gatekeeper: Gatekeeper { state.gatekeeper }
    /// Store of the gatekeeper that made it.
    package var store: any GrantStore { gatekeeper.store }

    init(_ state: PermitState, _ index: Int, _ device: Permit.Device) {
        self.state = state
        self.index = index
        self.device = device.device
        capability = device.capability
        level = device.level
    }

    /// Redeems the permit: compares the device that is about to be opened with the allowed one, reads the store once more, uses up
    /// a `once` grant, writes the `start` line, and watches for revocation from here on.
    ///
    /// Call it right before the node is opened. All devices of one permit are one capture: the first one uses up the `once` grants
    /// of all.
    /// - Parameters:
    ///   - id: The device that is about to be opened.
    ///   - name: The capability that it is about to be opened as.
    ///   - level: Lowest level that allows what the session lends to the program.
    /// - Throws: `.notAuthorized` if the permit is of another device or of a lower level, its operation has ended, the
    ///   authorization is gone, or the device is real and the gatekeeper not the machine's; `.store` if the store can't
    ///   be read or written. Nothing may be opened then.
    package consuming func redeem(
        opening id: DeviceID, as name: CapabilityName, for level: AccessLevel
    ) async throws(CaptureError) -> ActiveCapture {
        guard device.id == id, capability == name else {
            throw CaptureError(
                .notAuthorized, "The permit is for the \(capability) \(device.id), not for the \(name) \(id).",
                remedies: [Remedy("Name all devices of the operation in its capability.")])
        }
        try await state.require(level, of: index)
        return try await state.redeem(index)
    }
}

/// State shared by a permit and its device permits: the devices, and the grants that the capture uses.
///
/// *thread-safe*
final class PermitState: Sendable {
    /// A device of the permit, and the request that it answers.
    struct Item: Sendable {
        let request: DeviceRequest
        let device: DeviceDescription
        /// The device's other ids.
        let aliases: [DeviceID]
    }

    private struct State {
        /// True once the operation has ended.
        var isClosed = false
        /// Set when the first device is redeemed: the grant of each item.
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

    /// Ends the permit with its operation. Running captures continue and stay watched.
    func close() {
        state.withLock { $0.isClosed = true }
    }

    /// Refuses a use that lends more to the program than was allowed. The audit log has the refusal.
    func require(_ level: AccessLevel, of index: Int) async throws(CaptureError) {
        let item = items[index]
        guard item.request.level < level || !item.request.capability.has(level) else { return }
        let error = item.notice(of: gatekeeper, needing: level).permitTooLow(item.request.level)
        await gatekeeper.reportRefusal(of: [item], error)
        throw error
    }

    /// Starts the capture on the store queue: the store may block, and the cooperative pool must not.
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

    /// Starts on the store queue, which is serial: devices of one permit start one after another.
    private func start(_ index: Int) throws(CaptureError) -> ActiveCapture {
        try gatekeeper.checkStanding(for: items[index].device, items[index].request.capability)
        if state.withLock({ $0.isClosed }) {
            throw CaptureError(
                .notAuthorized, "The operation of this permit has ended.",
                remedies: [Remedy("Open the device in the operation's execute method.")])
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

    /// Grants of all devices, read now: all or nothing.
    private func grants(continuing known: [Grant]?) throws(CaptureError) -> [Grant] {
        let evaluator = gatekeeper.watcher.evaluator
        let cases = items.indices.map { index in
            AuthorizationEvaluator.Request(
                request: items[index].request, device: items[index].device.id, aliases: items[index].aliases,
                basis: known?[index])
        }
        var grants: [Grant] = []
        for (item, finding) in zip(items, evaluator.findings(of: cases)) {
            let notice = RefusalNotice(
                subject: evaluator.subject, capability: item.request.capability, request: item.request,
                device: item.device, laterClock: finding.laterClock)
            if let refusal = notice.refusal(of: finding.status) { throw refusal }
            guard let grant = finding.status.grant else {
                throw CaptureError(.notAuthorized, "The permit no longer contains an authorization.")
            }
            grants.append(grant)
        }
        return grants
    }

    /// Writes the `start` line; the first device also uses up `once` grants, in the same transaction.
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
    /// The refusal's words for a use of this device at that level.
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

/// State of the captures of one permit.
///
/// *thread-safe*
final class PermitUsage: Sendable {
    enum State {
        case notBegun
        /// At least one capture runs, and the gate has ended none.
        case running
        case ended
    }

    private let watches = Locked<[WatchedCapture]>([])

    func add(_ watch: WatchedCapture) {
        watches.withLock { $0.append(watch) }
    }

    var state: State {
        let watches = watches.withLock { $0 }
        if watches.isEmpty { return .notBegun }
        if watches.contains(where: { $0.endReason != nil }) { return .ended }
        return watches.contains { !$0.isFinished } ? .running : .ended
    }
}
