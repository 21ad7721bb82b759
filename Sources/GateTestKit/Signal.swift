import Gate

/// A counter that a task can wait for: one side raises it, the other sleeps until it has a certain value.
///
/// Tests use it instead of sleeping for some time and hoping: "until the prompter was asked twice" is
/// `await prompter.asked.reached(2)`, which returns at once if that has already happened.
///
/// *thread-safe*
package final class Signal: Sendable {
    private struct State {
        var count = 0
        var waiting: [(atLeast: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Locked(State())

    package init() {}

    package var count: Int { state.withLock { $0.count } }

    /// Adds one, and wakes the tasks that waited for the new value.
    package func raise() {
        let ready = state.withLock { state in
            state.count += 1
            let ready = state.waiting.filter { $0.atLeast <= state.count }
            state.waiting.removeAll { $0.atLeast <= state.count }
            return ready
        }
        // Outside the lock: a woken task may raise it again.
        for waiter in ready { waiter.continuation.resume() }
    }

    /// Waits until it was raised this number of times in total. Cancelling the task does not end the wait.
    package func reached(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.count < count { state.waiting.append((count, continuation)) }
                return state.count >= count
            }
            if isReady { continuation.resume() }
        }
    }
}

/// Waits until the task is cancelled.
package func untilCancelled() async {
    let signal = Signal()
    await withTaskCancellationHandler {
        await signal.reached()
    } onCancel: {
        signal.raise()
    }
}

/// A list to which many threads append, in the order of the calls.
///
/// *thread-safe*
package final class Record<Element: Sendable>: Sendable {
    private let state = Locked<[Element]>([])

    package init() {}

    package var all: [Element] { state.withLock { $0 } }
    package func append(_ element: Element) { state.withLock { $0.append(element) } }
}
