/// State of a worker, which is a task that runs ready operations one after another.
///
/// A task for each operation would cost more than most operations. An operation sees the same priority, cancellation and
/// task-local values as in its own task: operations of another priority, or with conditions to evaluate, get their own task, and a
/// worker whose task was cancelled runs nothing else.
struct Worker {
    enum Step {
        /// Start this, and make another worker if there is a level.
        case start(ReadyOperation, UInt8?)
        /// Make another worker if there is a level, and check again: this operation waits for its locks, or may not start any
        /// more.
        case skip(ReadyOperation, UInt8?)
        /// Let others have the thread, and come back.
        case pause
        /// Make another worker if there is a level, and end.
        case leave(UInt8?)
    }

    let level: UInt8
    /// Its own task.
    let task: RunningTask?
    /// Its task has been cancelled with an operation.
    var isRetired = false
    /// It still has the slot of the operation that it ran.
    var hasSlot = false
    /// Operation that got its locks from the one that ran here.
    var successor: ReadyOperation?
    /// It is the worker that is due for its level.
    private var isDue = true
    private var started = 0
    private var emptyLooks = 0

    init(level: UInt8, task: RunningTask?) {
        self.level = level
        self.task = task
    }

    /// Number of checks before it ends if nothing is ready: a new worker costs more than a check.
    private static var patience: Int { 4 }
    /// Number of operations after which it lets others have the thread.
    private static var turn: Int { 64 }

    /// Decides the next step. Called with the scheduler's state locked.
    mutating func step(_ state: inout Scheduler.State, _ scheduler: Scheduler) -> Step {
        if isDue { state.ready.workerIsHere(level) }
        isDue = false
        if let next = successor { return step(to: next, &state, scheduler) }
        // Where operations with conditions may want the slot, they come before what this one would run next.
        if state.isSuspended || isRetired || started == Self.turn || scheduler.hasConditionalOperations {
            giveSlot(scheduler)
        }
        if state.isSuspended { return .leave(nil) }
        if isRetired { return .leave(state.workerForRest(scheduler)) }
        if started == Self.turn { return pause(&state.ready) }
        return stepToFirst(&state, scheduler)
    }

    /// Starts the successor before all other ready operations: it has its locks, so others wait for it.
    private mutating func step(
        to next: ReadyOperation, _ state: inout Scheduler.State, _ scheduler: Scheduler
    ) -> Step {
        if started == Self.turn {
            // Not due: it returns for the successor, whose locks it may not leave to another worker.
            started = 0
            return .pause
        }
        successor = nil
        started += 1
        return .start(next, state.workerForRest(scheduler))
    }

    private mutating func stepToFirst(_ state: inout Scheduler.State, _ scheduler: Scheduler) -> Step {
        let hadSlot = hasSlot
        let operation = popFirst(&state, scheduler)
        // If this operation took its slot, none has become free for others.
        let isSlotInUse = hadSlot && !hasSlot
        giveSlot(scheduler)
        guard let operation else {
            return emptyLooks < Self.patience ? pause(&state.ready) : .leave(nil)
        }
        started += 1
        emptyLooks = 0
        let another = state.workerForRest(scheduler, isSlotInUse: isSlotInUse)
        guard operation.needsTicket else { return .start(operation, another) }
        // Before another worker gets the one that came next: they get their locks in this order.
        guard let locked = scheduler.gatekeeper.locks.take(for: operation) else { return .skip(operation, another) }
        return .start(locked, another)
    }

    private mutating func popFirst(_ state: inout Scheduler.State, _ scheduler: Scheduler) -> ReadyOperation? {
        if scheduler.submissions.highestLevel > state.ready.highestLevel {
            state.ready.append(allOf: scheduler.submissions)
        }
        if let operation = state.ready.popFirst({ takeSlot(scheduler) }) { return operation }
        state.ready.append(allOf: scheduler.submissions)
        return state.ready.popFirst { takeSlot(scheduler) }
    }

    /// The slot of the operation that it ran goes to the next one.
    private mutating func takeSlot(_ scheduler: Scheduler) -> Bool {
        guard hasSlot else { return scheduler.limit.takeSlot() }
        hasSlot = false
        return true
    }

    private mutating func giveSlot(_ scheduler: Scheduler) {
        if hasSlot { scheduler.limit.giveSlot() }
        hasSlot = false
    }

    /// Becomes the worker that is due for its level, or ends if there is one.
    private mutating func pause(_ ready: inout ReadyQueue) -> Step {
        guard ready.expectWorker(level) else { return .leave(nil) }
        isDue = true
        started = 0
        emptyLooks += 1
        return .pause
    }
}

// MARK: - Running

extension Scheduler {
    /// Makes a worker. Detached: it belongs to the queue, not to the operation in which something became ready.
    func makeWorker(_ level: UInt8) {
        Task.detached(executorPreference: gatekeeper.executor, priority: TaskPriority(rawValue: level)) {
            await self.work(level)
        }
    }

    /// Runs ready operations until there are none.
    private nonisolated(nonsending) func work(_ level: UInt8) async {
        var worker = Worker(level: level, task: .current)
        while true {
            switch state.withLock({ worker.step(&$0, self) }) {
            case .start(let operation, let another):
                if let another { makeWorker(another) }
                await start(operation, &worker)
            case .skip(_, let another):
                if let another { makeWorker(another) }
            case .pause: await Task.yield()
            case .leave(let another):
                if let another { makeWorker(another) }
                return
            }
        }
    }

    /// Runs an operation in the worker, if the operation can't notice that it has no separate task.
    @inline(__always)
    private nonisolated(nonsending) func start(_ operation: ReadyOperation, _ worker: inout Worker) async {
        let node = operation.node
        guard operation.needs != .evaluation, node.level == worker.level, !worker.isRetired else {
            return startInOwnTask(operation)
        }
        let result = await result(of: operation, in: worker.task)
        // Before its end is reported: a dependent may want the same locks.
        if let ticket = operation.ticket {
            worker.successor = gatekeeper.locks.release(ticket, by: self, at: worker.level)
        }
        if let result, end(node, result, byWorker: true) { await node.taskIsFree() }
        if operation.needs == .slot { worker.hasSlot = true }
        worker.isRetired = Task.isCancelled
    }

    /// Runs an operation in its own task, in this thread until it first has to wait. Detached, so that the task that ended the
    /// last dependency has no influence.
    private func startInOwnTask(_ operation: ReadyOperation) {
        Task.immediateDetached(
            priority: TaskPriority(rawValue: operation.node.level), executorPreference: gatekeeper.executor
        ) { await self.run(operation) }
    }

    /// Runs an operation that got its locks from one of another queue or priority. Not at once: that one has not ended yet,
    /// and a chain of them would go deeper and deeper into the stack.
    func startLater(_ operation: ReadyOperation) {
        Task.detached(
            executorPreference: gatekeeper.executor, priority: TaskPriority(rawValue: operation.node.level)
        ) { await self.run(operation) }
    }

    private func run(_ operation: ReadyOperation) async {
        let node = operation.node
        let result = await result(of: operation, in: .current)
        if operation.needs == .slot { limit.giveSlot() }
        if let ticket = operation.ticket { gatekeeper.locks.release(ticket) }
        if let result, end(node, result) { await node.taskIsFree() }
    }

    /// - Returns: `nil` if it may not run.
    @inline(__always)
    private nonisolated(nonsending) func result(
        of operation: ReadyOperation, in task: RunningTask?
    ) async -> AnyOperationResult? {
        operation.node.begin(in: task) ? await operation.run() : nil
    }
}

// MARK: - Ready operations

/// Ready operations by priority, and the workers that are due.
///
/// At most one worker of each priority is due: created or paused, and not running yet. So the number of workers grows up to the
/// number of the pool's threads, and if one works for long, the next takes over.
struct ReadyQueue {
    private struct Level {
        let level: UInt8
        var operations = Deque<ReadyOperation>()
        /// Operations that need a slot to start.
        var needingSlot = Deque<ReadyOperation>()
        var hasWorkerDue = false

        var isEmpty: Bool { operations.isEmpty && needingSlot.isEmpty }
    }

    /// Levels from the highest to the lowest; few, so that they are searched in order.
    private var levels: [Level] = []

    /// Highest level of an operation; −1 if none exists.
    var highestLevel: Int {
        for level in levels where !level.isEmpty { return Int(level.level) }
        return -1
    }

    mutating func append(_ operation: ReadyOperation) {
        let index = index(of: operation.node.level)
        if operation.needs == .slot {
            levels[index].needingSlot.append(operation)
        } else {
            levels[index].operations.append(operation)
        }
    }

    /// Takes over everything that has come in.
    mutating func append(allOf submissions: borrowing SubmissionQueue) {
        for operation in submissions.takeAll() { append(operation) }
    }

    /// - Parameter takeSlot: takes a slot, if one is free; called at most once.
    mutating func popFirst(_ takeSlot: () -> Bool) -> ReadyOperation? {
        var mayHaveSlot = true
        for index in levels.indices {
            if let operation = levels[index].operations.popFirst() { return operation }
            guard mayHaveSlot, !levels[index].needingSlot.isEmpty else { continue }
            if takeSlot() { return levels[index].needingSlot.popFirst() }
            // One that comes free meanwhile is not for lower priorities.
            mayHaveSlot = false
        }
        return nil
    }

    /// - Returns: all operations, to be released while nothing is locked.
    mutating func removeAll() -> [ReadyOperation] {
        var all: [ReadyOperation] = []
        for index in levels.indices {
            while let operation = levels[index].operations.popFirst() { all.append(operation) }
            while let operation = levels[index].needingSlot.popFirst() { all.append(operation) }
        }
        return all
    }

    /// The worker that was due is here.
    mutating func workerIsHere(_ level: UInt8) {
        levels[index(of: level)].hasWorkerDue = false
    }

    /// True if a worker of this level or a higher one is due.
    func hasWorkerDue(atLeast level: Int) -> Bool {
        levels.contains { $0.hasWorkerDue && $0.level >= level }
    }

    /// Marks a worker as due; `false` if one is.
    mutating func expectWorker(_ level: UInt8) -> Bool { expectWorker(at: index(of: level)) != nil }

    /// Marks a worker as due where something could start and none is.
    /// - Parameter hasSlot: whether a slot is free; asked once at most.
    /// - Returns: the level of the worker to make.
    mutating func expectWorkerForRest(_ hasSlot: () -> Bool) -> UInt8? {
        var mayHaveSlot = true
        for index in levels.indices {
            if !levels[index].operations.isEmpty { return expectWorker(at: index) }
            guard mayHaveSlot, !levels[index].needingSlot.isEmpty, !levels[index].hasWorkerDue else { continue }
            // Without a slot nothing can start: giving one back makes the worker.
            if hasSlot() { return expectWorker(at: index) }
            mayHaveSlot = false
        }
        return nil
    }

    private mutating func expectWorker(at index: Int) -> UInt8? {
        if levels[index].hasWorkerDue { return nil }
        levels[index].hasWorkerDue = true
        return levels[index].level
    }

    private mutating func index(of level: UInt8) -> Int {
        if let index = levels.firstIndex(where: { $0.level <= level }) {
            if levels[index].level == level { return index }
            levels.insert(Level(level: level), at: index)
            return index
        }
        levels.append(Level(level: level))
        return levels.count - 1
    }
}
