import CaptureBase
import Dispatch
import Synchronization

/// Threads on which the tasks of capture operations run.
///
/// A task that takes frames is woken for each of them. The pool of the language asks Dispatch for that, which allocates something
/// each time; here a job is a word in a queue that has its room. And an operation that blocks its thread holds back captures
/// alone, never the scheduler.
///
/// Source: `TaskExecutor`, SE-0417. *thread-safe*
package final class CaptureExecutor: TaskExecutor {
    package static let shared = CaptureExecutor()

    /// A thread is made if all others are busy, up to this number.
    private static var mostThreads: Int { 16 }
    /// The others are left for tasks that have something to do.
    private static var mostHeld: Int { 12 }

    /// Time after which a thread that has nothing to do ends, as Dispatch's own do.
    private static var patience: DispatchTimeInterval { .seconds(5) }

    /// Mark of these threads.
    private static let mark = DispatchSpecificKey<Void>()

    private let wake = DispatchSemaphore(value: 0)
    private let state = Locked(State())
    /// Threads whose tasks wait on them.
    private let held = Atomic(0)

    private struct State {
        var jobs = Deque<UnownedJob>()
        var threads = 0
        /// Threads that wait, and that nobody has woken yet.
        var idle = 0
    }

    private enum Need { case nothing, wake, thread }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let need = state.withLock { state -> Need in
            state.jobs.append(job)
            if state.idle > 0 {
                state.idle -= 1
                return .wake
            }
            guard state.threads < Self.mostThreads else { return .nothing }
            state.threads += 1
            return .thread
        }
        switch need {
        case .nothing: break
        case .wake: wake.signal()
        case .thread:
            let thread = DispatchQueue(label: "capturegate.captures")
            thread.setSpecific(key: Self.mark, value: ())
            thread.async { self.run() }
        }
    }

    /// Lets the calling task block its thread in this pool: the thread would sleep meanwhile anyway, and one step instead of three
    /// wakes it.
    ///
    /// - Parameter isolation: isolation of the task. An actor's thread is not blocked: everything that waits for the actor would
    ///   wait, too.
    /// - Returns: false if the task has to be suspended instead. Otherwise call ``release()`` once the wait is over.
    package func hold(for isolation: (any Actor)?) -> Bool {
        guard isolation == nil, DispatchQueue.getSpecific(key: Self.mark) != nil else { return false }
        if held.add(1, ordering: .relaxed).newValue <= Self.mostHeld { return true }
        release()
        return false
    }

    /// Ends what ``hold(for:)`` began.
    package func release() { held.subtract(1, ordering: .relaxed) }

    private func run() {
        while true {
            let next = state.withLock { state -> UnownedJob? in
                if let job = state.jobs.popFirst() { return job }
                state.idle += 1
                return nil
            }
            if let next {
                next.runSynchronously(on: asUnownedTaskExecutor())
            } else if wake.wait(timeout: .now() + Self.patience) == .timedOut {
                if isSpare() { return }
                // Somebody has taken all who wait, this one too, and signals next.
                wake.wait()
            }
        }
    }

    /// Takes the calling thread out of the count. False if it is not idle any more.
    private func isSpare() -> Bool {
        state.withLock { state in
            guard state.idle > 0 else { return false }
            state.idle -= 1
            state.threads -= 1
            return true
        }
    }
}
