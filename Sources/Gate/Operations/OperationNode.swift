import CaptureBase
import Synchronization

/// An operation's place among others: what it waits for, who waits for it, whether it runs, how it ended.
///
/// A state machine: the methods that change it return what is to be done, and the caller does it outside the lock.
///
/// *thread-safe*
@usableFromInline
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
    let gatekeeper: Gatekeeper
    let work: any OperationWork
    let execute: nonisolated(nonsending) @Sendable (OperationContext) async -> OperationEnd
    /// `nil` where nothing is left but to execute it.
    let terms: OperationTerms?
    /// `nil` for an operation inside another one.
    let core: QueueCore?
    /// The priority of its task. Not as the type of the standard library, whose copies are calls.
    let level: UInt8
    /// Its number among those of its queue.
    let place = Atomic(0)

    init(
        _ body: OperationBody, _ terms: OperationTerms?, in gatekeeper: Gatekeeper, core: QueueCore? = nil,
        priority: TaskPriority? = nil, pending: Int = 1
    ) {
        state = Locked(State(pending: pending))
        work = body.work
        execute = body.execute
        self.terms = terms
        self.gatekeeper = gatekeeper
        self.core = core
        level = (priority ?? .medium).rawValue
    }

    /// Whether it has no conditions, so that it needs no task before it has a slot.
    var isUnconditional: Bool { terms?.conditions.isEmpty ?? true }

    /// Whether the operation that waits for it has a slot in the lane.
    func hasSlot(in lane: LockTable.Lane) -> Bool { terms?.holdings.lanes.contains(lane) ?? false }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }
    var isFinished: Bool { state.withLock { $0.isFinished } }
    var cancelReason: CaptureError? { state.withLock { $0.cancelReason } }
    /// How the dependencies ended, in the order in which they did.
    var dependencyOutcomes: [DependencyOutcome] { state.withLock { $0.outcomes } }
    var dependents: [OperationNode] { state.withLock { $0.dependents } }
}
