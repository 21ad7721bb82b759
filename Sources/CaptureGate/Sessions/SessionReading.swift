import Dispatch
import Synchronization

/// Reads a session on a separate thread: a wait for the device must not block one of Swift's.
package enum SessionReading {
    /// - Parameters:
    ///   - box: has the session before and after.
    ///   - label: of the thread.
    ///   - record: changed by `body`.
    ///   - body: reads until it has enough, or until the mark is set: by a cancellation of the task.
    package static func read<Format: Sendable, Record: Sendable>(
        _ box: Handoff<CaptureSession<Format>>, on label: String, into record: Record,
        _ body: @escaping @Sendable (inout CaptureSession<Format>, inout Record, StopMark) -> Void
    ) async -> Record {
        let isStopped = StopMark()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                DispatchQueue(label: label).async {
                    var record = record
                    if var session = box.take() {
                        body(&session, &record, isStopped)
                        box.put(session)
                    }
                    continuation.resume(returning: record)
                }
            }
        } onCancel: {
            isStopped.set()
        }
    }
}

/// Flag that a reader checks between two frames.
package final class StopMark: Sendable {
    private let value = Atomic(false)

    package init() {}

    package var isSet: Bool { value.load(ordering: .relaxed) }

    package func set() { value.store(true, ordering: .relaxed) }
}
