import Synchronization

/// An operation's place among others: what it waits for, who waits for it, whether it runs, how it ended.
///
/// A state machine: the methods that change it return what is to be done, and the caller does it outside the lock.
///
/// *thread-safe*
final class OperationNode: Sendable {
    enum Phase {
        /// Waits for dependencies, a resumed queue or a slot. It has no task.
        case idle
        case running
        case finished(OperationEnd)
    }

    struct State {
        var phase = Phase.idle
        /// Dependencies that have not finished, and one more while the operation is being added.
        var pending: Int
        var isCancelled = false
        var cancelReason: CaptureError?
        var dependents: [OperationNode] = []
        var outcomes: [DependencyOutcome] = []
        /// Those who want its result.
        var waiting: [CheckedContinuation<OperationEnd, Never>] = []
        /// The task it runs in, for whoever cancels it.
        var task: RunningTask?
        /// Somebody is cancelling the task, which must not end meanwhile.
        var isBeingCancelled = false
        /// The task has nothing left to do but to wait for that.
        var departure: CheckedContinuation<Void, Never>?

        var isFinished: Bool { if case .finished = phase { true } else { false } }
        var isIdle: Bool { if case .idle = phase { true } else { false } }
    }

    let state: Locked<State>
    /// Its starter has not come back from it yet, and will look for what comes next. Only used under the lock of its
    /// queue, so that the starter can't have looked already.
    let isBeingStarted = Atomic(false)
    let gatekeeper: Gatekeeper
    let work: any OperationWork
    /// `nil` for an operation inside another one.
    let core: QueueCore?
    let priority: TaskPriority?
    /// Its number among those of its queue.
    let place: Int

    init(
        _ work: any OperationWork, in gatekeeper: Gatekeeper, core: QueueCore? = nil, priority: TaskPriority? = nil,
        place: Int = 0, pending: Int = 1
    ) {
        state = Locked(State(pending: pending))
        self.work = work
        self.gatekeeper = gatekeeper
        self.core = core
        self.priority = priority
        self.place = place
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }
    var isFinished: Bool { state.withLock { $0.isFinished } }
    var cancelReason: CaptureError? { state.withLock { $0.cancelReason } }
    /// How the dependencies ended, in the order in which they did.
    var dependencyOutcomes: [DependencyOutcome] { state.withLock { $0.outcomes } }
    var dependents: [OperationNode] { state.withLock { $0.dependents } }
}
