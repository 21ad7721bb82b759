import Synchronization

/// Counts signals; a test awaits the next one instead of sleeping.
final class Signal: Sendable {
    private struct State {
        var pending = 0
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func send() {
        let waiter = state.withLock { state in
            guard let waiter = state.waiter else {
                state.pending += 1
                return nil as CheckedContinuation<Void, Never>?
            }
            state.waiter = nil
            return waiter
        }
        waiter?.resume()
    }

    /// Whether no signal waits to be taken.
    var isSilent: Bool { state.withLock { $0.pending == 0 } }

    /// Returns when a signal came since the last call; one waiter at a time.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isHere = state.withLock { state in
                guard state.pending == 0 else {
                    state.pending = 0
                    return true
                }
                state.waiter = continuation
                return false
            }
            if isHere { continuation.resume() }
        }
    }
}
