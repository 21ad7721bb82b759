/// What a queue consists of; it lives until its operations have ended, also without the queue.
///
/// *thread-safe*
final class QueueCore: Sendable {
    let gatekeeper: Gatekeeper
    let width: Int
    let lane: LockTable.Lane
    let slots: Slots
    /// What an operation holds that has a slot and nothing else.
    let slotHoldings: Holdings
    /// Is told of each end, in the order in which they come.
    private let didEnd: (@Sendable (QueueCore, OperationOutcome) -> Void)?
    let state: Locked<State>

    init(
        gatekeeper: Gatekeeper, width: Int, isSuspended: Bool = false,
        didEnd: (@Sendable (QueueCore, OperationOutcome) -> Void)? = nil
    ) {
        self.didEnd = didEnd
        self.gatekeeper = gatekeeper
        self.width = max(1, width)
        lane = gatekeeper.locks.openLane(width: isSuspended ? 0 : self.width)
        slots = Slots(room: gatekeeper.locks, lane: lane)
        slotHoldings = Holdings().with(lane)
        state = Locked(State(slots: slots, isSuspended: isSuspended))
    }

    deinit {
        gatekeeper.locks.closeLane(lane)
    }

    var isSuspended: Bool { state.withLock { $0.isSuspended } }
    var count: Int { state.withLock { $0.live.count } }

    func add(
        _ work: some OperationWork, priority: TaskPriority? = nil, after dependencies: [OperationNode]
    ) -> OperationNode {
        let slot = slot(for: work)
        let (node, starter) = state.withLock { state in
            let node = state.live.add {
                OperationNode(
                    work, in: gatekeeper, core: self, priority: priority, place: $0, pending: dependencies.count)
            }
            let isReady = dependencies.isEmpty
            return (node, isReady ? state.enqueue(ReadyOperation(node: node, slot: slot)) : nil)
        }
        if let starter { makeStarter(starter) }
        for dependency in dependencies { follow(node, dependency) }
        return node
    }

    /// The dependency is counted already.
    private func follow(_ node: OperationNode, _ dependency: OperationNode) {
        if let ended = dependency.addDependent(node), node.settle(ended) { ready(node) }
    }

    /// - Returns: `false` if it is too late for another dependency.
    @discardableResult
    func wait(_ node: OperationNode, for dependency: OperationNode) -> Bool {
        guard node.addPending() else { return false }
        follow(node, dependency)
        return true
    }

    /// The operation has its result: those who waited for it come next.
    /// - Returns: whether somebody is cancelling its task, which must not end before that.
    @discardableResult
    func end(_ node: OperationNode, _ end: OperationEnd) -> Bool {
        guard let farewell = node.finish(end) else { return false }
        if let didEnd { didEnd(self, end.outcome) }
        let removal = state.withLock { $0.remove(node) }
        if let starter = removal.starter { makeStarter(starter) }
        for continuation in farewell.waiting { continuation.resume(returning: end) }
        for promise in removal.emptied { promise.fulfil(()) }
        if !farewell.dependents.isEmpty { release(farewell.dependents, node, end) }
        return farewell.isBeingCancelled
    }

    private func release(_ dependents: [OperationNode], _ node: OperationNode, _ end: OperationEnd) {
        let ended = DependencyOutcome(name: node.work.name, outcome: end.outcome)
        for dependent in dependents where dependent.settle(ended) {
            dependent.core?.ready(dependent, after: dependent.core === self ? node : nil)
        }
    }
}

extension QueueCore {
    func suspend() {
        state.withLock { state in
            state.isSuspended = true
            gatekeeper.locks.setWidth(0, of: lane)
        }
    }

    func resume() {
        let starter = state.withLock { state in
            state.isSuspended = false
            gatekeeper.locks.setWidth(width, of: lane)
            return state.ready.expectForRest { state.slots.isFree }
        }
        if let starter { makeStarter(starter) }
    }

    func cancelAll() {
        let live = state.withLock { $0.live.all }
        for node in live { node.carryOut(node.cancel(because: nil)) }
    }

    /// The queue is gone: what it holds back would wait for ever.
    func abandon() {
        if isSuspended { cancelAll() }
    }

    func waitUntilEmpty() async {
        let promise = state.withLock { state -> Promise<Void>? in
            guard !state.live.isEmpty else { return nil }
            let promise = Promise<Void>()
            state.emptied.append(promise)
            return promise
        }
        await promise?.value
    }
}
