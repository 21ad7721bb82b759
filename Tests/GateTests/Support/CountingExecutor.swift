import Dispatch
import Gate

/// Threads for the tasks of one gatekeeper, which count the jobs that are queued or run.
///
/// A task that waits has no job: it waits for a dependency, a lock, an answer, a clock or a signal of the test. So an executor
/// without jobs proves that no operation can continue before something outside happens. A test that expects "this does not
/// begin" waits for ``idle()`` first. A number of yields proves nothing on a slow machine.
///
/// It does not see the test's own tasks, unless they are made with it, nor ``Pace/later``, which waits on another thread.
///
/// *thread-safe*
final class CountingExecutor: TaskExecutor {
    private struct State {
        /// Jobs that are queued or run.
        var jobs = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "counting-executor", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs += 1 }
        queue.async {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
            self.end()
        }
    }

    /// Waits until no job is queued or runs. An operation that runs here may call it, too: it has no job while it waits.
    func idle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.jobs > 0 { state.waiting.append(continuation) }
                return state.jobs == 0
            }
            if isIdle { continuation.resume() }
        }
    }

    // A job that makes others ready adds them before it ends.
    private func end() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.jobs -= 1
            return state.jobs == 0 ? exchange(&state.waiting, with: []) : []
        }
        for continuation in waiting { continuation.resume() }
    }
}
