import CaptureBase
import Synchronization

/// Where operations come in that may start: whoever adds one seldom meets those who start them.
///
/// *thread-safe*
struct Inbox: ~Copyable, Sendable {
    private let operations = Locked<[ReadyOperation]>([])
    /// The highest level in it; −1 where it is empty.
    private let top = Atomic<Int>(-1)

    /// A look, which may be of the past.
    var highestLevel: Int { top.load(ordering: .relaxed) }

    /// - Returns: whether it was empty, so that somebody has to be told.
    func append(_ operation: ReadyOperation) -> Bool {
        operations.withLock { operations in
            operations.append(operation)
            top.store(max(highestLevel, Int(operation.node.level)), ordering: .relaxed)
            return operations.count == 1
        }
    }

    func takeAll() -> [ReadyOperation] {
        operations.withLock { operations in
            top.store(-1, ordering: .relaxed)
            return exchange(&operations, with: [])
        }
    }
}
