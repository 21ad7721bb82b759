import CaptureBase
import Synchronization

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
    let inbox = Inbox()
    let live = LiveOperations()
    /// Operations with conditions that have not ended: they may want a slot that an operation without leaves.
    private let contenders = Atomic(0)
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
        state = Locked(State(isSuspended: isSuspended))
    }

    deinit {
        gatekeeper.locks.closeLane(lane)
    }

    var isSuspended: Bool { state.withLock { $0.isSuspended } }
    var count: Int { live.count }
    var hasContenders: Bool { contenders.load(ordering: .relaxed) > 0 }

    func add(
        _ body: OperationBody, holding holdings: Holdings = Holdings(), priority: TaskPriority? = nil,
        after dependencies: [OperationNode]
    ) -> OperationNode {
        let terms = OperationTerms.unlessPlain(body, holdings: holdings, asking: .inherited, in: gatekeeper)
        let node = OperationNode(
            body, terms, in: gatekeeper, core: self, priority: priority, pending: dependencies.count)
        if !node.isUnconditional { contenders.add(1, ordering: .relaxed) }
        live.add(node)
        if dependencies.isEmpty { ready(node) }
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
    /// - Parameter comesBack: whether this is a starter, who looks for what comes next by himself.
    /// - Returns: whether somebody is cancelling its task, which must not end before that.
    @discardableResult
    func end(_ node: OperationNode, _ end: OperationEnd, comesBack: Bool = false) -> Bool {
        guard let farewell = node.finish(end) else { return false }
        if let didEnd { didEnd(self, end.outcome) }
        if !node.isUnconditional { contenders.subtract(1, ordering: .relaxed) }
        let wasLast = live.remove(node)
        if !comesBack, width < .max, !wasLast { startRest() }
        for continuation in farewell.waiting { continuation.resume(returning: end) }
        if wasLast { tellEmpty() }
        if !farewell.dependents.isEmpty { release(farewell.dependents, node, end, comesBack) }
        return farewell.isBeingCancelled
    }

    /// Its slot is free.
    private func startRest() {
        if let starter = state.withLock({ $0.expectForRest(self) }) { makeStarter(starter) }
    }

    private func tellEmpty() {
        let (emptied, leftover, starter) = state.withLock { state in
            // Another one may have been added meanwhile, whose end comes, too.
            guard live.count == 0 else { return ([] as [Promise<Void>], [] as [ReadyOperation], nil as UInt8?) }
            // What still stands in line was cancelled there; it would keep the queue, as the queue keeps it.
            var leftover = state.ready.removeAll()
            // One may have come in since the count was read.
            for operation in inbox.takeAll() {
                if operation.node.isFinished { leftover.append(operation) } else { state.ready.append(operation) }
            }
            return (exchange(&state.emptied, with: []), leftover, state.expectForRest(self))
        }
        if let starter { makeStarter(starter) }
        withExtendedLifetime(leftover) {}
        for promise in emptied { promise.fulfil(()) }
    }

    private func release(_ dependents: [OperationNode], _ node: OperationNode, _ end: OperationEnd, _ comesBack: Bool) {
        let ended = DependencyOutcome(name: node.work.name, outcome: end.outcome)
        for dependent in dependents where dependent.settle(ended) {
            dependent.core?.ready(dependent, comesBack: comesBack && dependent.core === self)
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
            return state.expectForRest(self)
        }
        if let starter { makeStarter(starter) }
    }

    func cancelAll() {
        for node in live.all { node.carryOut(node.cancel(because: nil)) }
    }

    /// The queue is gone: what it holds back would wait for ever.
    func abandon() {
        if isSuspended { cancelAll() }
    }

    func waitUntilEmpty() async {
        let promise = state.withLock { state -> Promise<Void>? in
            guard live.count > 0 else { return nil }
            let promise = Promise<Void>()
            state.emptied.append(promise)
            return promise
        }
        await promise?.value
    }
}
