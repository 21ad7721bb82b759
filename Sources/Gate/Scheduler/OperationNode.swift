import CaptureBase
import Synchronization

/// Operation as its scheduler sees it: its dependencies, its dependents, its phase and its result.
///
/// A state machine (README.md has the diagram): the methods that change it return what is to be done, and the caller
/// does that outside the lock.
///
/// *thread-safe*
@usableFromInline
final class OperationNode: Sendable {
    enum Phase {
        /// Waits for dependencies, a resumed queue, a slot or a worker. It has no task.
        case idle
        /// Waits for locks without a task; cancelling it withdraws the ticket.
        case waitingForLocks(Ticket)
        /// A task evaluates and executes it.
        case running
        case finished(AnyOperationResult)
    }

    struct State {
        var phase = Phase.idle
        /// Dependencies that have not finished, and one more while the operation is being added.
        var pending: Int
        var isCancelled = false
        var cancelReason: CaptureError?
        var dependents: [OperationNode] = []
        var outcomes: [DependencyOutcome] = []
        /// Callers that wait for its result.
        var waiting: [CheckedContinuation<AnyOperationResult, Never>] = []
        /// The task it runs in, for a canceller in another task.
        var task: RunningTask?
        /// A canceller uses `task`, which must not end meanwhile.
        var isTaskInUse = false
        /// The task has nothing left to do but to wait for the canceller.
        var taskEnd: CheckedContinuation<Void, Never>?

        var isFinished: Bool { if case .finished = phase { true } else { false } }
        var isIdle: Bool { if case .idle = phase { true } else { false } }
    }

    let state: Locked<State>
    let gatekeeper: Gatekeeper
    let work: any OperationWork
    let execute: nonisolated(nonsending) @Sendable (OperationContext) async -> AnyOperationResult
    /// `nil` where nothing is left but to execute it.
    let options: OperationOptions?
    /// `nil` for an operation inside another one.
    let scheduler: Scheduler?
    /// The priority of its task. Not as the type of the standard library, whose copies are calls.
    let level: UInt8
    /// Its key in the registry of its queue.
    let key = Atomic(SlabKey.none)

    init(
        _ body: OperationBody, _ options: OperationOptions?, in gatekeeper: Gatekeeper, scheduler: Scheduler? = nil,
        priority: TaskPriority? = nil, pending: Int = 1
    ) {
        state = Locked(State(pending: pending))
        work = body.work
        execute = body.execute
        self.options = options
        self.gatekeeper = gatekeeper
        self.scheduler = scheduler
        level = (priority ?? .medium).rawValue
    }

    /// Set where slot and locks come from the lock table, and not the slot from the worker that starts it.
    var hasConditions: Bool { options.map { !$0.conditions.isEmpty } ?? false }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }
    var isFinished: Bool { state.withLock { $0.isFinished } }
    var cancelReason: CaptureError? { state.withLock { $0.cancelReason } }
    /// Outcomes of the dependencies, in the order in which they ended.
    var dependencyOutcomes: [DependencyOutcome] { state.withLock { $0.outcomes } }
    var dependents: [OperationNode] { state.withLock { $0.dependents } }
}

// MARK: - Dependencies

extension OperationNode {
    /// Makes `dependent` wait for this operation.
    /// - Returns: the outcome of this operation if it has ended, and there is nothing to wait for.
    func addDependent(_ dependent: OperationNode) -> DependencyOutcome? {
        let outcome = state.withLock { state -> OperationOutcome? in
            if case .finished(let result) = state.phase { return result.outcome }
            state.dependents.append(dependent)
            return nil
        }
        return outcome.map { DependencyOutcome(name: work.name, outcome: $0) }
    }

    /// Counts a dependency; `false` if it is too late for one.
    func addPending() -> Bool {
        state.withLock { state in
            guard state.isIdle, !state.isCancelled else { return false }
            state.pending += 1
            return true
        }
    }

    /// Counts a dependency as finished, or the adding itself.
    /// - Returns: whether it was the last one, so that the operation is ready.
    func settle(_ outcome: DependencyOutcome?) -> Bool {
        state.withLock { state in
            if let outcome { state.outcomes.append(outcome) }
            state.pending -= 1
            return state.pending == 0 && state.isIdle
        }
    }
}

// MARK: - Running

extension OperationNode {
    /// Idle → waiting for locks.
    /// - Returns: `false` if it was cancelled or has got another dependency meanwhile.
    func waitForLocks(_ ticket: Ticket) -> Bool {
        state.withLock { state in
            guard state.isIdle, state.pending == 0, !state.isCancelled else { return false }
            state.phase = .waitingForLocks(ticket)
            return true
        }
    }

    /// Idle, or waiting for locks → running.
    /// - Parameter task: what cancelling the operation cancels, until it is detached or the operation finishes.
    /// - Returns: `false` if it may not run.
    func begin(in task: RunningTask?) -> Bool {
        state.withLock { state in
            switch state.phase {
            case .idle, .waitingForLocks: break
            case .running, .finished: return false
            }
            guard state.pending == 0, !state.isCancelled else { return false }
            state.phase = .running
            state.task = task
            return true
        }
    }

    /// Running → finished.
    /// - Returns: what is to be done then; `nil` if it had finished before.
    func finish(_ result: AnyOperationResult) -> Completion? {
        state.withLock { state in
            if state.isFinished { return nil }
            state.phase = .finished(result)
            state.task = nil
            defer {
                state.outcomes = []
                state.dependents = []
                state.waiting = []
            }
            return Completion(
                isTaskInUse: state.isTaskInUse, dependents: state.dependents, waiting: state.waiting)
        }
    }

    struct Completion {
        /// A canceller uses the task: it has to wait for `taskIsFree` before it ends.
        let isTaskInUse: Bool
        let dependents: [OperationNode]
        let waiting: [CheckedContinuation<AnyOperationResult, Never>]
    }

    /// Result, when it is there.
    var result: AnyOperationResult {
        get async {
            if case .finished(let result) = state.withLock({ $0.phase }) { return result }
            return await withCheckedContinuation { continuation in
                let result = state.withLock { state -> AnyOperationResult? in
                    if case .finished(let result) = state.phase { return result }
                    state.waiting.append(continuation)
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        }
    }
}

// MARK: - Cancellation

extension OperationNode {
    enum CancelAction {
        case nothing
        /// It never ran: finish it, and withdraw its ticket where it waits for locks.
        case finish(Ticket?)
        case cancel(RunningTask?)
    }

    /// Marks the operation as cancelled, once.
    /// - Parameter reason: the error it ends with; without one it ends as cancelled.
    func cancel(because reason: CaptureError?) -> CancelAction {
        state.withLock { state in
            guard !state.isFinished, !state.isCancelled else { return .nothing }
            state.isCancelled = true
            state.cancelReason = reason
            switch state.phase {
            case .idle: return .finish(nil)
            case .waitingForLocks(let ticket): return .finish(ticket)
            case .running, .finished:
                state.isTaskInUse = state.task != nil
                return .cancel(state.task)
            }
        }
    }

    // Outside the lock: observers and dependents run here.
    func carryOut(_ action: CancelAction) {
        switch action {
        case .nothing: break
        case .cancel(let task):
            options?.monitor?.didCancel()
            task?.cancel()
            state.withLock { state in
                state.isTaskInUse = false
                return state.taskEnd.take()
            }?.resume()
        case .finish(let ticket):
            options?.monitor?.didCancel()
            scheduler?.end(self, resultWithoutRun())
            if let ticket { gatekeeper.locks.withdraw(ticket) }
        }
    }

    /// Lets go of the task before the operation finishes.
    /// - Returns: whether the task has to wait for `taskIsFree` before it ends.
    func detachTask() -> Bool {
        state.withLock { state in
            state.task = nil
            return state.isTaskInUse
        }
    }

    /// Waits until no canceller uses the task: an `UnsafeCurrentTask` is valid no longer than the task runs.
    func taskIsFree() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isTaskInUse { state.taskEnd = continuation }
                return !state.isTaskInUse
            }
            if isFree { continuation.resume() }
        }
    }

    /// Result of an operation that never ran.
    private func resultWithoutRun() -> AnyOperationResult {
        let result = AnyOperationResult.cancelled.named(by: self)
        options?.monitor?.didFinish(result.outcome)
        return result
    }
}

/// Task in which an operation runs, for a canceller in another one.
// Unchecked: `cancel` may be called from other tasks, and `OperationNode.taskIsFree` keeps the task from ending meanwhile.
final class RunningTask: @unchecked Sendable {
    private let task: UnsafeCurrentTask

    private init(_ task: UnsafeCurrentTask) {
        self.task = task
    }

    static var current: RunningTask? {
        withUnsafeCurrentTask { $0.map { RunningTask($0) } }
    }

    func cancel() { task.cancel() }
}
