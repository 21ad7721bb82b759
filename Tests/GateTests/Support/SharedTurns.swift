import Gate
import GateTestKit

/// One turn at a time, for all who share it, as processes share a lock.
final class SharedTurns: PromptLock {
    private final class Turn: PromptLockToken {
        private let end: @Sendable () -> Void
        init(_ end: @escaping @Sendable () -> Void) { self.end = end }
        deinit { end() }
    }

    private let isTaken = Locked(false)
    /// Rises when somebody comes for a turn.
    let wanted = Signal()

    func take(for subject: Subject) async throws(CaptureError) -> any PromptLockToken {
        wanted.raise()
        while isTaken.withLock({ isTaken in
            defer { isTaken = true }
            return isTaken
        }) {
            if Task.isCancelled { throw CaptureError(.cancelled, "withdrawn") }
            await Task.yield()
        }
        return Turn { [self] in isTaken.withLock { $0 = false } }
    }
}
