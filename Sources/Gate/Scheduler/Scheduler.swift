import CaptureBase
import Synchronization

/// Scheduler of one queue: takes operations in, has workers run them, and ends them. README.md explains the whole.
///
/// It lives until its operations have ended, also without the queue.
///
/// *thread-safe*
final class Scheduler: Sendable {
    struct State {
        var isSuspended: Bool
        var ready = ReadyQueue()
        /// Callers that wait for the last operation to end.
        var emptied: [Promise<Void>] = []
    }

    let gatekeeper: Gatekeeper
    let width: Int
    let limit: ConcurrencyLimit
    /// Locks of an operation that has a slot and nothing else.
    let slotHeld: HeldLocks
    let submissions = SubmissionQueue()
    /// Operations that have not ended: for cancelling all of them, and to know when the queue is empty.
    let registry = OperationRegistry()
    let state: Locked<State>
    /// Circumstances of a group's children; `nil` for a queue.
    let membership: GroupMembership?
    /// Called with each end, in the order in which they come.
    private let didEnd: (@Sendable (Scheduler, OperationOutcome) -> Void)?
    /// Operations with conditions that have not ended.
    private let conditional = Atomic(0)

    init(
        gatekeeper: Gatekeeper, width: Int, isSuspended: Bool = false, membership: GroupMembership? = nil,
        didEnd: (@Sendable (Scheduler, OperationOutcome) -> Void)? = nil
    ) {
        self.didEnd = didEnd
        self.membership = membership
        self.gatekeeper = gatekeeper
        self.width = max(1, width)
        limit = ConcurrencyLimit(width: isSuspended ? 0 : self.width, in: gatekeeper.locks)
        slotHeld = HeldLocks(limits: [limit])
        state = Locked(State(isSuspended: isSuspended))
    }

    deinit {
        limit.close()
    }

    var isSuspended: Bool { state.withLock { $0.isSuspended } }
    var count: Int { registry.count }
    var hasConditionalOperations: Bool { conditional.load(ordering: .relaxed) > 0 }

    // MARK: Adding

    func add(
        _ body: OperationBody, holding heldLocks: HeldLocks = HeldLocks(), priority: TaskPriority? = nil,
        after dependencies: [OperationNode]
    ) -> OperationNode {
        let options = OperationOptions.unlessPlain(
            body, heldLocks: heldLocks, interaction: .inherited, in: gatekeeper)
        let node = OperationNode(
            body, options, in: gatekeeper, scheduler: self, priority: priority, pending: dependencies.count)
        if node.hasConditions { conditional.add(1, ordering: .relaxed) }
        // Before it can end: its end takes it out again.
        registry.add(node)
        if dependencies.isEmpty { submit(node) }
        for dependency in dependencies { follow(node, dependency) }
        return node
    }

    /// - Returns: `false` if it is too late for another dependency.
    @discardableResult
    func wait(_ node: OperationNode, for dependency: OperationNode) -> Bool {
        guard let ticket = node.addPending() else { return false }
        if let ticket { gatekeeper.locks.withdraw(ticket) }
        follow(node, dependency)
        return true
    }

    /// Makes the node wait for a dependency that it has counted.
    private func follow(_ node: OperationNode, _ dependency: OperationNode) {
        if let ended = dependency.addDependent(node), node.settle(ended) { submit(node) }
    }

    /// Starts an operation whose dependencies have ended, as soon as it may.
    /// - Parameter byWorker: true for a call by a worker of this queue, which finds the next operation by itself.
    private func submit(_ node: OperationNode, byWorker: Bool = false) {
        let operation = ReadyOperation(node: node, needs: needs(of: node))
        // It has its turn from now on, whenever a worker comes and however long its conditions take. One that a suspended
        // queue holds back holds nobody back itself.
        if let options = node.options, !options.exclusions.isEmpty {
            gatekeeper.locks.join(node, options, isAside: isSuspended)
        }
        if byWorker { return state.withLock { $0.ready.append(operation) } }
        guard submissions.append(operation) else { return }
        if let level = state.withLock({ $0.workerForSubmissions(self) }) { makeWorker(level) }
    }

    private func needs(of node: OperationNode) -> ReadyOperation.Needs {
        guard let options = node.options else { return width == .max ? .nothing : .slot }
        if options.conditions.isEmpty {
            // An operation that runs inside another one of this queue uses that one's slot.
            return width == .max || options.heldLocks.limits.contains(limit) ? .nothing : .slot
        }
        // If it waits for itself, the evaluation reports that.
        return options.needsOnlyLocks && options.heldLocks.categories.isEmpty ? .locks : .evaluation
    }

    // MARK: Ending

    /// Ends an operation with its result; then the operations that waited for it are settled.
    /// - Parameter byWorker: true if a worker of this queue calls, which checks for the next operation itself.
    /// - Returns: true if the task must wait for `OperationNode.taskIsFree` before it ends.
    @discardableResult
    func end(_ node: OperationNode, _ result: AnyOperationResult, byWorker: Bool = false) -> Bool {
        guard let completion = node.finish(result) else { return false }
        let result = completion.result
        if let didEnd { didEnd(self, result.outcome) }
        if node.hasConditions { conditional.subtract(1, ordering: .relaxed) }
        let wasLast = registry.remove(node)
        // Before anybody sees the result, since they may add operations that come later.
        if !completion.dependents.isEmpty { settle(completion.dependents, node, result, byWorker) }
        // Its slot is free.
        if !byWorker, width < .max, !wasLast { startRest() }
        for continuation in completion.waiting { continuation.resume(returning: result) }
        if wasLast { announceEmpty() }
        return completion.isTaskInUse
    }

    // Not called by a worker: so a worker must be made to fill the free slot.
    private func startRest() {
        if let level = state.withLock({ $0.workerForRest(self) }) { makeWorker(level) }
    }

    private func settle(
        _ dependents: [OperationNode], _ node: OperationNode, _ result: AnyOperationResult, _ byWorker: Bool
    ) {
        let ended = DependencyOutcome(name: node.work.name, outcome: result.outcome)
        for dependent in dependents where dependent.settle(ended) {
            dependent.scheduler?.submit(dependent, byWorker: byWorker && dependent.scheduler === self)
        }
    }

    /// Wakes those who wait for the last operation, if it has ended.
    func announceEmpty() {
        let (emptied, leftover, level) = state.withLock { state in
            // Another one may have been added meanwhile, whose end comes, too.
            guard registry.count == 0 else { return ([] as [Promise<Void>], [] as [ReadyOperation], nil as UInt8?) }
            // Operations that are still ready were cancelled. They would keep the queue alive, and the queue keeps them.
            var leftover = state.ready.removeAll()
            // One may have come in since the count was read.
            for operation in submissions.takeAll() {
                if operation.node.isFinished { leftover.append(operation) } else { state.ready.append(operation) }
            }
            return (exchange(&state.emptied, with: []), leftover, state.workerForRest(self))
        }
        if let level { makeWorker(level) }
        withExtendedLifetime(leftover) {}
        for promise in emptied { promise.fulfil(()) }
    }
}

// MARK: - The whole queue

extension Scheduler {
    /// Holds everything back that has not begun. A width of 0 holds back what waits for locks as well.
    func suspend() {
        state.withLock { state in
            state.isSuspended = true
            limit.setWidth(0)
        }
        for ticket in idleTickets { gatekeeper.locks.stepAside(ticket) }
    }

    func resume() {
        let level = state.withLock { state in
            state.isSuspended = false
            // First their turns, then the slots: they come in the order in which they became ready.
            for ticket in idleTickets { gatekeeper.locks.comeBack(ticket) }
            limit.setWidth(width)
            return state.workerForRest(self)
        }
        if let level { makeWorker(level) }
    }

    /// Turns of operations that have not begun.
    private var idleTickets: [Ticket] { registry.all.compactMap(\.idleTicket) }

    /// Cancels the operations in the queue now. Operations that are added meanwhile may be missed.
    func cancelAll(with error: CaptureError? = nil) {
        for node in registry.all { node.carryOut(node.cancel(with: error)) }
    }

    /// Ends what a queue that is gone holds back: it would wait for ever.
    func abandon() {
        if isSuspended { cancelAll() }
    }

    func waitUntilEmpty() async {
        let promise = state.withLock { state -> Promise<Void>? in
            guard registry.count > 0 else { return nil }
            let promise = Promise<Void>()
            state.emptied.append(promise)
            return promise
        }
        await promise?.value
    }
}

extension Scheduler.State {
    /// Marks a worker as due for what has come in.
    /// - Returns: the level of the worker to make, if one is needed.
    mutating func workerForSubmissions(_ scheduler: Scheduler) -> UInt8? {
        // The worker that is due will find the new operations.
        if isSuspended || ready.hasWorkerDue(atLeast: scheduler.submissions.highestLevel) { return nil }
        ready.append(allOf: scheduler.submissions)
        return ready.expectWorkerForRest { scheduler.limit.hasSlot }
    }

    /// Marks a worker as due where something is ready and none is.
    /// - Parameter isSlotInUse: whether it is known that no slot has come free.
    /// - Returns: the level of the worker to make, if one is needed.
    mutating func workerForRest(_ scheduler: Scheduler, isSlotInUse: Bool = false) -> UInt8? {
        if isSuspended { return nil }
        if let level = ready.expectWorkerForRest({ !isSlotInUse && scheduler.limit.hasSlot }) { return level }
        return scheduler.submissions.highestLevel < 0 ? nil : workerForSubmissions(scheduler)
    }
}

// MARK: - Where threads meet

/// Operations that have become ready elsewhere than in a worker: who adds one seldom meets the workers' lock.
///
/// *thread-safe*
struct SubmissionQueue: ~Copyable, Sendable {
    private let operations = Locked<[ReadyOperation]>([])
    private let top = Atomic<Int>(-1)

    /// The highest level in it, −1 if it is empty. Read without the lock; may be stale.
    var highestLevel: Int { top.load(ordering: .relaxed) }

    /// - Returns: true if it was empty, so that a worker must be notified.
    func append(_ operation: ReadyOperation) -> Bool {
        operations.withLock { operations in
            operations.append(operation)
            top.store(max(highestLevel, Int(operation.node.level)), ordering: .relaxed)
            return operations.count == 1
        }
    }

    func takeAll() -> [ReadyOperation] {
        operations.withLock { operations in
            top.store(-1, ordering: .relaxed)
            return exchange(&operations, with: [])
        }
    }
}

/// Operations of a queue that have not ended, in parts: adding one seldom meets the end of another.
///
/// *thread-safe*
struct OperationRegistry: ~Copyable, Sendable {
    private let slabs = InlineArray<8, Locked<Slab<OperationNode>>> { _ in Locked(Slab()) }
    private let living = Atomic(0)

    var count: Int { living.load(ordering: .sequentiallyConsistent) }

    var all: [OperationNode] {
        slabs.indices.flatMap { part in slabs[part].withLock { $0.all } }
    }

    func add(_ node: OperationNode) {
        living.add(1, ordering: .sequentiallyConsistent)
        slabs[part(of: node)].withLock { node.key.store($0.add(node), ordering: .relaxed) }
    }

    /// Reserves a place for an operation that is about to be added, so that the queue is not empty meanwhile; `false` if nothing
    /// can be added any more.
    func reserve() -> Bool {
        var count = count
        while count >= 0 {
            let (isDone, now) = living.weakCompareExchange(
                expected: count, desired: count + 1, ordering: .sequentiallyConsistent)
            if isDone { return true }
            count = now
        }
        return false
    }

    /// Ends a reservation.
    /// - Returns: true if it was the last.
    func endReservation() -> Bool { living.subtract(1, ordering: .sequentiallyConsistent).newValue == 0 }

    /// Ends all adding by `reserve`; `false` where something has not ended.
    func close() -> Bool {
        living.compareExchange(expected: 0, desired: .min, ordering: .sequentiallyConsistent).exchanged
    }

    /// - Returns: whether it was the last.
    func remove(_ node: OperationNode) -> Bool {
        let removed = slabs[part(of: node)].withLock { $0.remove(node.key.load(ordering: .relaxed)) }
        // Released outside the lock.
        withExtendedLifetime(removed) {}
        return living.subtract(1, ordering: .sequentiallyConsistent).newValue == 0
    }

    /// Spread by address: the top three bits of a product with the golden ratio.
    private func part(of node: OperationNode) -> Int {
        let address = UInt64(UInt(bitPattern: ObjectIdentifier(node)))
        return Int((address &* 0x9E37_79B9_7F4A_7C15) >> 61)
    }
}
