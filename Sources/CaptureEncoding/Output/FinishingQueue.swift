import CaptureGate
import Dispatch

/// Gives written files their names on a queue of its own: a disk may take seconds to store one, and the next is being
/// recorded.
///
/// *thread-safe*
final class FinishingQueue: Sendable {
    private struct State {
        var finished: [ClipSegment] = []
        var failure: CaptureError?
        var hasLastFailed = false
    }

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "capturegate.finish")

    func add(_ last: OutputFinish) {
        queue.async { [self] in
            let failure = Self.run(last)
            last.close()
            state.withLock { state in
                state.hasLastFailed = failure != nil
                state.failure = state.failure ?? failure
            }
        }
    }

    /// Tells of the part whose file was added last, once that has its name.
    func tell(_ part: ClipSegment) {
        queue.async { [self] in
            state.withLock { state in
                if !state.hasLastFailed { state.finished.append(part) }
                state.hasLastFailed = false
            }
        }
    }

    /// The parts that have their names since the last call.
    func takeFinished() -> [ClipSegment] {
        state.withLock { state in
            // Most of the time there is none, and nothing to be made anew.
            if state.finished.isEmpty { return [] }
            defer { state.finished = [] }
            return state.finished
        }
    }

    /// Why the first file that did not get its name did not.
    var failure: CaptureError? { state.withLock { $0.failure } }

    /// Returns when all that was added is done.
    func wait() { queue.sync {} }

    private static func run(_ last: OutputFinish) -> CaptureError? {
        do {
            try last.run()
            return nil
        } catch {
            return error
        }
    }
}
