import Gate

/// A number that can be waited for.
final class Signal: Sendable {
    private struct State {
        var count = 0
        var waiting: [(atLeast: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Locked(State())

    var count: Int { state.withLock { $0.count } }

    func raise() {
        let ready = state.withLock { state in
            state.count += 1
            let ready = state.waiting.filter { $0.atLeast <= state.count }
            state.waiting.removeAll { $0.atLeast <= state.count }
            return ready
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    func reached(_ count: Int = 1) async {
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
func untilCancelled() async {
    let signal = Signal()
    await withTaskCancellationHandler {
        await signal.reached()
    } onCancel: {
        signal.raise()
    }
}

/// A list that many threads append to.
final class Record<Element: Sendable>: Sendable {
    private let state = Locked<[Element]>([])

    var all: [Element] { state.withLock { $0 } }
    func append(_ element: Element) { state.withLock { $0.append(element) } }
}
