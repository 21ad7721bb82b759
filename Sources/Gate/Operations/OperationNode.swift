/// An operation's place among others: what it waits for, who waits for it, whether it runs.
///
/// A state machine: the methods that change it return what is to be done, and the caller does it outside the lock.
///
/// *thread-safe*
final class OperationNode: Sendable {
    enum Phase {
        /// Waits for dependencies, a resumed queue or a slot. No task exists.
        case idle
        case running
        case finished
    }

    private struct State {
        var phase = Phase.idle
        /// Dependencies that have not finished, and one more while the operation is being added.
        var pending = 1
        /// It stands in line for a slot; its dependencies are settled.
        var isCommitted = false
        var isCancelled = false
        var cancelReason: CaptureError?
        var dependents: [OperationNode] = []
        var outcomes: [DependencyOutcome] = []
        var task: Task<Void, Never>?
        /// Set when it has finished.
        var outcome: OperationOutcome?
    }

    private let state = Locked(State())
    let work: any OperationWork
    /// `nil` for an operation inside another one.
    let core: QueueCore?
    let priority: TaskPriority?

    init(_ work: any OperationWork, core: QueueCore?, priority: TaskPriority? = nil) {
        self.work = work
        self.core = core
        self.priority = priority
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }
    var isFinished: Bool { state.withLock { $0.phase == .finished } }
    var cancelReason: CaptureError? { state.withLock { $0.cancelReason } }
    /// How the dependencies ended, in the order in which they did.
    var dependencyOutcomes: [DependencyOutcome] { state.withLock { $0.outcomes } }

    /// Whether `dependent` has to wait for this one.
    func addDependent(_ dependent: OperationNode) -> Bool {
        state.withLock { state in
            guard state.phase != .finished else { return false }
            state.dependents.append(dependent)
            return true
        }
    }

    /// How it ended, for one that comes to wait for it when it has.
    var finalOutcome: DependencyOutcome? {
        state.withLock { $0.outcome }.map { DependencyOutcome(name: work.name, outcome: $0) }
    }

    var dependents: [OperationNode] { state.withLock { $0.dependents } }

    /// Counts a dependency; `false` if it is too late for one.
    func addPending() -> Bool {
        state.withLock { state in
            guard state.phase == .idle, !state.isCommitted, !state.isCancelled else { return false }
            state.pending += 1
            return true
        }
    }

    /// A dependency has finished, or adding has.
    /// - Returns: whether it was the last one, and the queue has to look at the operation.
    func settle(_ outcome: DependencyOutcome?) -> Bool {
        state.withLock { state in
            if let outcome { state.outcomes.append(outcome) }
            state.pending -= 1
            return state.pending == 0 && state.phase == .idle
        }
    }

    /// Whether it may stand in line for a slot.
    func commit() -> Bool {
        state.withLock { state in
            guard state.phase == .idle, state.pending == 0, !state.isCancelled else { return false }
            state.isCommitted = true
            return true
        }
    }

    /// Whether a task may be made for it.
    func begin() -> Bool {
        state.withLock { state in
            guard state.phase == .idle, state.pending == 0, !state.isCancelled else { return false }
            state.phase = .running
            return true
        }
    }

    func attach(_ task: Task<Void, Never>) {
        let isCancelled = state.withLock { state in
            if state.phase == .running { state.task = task }
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    enum CancelAction {
        case nothing
        /// It never ran: finish it.
        case finish
        case cancel(Task<Void, Never>?)
    }

    func cancel(because reason: CaptureError?) -> CancelAction {
        state.withLock { state in
            guard state.phase != .finished, !state.isCancelled else { return .nothing }
            state.isCancelled = true
            state.cancelReason = reason
            if state.phase == .running { return .cancel(state.task) }
            return .finish
        }
    }

    func carryOut(_ action: CancelAction) {
        switch action {
        case .nothing: break
        case .cancel(let task):
            work.monitor?.didCancel()
            task?.cancel()
        case .finish:
            work.monitor?.didCancel()
            core?.end(self, work.abandon(because: cancelReason))
        }
    }

    /// - Returns: who waited for it; `nil` if it had finished before.
    func finish(_ outcome: OperationOutcome) -> [OperationNode]? {
        state.withLock { state in
            guard state.phase != .finished else { return nil }
            state.phase = .finished
            state.outcome = outcome
            state.task = nil
            state.outcomes = []
            defer { state.dependents = [] }
            return state.dependents
        }
    }
}
