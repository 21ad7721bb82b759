import CaptureBase

/// Asks questions one after another, each in a task of its own that ends when everybody who waited has left.
///
/// *thread-safe*
final class QuestionDesk: Sendable {
    typealias Outcome = Result<Void, CaptureError>

    private struct State {
        var line = QuestionLine()
        var nextWaiter = 0
        var promises: [Int: Promise<Outcome>] = [:]
        var work: [Int: @Sendable () async -> Outcome] = [:]
        var tasks: [Int: Task<Void, Never>] = [:]
    }

    private let state = Locked(State())

    /// How many wait for an answer.
    var waiting: Int { state.withLock { $0.promises.count } }

    /// Waits for the answer to the question `key`; `work` asks it, if nobody waits for the same already.
    func ask(_ key: QuestionKey, _ work: @escaping @Sendable () async -> Outcome) async -> Outcome {
        let promise = Promise<Outcome>()
        let waiter = state.withLock { state in
            state.nextWaiter += 1
            state.promises[state.nextWaiter] = promise
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            join(waiter, key, work)
            return await promise.value
        } onCancel: {
            leave(waiter)
        }
    }

    private func join(_ waiter: Int, _ key: QuestionKey, _ work: @escaping @Sendable () async -> Outcome) {
        let start = state.withLock { state -> Int? in
            // Cancelled before it came to stand in the line.
            guard state.promises[waiter] != nil else { return nil }
            guard case .new(let entry, let startNow) = state.line.join(waiter, key) else { return nil }
            state.work[entry] = work
            return startNow ? entry : nil
        }
        if let start { begin(start) }
    }

    private func leave(_ waiter: Int) {
        let (promise, task) = state.withLock { state -> (Promise<Outcome>?, Task<Void, Never>?) in
            let promise = state.promises.removeValue(forKey: waiter)
            switch state.line.leave(waiter) {
            case .nothing: return (promise, nil)
            case .withdraw(let entry): return (promise, state.tasks[entry])
            case .forget(let entry):
                state.work[entry] = nil
                return (promise, nil)
            }
        }
        task?.cancel()
        promise?.fulfil(.failure(.withdrawn))
    }

    private func begin(_ entry: Int) {
        state.withLock { state in
            guard let work = state.work.removeValue(forKey: entry) else { return }
            // Detached: the question belongs to all who wait, not to the task that happened to come first.
            let task = Task.detached { self.end(entry, await work()) }
            state.tasks[entry] = task
            if state.line.head?.isWithdrawn == true { task.cancel() }
        }
    }

    private func end(_ entry: Int, _ outcome: Outcome) {
        let (promises, next) = state.withLock { state -> ([Promise<Outcome>], Int?) in
            state.tasks[entry] = nil
            let (waiters, next) = state.line.finish(entry)
            return (waiters.compactMap { state.promises.removeValue(forKey: $0) }, next)
        }
        for promise in promises { promise.fulfil(outcome) }
        if let next { begin(next) }
    }
}
