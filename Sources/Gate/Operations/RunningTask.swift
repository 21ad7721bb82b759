/// The task in which an operation runs, for whoever cancels it from another one.
// Unchecked: `cancel` may be called from other tasks, and `OperationNode` keeps the task from ending meanwhile (`depart`).
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

extension OperationNode {
    /// Whether it may run.
    /// - Parameter task: what cancelling the operation cancels, until it leaves or finishes.
    func begin(in task: RunningTask?) -> Bool {
        state.withLock { state in
            guard state.isIdle, state.pending == 0, !state.isCancelled else { return false }
            state.phase = .running
            state.task = task
            return true
        }
    }

    /// Lets go of the task, and says whether it has to wait for somebody who is cancelling it.
    func leave() -> Bool {
        state.withLock { state in
            state.task = nil
            return state.isBeingCancelled
        }
    }

    /// Waits for whoever is cancelling the task.
    func depart() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isBeingCancelled { state.departure = continuation }
                return !state.isBeingCancelled
            }
            if isFree { continuation.resume() }
        }
    }
}
