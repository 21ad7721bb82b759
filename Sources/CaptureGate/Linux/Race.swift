import Dispatch
import Gate
import LinuxSystem

/// A race of several answers to one question: the work's, the deadline's, and that of the cancelled task. The first one
/// counts, later ones are lost.
///
/// *thread-safe*
final class Race<Value: Sendable>: Sendable {
    private enum State {
        /// The answer may come before anybody waits for it.
        case nobodyWaits
        case waiting(CheckedContinuation<Value, Never>)
        case answered(Value)
        case done
    }

    private let state = Locked(State.nobodyWaits)

    func give(_ value: Value) {
        let waiter = state.withLock { state -> CheckedContinuation<Value, Never>? in
            switch state {
            case .nobodyWaits:
                state = .answered(value)
                return nil
            case .waiting(let continuation):
                state = .done
                return continuation
            case .answered, .done: return nil
            }
        }
        waiter?.resume(returning: value)
    }

    /// - Parameters:
    ///   - limit: time until `late` becomes the answer. Only time in which this process ran counts, a tenth at a time: a process
    ///     that was stopped, or got no processor, has not waited.
    ///   - work: blocks, and runs on `queue`. It continues after the deadline, and its answer is then dropped.
    static func of(
        _ work: @escaping @Sendable () -> Value, on queue: DispatchQueue, within limit: Duration, late: Value,
        cancelled: Value
    ) async -> Value {
        let answer = Race()
        return await withTaskCancellationHandler {
            queue.async { answer.give(work()) }
            answer.give(late, after: 10, of: limit / 10)
            return await answer.value()
        } onCancel: {
            answer.give(cancelled)
        }
    }

    /// Gives the late answer after a number of parts, unless the race is over.
    private func give(_ late: Value, after parts: Int, of part: Duration) {
        let end = Deadline(after: part)
        guard end != .never else { return }
        DispatchQueue.global().asyncAfter(deadline: DispatchTime(uptimeNanoseconds: UInt64(end.nanoseconds))) {
            [weak self] in
            if parts > 1 { self?.give(late, after: parts - 1, of: part) } else { self?.give(late) }
        }
    }

    /// The first answer; call it once.
    private func value() async -> Value {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state -> Value? in
                if case .answered(let value) = state {
                    state = .done
                    return value
                }
                state = .waiting(continuation)
                return nil
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }
}

extension EventDescriptor {
    /// An event that a cancelled task signals to the thread that waits for it.
    ///
    /// - Throws: `.unavailable` if the process has no descriptor left.
    package static func forWaiting() throws(CaptureError) -> EventDescriptor {
        do throws(Errno) {
            return try EventDescriptor()
        } catch {
            throw .noEventDescriptor(error)
        }
    }
}

extension CaptureError {
    /// Error of a process that has no descriptor left to wait with.
    static func noEventDescriptor(_ errno: Errno) -> CaptureError {
        CaptureError(
            .unavailable, "An event descriptor can't be created: \(errno.text).", errno: errno.number,
            remedies: [Remedy("Close some files, or raise the limit of open files (ulimit -n).")])
    }
}
