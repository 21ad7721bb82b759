import CaptureBase
import Synchronization

/// Operation as its scheduler sees it: its dependencies, its dependents, its phase and its result.
///
/// A state machine (README.md has the diagram): the methods that change it return the actions, and the caller performs them
/// outside the lock.
///
/// *thread-safe*
@usableFromInline
final class OperationNode: Sendable {
    enum Phase {
        /// Waits for dependencies, a resumed queue, a slot or a worker. It has no task.
        case idle
        /// Waits for locks without a task; cancelling it withdraws the ticket.
        case waitingForLocks
        /// A task evaluates and executes it.
        case running
        case finished(AnyOperationResult)
    }

    struct State {
        var phase = Phase.idle
        /// Dependencies that have not finished, and one more while the operation is being added.
        var pending: Int
        /// Its turn in its categories; `nil` before it is ready, and for one that excludes nothing.
        var ticket: Ticket?
        var isCancelled = false
        /// The error that it was cancelled with.
        var cancelError: CaptureError?
        /// It has a result that no cancellation changes any more.
        var isClosed = false
        var dependents: [OperationNode] = []
        var outcomes: [DependencyOutcome] = []
        /// Callers that wait for its result.
        var waiting: [CheckedContinuation<AnyOperationResult, Never>] = []
        /// The group that it executes, for those who add children by its handle.
        var group: Promise<RunningGroup?>?
        /// The task it runs in, for a canceller in another task.
        var task: RunningTask?
        /// A canceller uses `task`, which must not end meanwhile.
        var isTaskInUse = false
        /// The task has nothing left to do but to wait for the canceller.
        var taskEnd: CheckedContinuation<Void, Never>?

        var isFinished: Bool { if case .finished = phase { true } else { false } }
        var isIdle: Bool { if case .idle = phase { true } else { false } }

        /// Settles the result that a run ended with: a cancellation until now is in it, and a later one changes nothing.
        mutating func close(_ result: AnyOperationResult) -> AnyOperationResult {
            if isClosed { return result }
            isClosed = true
            return isCancelled ? result.cancelled(with: cancelError) : result
        }
    }

    let state: Locked<State>
    let gatekeeper: Gatekeeper
    let work: any OperationWork
    let execute: nonisolated(nonsending) @Sendable (OperationContext) async -> AnyOperationResult
    /// `nil` if nothing is left but to execute it.
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

    var ticket: Ticket? { state.withLock { $0.ticket } }
    var isCancelled: Bool { state.withLock { $0.isCancelled } }
    /// The error that it was cancelled with.
    var cancelError: CaptureError? { state.withLock { $0.cancelError } }
    var isFinished: Bool { state.withLock { $0.isFinished } }
    /// Outcomes of the dependencies, in the order in which they ended.
    var dependencyOutcomes: [DependencyOutcome] { state.withLock { $0.outcomes } }
    var dependents: [OperationNode] { state.withLock { $0.dependents } }
}

// MARK: - Dependencies

extension OperationNode {
    /// Makes `dependent` wait for this operation.
    /// - Returns: the outcome of this operation if it has already ended, so that there is no wait.
    func addDependent(_ dependent: OperationNode) -> DependencyOutcome? {
        let outcome = state.withLock { state -> OperationOutcome? in
            if case .finished(let result) = state.phase { return result.outcome }
            state.dependents.append(dependent)
            return nil
        }
        return outcome.map { DependencyOutcome(name: work.name, outcome: $0) }
    }

    /// Counts a dependency.
    /// - Returns: `nil` if it is too late for one; otherwise the ticket to withdraw, since it is not ready any more.
    func addPending() -> Ticket?? {
        state.withLock { state in
            guard state.isIdle, !state.isCancelled else { return nil }
            state.pending += 1
            return .some(state.ticket.take())
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
    /// Keeps its turn in its categories.
    /// - Returns: `false` if it has one, was cancelled, or has got another dependency meanwhile.
    func keep(_ ticket: Ticket) -> Bool {
        state.withLock { state in
            guard state.ticket == nil, state.pending == 0, !state.isCancelled, !state.isFinished else { return false }
            state.ticket = ticket
            return true
        }
    }

    /// Its turn, as long as it has not begun.
    var idleTicket: Ticket? {
        state.withLock { state in
            switch state.phase {
            case .idle, .waitingForLocks: state.ticket
            case .running, .finished: nil
            }
        }
    }

    /// Idle → waiting for locks.
    /// - Returns: its ticket; `nil` if it was cancelled or has got another dependency meanwhile.
    func waitForLocks() -> Ticket? {
        state.withLock { state in
            guard state.isIdle, state.pending == 0, !state.isCancelled, let ticket = state.ticket else { return nil }
            state.phase = .waitingForLocks
            return ticket
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

    /// Settles the result before observers see it.
    func close(_ result: AnyOperationResult) -> AnyOperationResult { state.withLock { $0.close(result) } }

    /// Running → finished.
    /// - Returns: the remaining actions; `nil` if it had finished before.
    func finish(_ result: AnyOperationResult) -> Completion? {
        state.withLock { state in
            if state.isFinished { return nil }
            let result = state.close(result)
            state.phase = .finished(result)
            state.task = nil
            state.group.take()?.fulfil(nil)
            defer {
                state.outcomes = []
                state.dependents = []
                state.waiting = []
            }
            return Completion(
                result: result, isTaskInUse: state.isTaskInUse, dependents: state.dependents, waiting: state.waiting)
        }
    }

    struct Completion {
        let result: AnyOperationResult
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
        /// It never ran: finish it, and withdraw its ticket if it has one.
        case finish(Ticket?)
        case cancel(RunningTask?)
    }

    /// Marks the operation as cancelled, once.
    /// - Parameter error: the error it ends with; without one it ends as cancelled.
    func cancel(with error: CaptureError?) -> CancelAction {
        state.withLock { state in
            guard !state.isClosed, !state.isCancelled else { return .nothing }
            state.isCancelled = true
            state.cancelError = error
            switch state.phase {
            case .idle, .waitingForLocks: return .finish(state.ticket)
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
            options?.monitor?.didCancel(with: cancelError)
            task?.cancel()
            // Its conditions may need time to end, and later operations need not wait for that.
            if let ticket { gatekeeper.locks.withdraw(ticket) }
            state.withLock { state in
                state.isTaskInUse = false
                return state.taskEnd.take()
            }?.resume()
        case .finish(let ticket):
            options?.monitor?.didCancel(with: cancelError)
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
        let result = close(.cancelled)
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
