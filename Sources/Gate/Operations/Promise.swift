import CaptureBase

/// A value that comes once and wakes everybody who waits for it.
///
/// *thread-safe*
final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case waiting([CheckedContinuation<Value, Never>])
        case fulfilled(Value)
    }

    private let state = Locked(State.waiting([]))

    /// Sets the value. True for the first call; later ones change nothing.
    @discardableResult
    func fulfil(_ value: Value) -> Bool {
        let waiting = state.withLock { state -> [CheckedContinuation<Value, Never>]? in
            guard case .waiting(let waiting) = state else { return nil }
            state = .fulfilled(value)
            return waiting
        }
        guard let waiting else { return false }
        // Outside the lock: a resumed task may come back here.
        for continuation in waiting { continuation.resume(returning: value) }
        return true
    }

    /// True once the value is there. Never waits.
    var isFulfilled: Bool {
        state.withLock { if case .fulfilled = $0 { true } else { false } }
    }

    /// The value, once it is there. Cancelling the task does not end the wait.
    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let ready = state.withLock { state -> Value? in
                    switch state {
                    case .fulfilled(let value): return value
                    case .waiting(var waiting):
                        waiting.append(continuation)
                        state = .waiting(waiting)
                        return nil
                    }
                }
                if let ready { continuation.resume(returning: ready) }
            }
        }
    }
}
