import CaptureGate
import Gate
import GateStore
import LinuxSystem

/// Requests about decisions: read, ask, and change them, for one program as it is now.
///
/// What takes a right away is done at once. What gives one is confirmed by the person first.
///
/// *thread-safe*
struct DecisionOrders: Sendable {
    let gate: Gatekeeper
    let subject: Subject
    /// True for an agent, which may see decisions about other programs of its user.
    let isAgent: Bool

    /// Part of the decisions.
    func page(_ query: DecisionQuery) throws(CaptureError) -> BrokerReply {
        guard isAgent || !query.isOfUser else {
            throw CaptureError(
                .notAuthorized, "Only agents can read permissions of other programs.",
                remedies: [Remedy("See your permissions.", .showStatus)])
        }
        let snapshot = try gate.store.snapshot()
        let seen = query.isOfUser ? snapshot : snapshot.about(subject)
        do throws(BrokerFault) {
            return .decisions(try DecisionPage(of: seen, from: Int(query.start)))
        } catch {
            throw CaptureError(.store, "A decision is too long to be sent: \(error.rawValue).")
        }
    }

    /// Has the person asked, if asking can help, and reports the stored decision.
    func ask(_ requests: [DeviceRequest]) async -> BrokerReply {
        let all = Capability.All(requests)
        do throws(CaptureError) {
            guard !requests.isEmpty, requests.allSatisfy({ $0.capability.has($0.level) }) else {
                throw CaptureError(
                    .usage, "The question has no device, or an invalid level.",
                    remedies: [Remedy("Ask for a camera or a microphone.")])
            }
            try await all.requestAuthorization(in: gate)
            let report = await gate.report(on: all)
            switch report.status {
            case .authorized(let grant): return .asked(.allow(grant.lifetime))
            case .denied: return .asked(.deny)
            case .notDetermined, .restricted: throw report.refusal ?? .noAgent
            }
        } catch {
            return .asked(error.kind == .dismissed ? .dismissed : .failed(BrokerFailure(error)))
        }
    }

    /// Switches a capability off, or on again once the person has confirmed it.
    func turn(_ order: SwitchOrder) async throws(CaptureError) -> BrokerReply {
        let name = order.capability
        guard !name.levels.isEmpty else { throw .wrongOrder("no device has the capability \(name)") }
        if !order.isOff {
            try await confirm("Switch the \(name) on again?", "All programs with a permission can use it again.")
        }
        let store = gate.store
        let event = event(.killSwitch, name, [], order.isOff ? "switched off" : "switched on")
        return .recorded(RecordedDecisions(try store.setKillSwitch(name, on: order.isOff, audit: event)))
    }

    /// Stores decisions about programs of this user, once the person has confirmed what they allow.
    func grant(_ orders: [Decision]) async throws(CaptureError) -> BrokerReply {
        guard !orders.isEmpty else { throw .wrongOrder("it names no decision") }
        for order in orders {
            guard order.subject.userID == subject.userID else { throw .wrongOrder("it is about another user") }
            guard !order.capability.levels.isEmpty, order.capability.has(order.level) else {
                throw .wrongOrder("the \(order.capability) has no level \(order.level)")
            }
        }
        let given = orders.filter { $0.verdict == .allow }
        if !given.isEmpty {
            try await confirm(
                "Allow this?", given.map(Self.sentence).joined(separator: " "))
        }
        let now = SystemGateClock().now
        let decisions = orders.map { order in
            Decision(
                verdict: order.verdict, subject: order.subject.seenHere, capability: order.capability,
                level: order.level, device: order.device, lifetime: order.lifetime, decidedBy: .command, decidedAt: now)
        }
        let event = event(.decision, orders.first?.capability, [], "by command")
        return .recorded(RecordedDecisions(try gate.store.record(decisions, audit: event)))
    }

    /// Removes decisions; where a no is among them, once the person has confirmed it.
    func revoke(_ ids: [Int64]) async throws(CaptureError) -> BrokerReply {
        let snapshot = try gate.store.snapshot()
        let all = snapshot.decisions + (snapshot.consumed ?? [])
        let gone = all.filter { decision in decision.id.map { ids.contains($0) } == true }
        let denials = gone.filter { $0.verdict == .deny }
        if !denials.isEmpty {
            try await confirm("Remove these denials?", denials.map(Self.sentence).joined(separator: " "))
        }
        let event = event(.removal, gone.first?.capability, gone.compactMap(\.namedDevice), "by command")
        return .recorded(RecordedDecisions(try gate.store.remove(ids, audit: event)))
    }

    /// Uses up this program's own grants for one capture.
    func spend(_ ids: [Int64]) throws(CaptureError) -> BrokerReply {
        let own = try gate.store.snapshot().about(subject).decisions.filter { decision in
            decision.lifetime == .once && decision.id.map { ids.contains($0) } == true
        }
        guard let first = own.first, Set(own.compactMap(\.id)) == Set(ids) else {
            throw CaptureError(
                .notAuthorized, "The permission for one capture was used, or belongs to another program.",
                remedies: [Remedy("Ask again.")])
        }
        let detail = first.capability.isOfService ? "a service" : "a built-in test device"
        let event = event(.start, first.capability, own.compactMap(\.namedDevice), detail)
        return .recorded(RecordedDecisions(try gate.store.consume(once: ids, audit: event)))
    }

    /// Asks the person, through an agent.
    private func confirm(_ title: String, _ message: String) async throws(CaptureError) {
        let text = "\(subject.executable.path.visible) requests this. \(message)"
        try await gate.confirm(ConfirmationRequest(title, message: text))
    }

    private func event(
        _ kind: AuditEvent.Kind, _ capability: CapabilityName?, _ devices: [DeviceID], _ detail: String
    ) -> AuditEvent {
        AuditEvent(
            kind, at: SystemGateClock().now, subject: subject, capability: capability, devices: devices, detail: detail)
    }

    private static func sentence(_ decision: Decision) -> String {
        let verb = decision.verdict == .allow ? "may use" : "may not use"
        return "\(decision.subject.executable.path.visible) \(verb) the \(decision.capability.rawValue.visible) "
            + "\(decision.device.description.visible) (\(decision.level.name.visible))."
    }
}

extension Decision {
    fileprivate var namedDevice: DeviceID? { if case .id(let id) = device { id } else { nil } }
}

extension StoreSnapshot {
    /// The same with the decisions about one program's file alone, also those about earlier contents of it.
    fileprivate func about(_ subject: Subject) -> StoreSnapshot {
        let isOwn = { (decision: Decision) in decision.subject.executable.path == subject.executable.path }
        return StoreSnapshot(
            decisions: decisions.filter(isOwn), killSwitches: killSwitches, latestSinceEpoch: latestSinceEpoch,
            consumed: consumed?.filter(isOwn), version: version)
    }
}

extension CaptureError {
    /// Refusal of an order that makes no sense.
    fileprivate static func wrongOrder(_ reason: String) -> CaptureError {
        CaptureError(
            .usage, "The capture broker can't do that: \(reason).",
            remedies: [Remedy("See your permissions.", .showStatus)])
    }
}

extension Subject {
    /// The same with what the broker itself sees of the program: that root alone can change it is for no client to say.
    fileprivate var seenHere: Subject {
        guard let seen = ProcessSubject.executable(ofRootAlone: executable) else { return self }
        return Subject(
            userID: userID, groupIDs: groupIDs, executable: seen, application: application, session: session)
    }
}
