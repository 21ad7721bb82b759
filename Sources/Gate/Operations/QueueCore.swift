/// What a queue consists of; it lives until its operations have ended, also without the queue.
///
/// *thread-safe*
final class QueueCore: Sendable {
    private struct State {
        var isSuspended: Bool
        /// Ready, but the queue is suspended.
        var held: [OperationNode] = []
        var live: [ObjectIdentifier: OperationNode] = [:]
        var emptied: [Promise<Void>] = []
    }

    let gatekeeper: Gatekeeper
    let width: Int
    let lane: LockTable.Lane
    private let state: Locked<State>

    init(gatekeeper: Gatekeeper, width: Int, isSuspended: Bool) {
        self.gatekeeper = gatekeeper
        self.width = max(1, width)
        lane = gatekeeper.locks.openLane(width: isSuspended ? 0 : self.width)
        state = Locked(State(isSuspended: isSuspended))
    }

    deinit {
        gatekeeper.locks.closeLane(lane)
    }

    var isSuspended: Bool { state.withLock { $0.isSuspended } }
    var count: Int { state.withLock { $0.live.count } }

    func add(_ node: OperationNode, after dependencies: [OperationNode]) {
        state.withLock { $0.live[ObjectIdentifier(node)] = node }
        for dependency in dependencies { wait(node, for: dependency) }
        if node.settle(nil) { ready(node) }
    }

    /// - Returns: `false` if it is too late for another dependency.
    @discardableResult
    func wait(_ node: OperationNode, for dependency: OperationNode) -> Bool {
        guard node.addPending() else { return false }
        if !dependency.addDependent(node), node.settle(dependency.finalOutcome) { ready(node) }
        return true
    }

    /// Dependencies are settled: begins now, or when the queue is resumed.
    private func ready(_ node: OperationNode) {
        let isHeld = state.withLock { state in
            if state.isSuspended { state.held.append(node) }
            return state.isSuspended
        }
        if !isHeld { start(node) }
    }

    private func start(_ node: OperationNode) {
        // What is waited for inside an operation of this queue goes on in that one's slot.
        if node.work.hasSlot(in: lane) {
            launch(node, lane: nil)
            return
        }
        guard node.work.isUnconditional else {
            launch(node, lane: lane)
            return
        }
        if width == .max {
            launch(node, lane: nil)
            return
        }
        guard node.commit() else { return }
        gatekeeper.locks.whenFree(lane) { self.launch(node, lane: nil, slot: $0) }
    }

    /// Makes the task. Detached: which task happened to end the last dependency must not matter.
    /// - Returns: `false` if it was cancelled before, so that the slot is free for the next.
    @discardableResult
    private func launch(_ node: OperationNode, lane: LockTable.Lane?, slot: LockTable.Ticket? = nil) -> Bool {
        guard node.begin() else { return false }
        let start = OperationStart(
            gatekeeper: gatekeeper, lane: lane, slot: slot == nil ? nil : self.lane,
            isPlain: lane == nil && slot == nil && node.work.isUnconditional)
        let task = Task.detached(priority: node.priority) {
            let outcome = await node.work.run(node, start)
            if let slot { self.gatekeeper.locks.release(slot) }
            self.end(node, outcome)
        }
        node.attach(task)
        return true
    }

    /// The operation has its result: those who waited for it come next.
    func end(_ node: OperationNode, _ outcome: OperationOutcome) {
        guard let dependents = node.finish(outcome) else { return }
        let emptied = state.withLock { state in
            state.live[ObjectIdentifier(node)] = nil
            guard state.live.isEmpty else { return [Promise<Void>]() }
            defer { state.emptied = [] }
            return state.emptied
        }
        for promise in emptied { promise.fulfil(()) }
        let ended = DependencyOutcome(name: node.work.name, outcome: outcome)
        for dependent in dependents where dependent.settle(ended) { dependent.core?.ready(dependent) }
    }
}

extension QueueCore {
    func suspend() {
        state.withLock { $0.isSuspended = true }
        gatekeeper.locks.setWidth(0, of: lane)
    }

    func resume() {
        let held = state.withLock { state in
            state.isSuspended = false
            defer { state.held = [] }
            return state.held
        }
        gatekeeper.locks.setWidth(width, of: lane)
        for node in held { start(node) }
    }

    func cancelAll() {
        let live = state.withLock { Array($0.live.values) }
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
