import CaptureBase
import Logging

/// What an operation and its conditions can reach.
///
/// *thread-safe*
public struct OperationContext: Sendable {
    let node: OperationNode
    /// What the operation, and those it is a part of, hold.
    var heldLocks: HeldLocks
    /// For a condition that is evaluated: the output of what it had run before, where that succeeded.
    public private(set) var answer: (any Sendable)?

    init(node: OperationNode, heldLocks: HeldLocks) {
        self.node = node
        self.heldLocks = heldLocks
    }

    public var gatekeeper: Gatekeeper { node.gatekeeper }

    /// The operation's name.
    public var name: String { node.work.name }

    var monitor: OperationMonitor? { node.options?.monitor }

    /// How the operations that this one waited for have ended.
    public var dependencies: [DependencyOutcome] { node.dependencyOutcomes }

    public var isCancelled: Bool { Task.isCancelled }

    public var log: Logger? { gatekeeper.log }

    /// Cancels the operation.
    /// - Parameter reason: the error it ends with, where it is not to count as simply cancelled.
    public func cancel(because reason: CaptureError? = nil) {
        node.carryOut(node.cancel(because: reason))
    }

    /// Runs another operation as a part of this one: conditions, locks, execution. Cancelling this one cancels it.
    public func perform<O: QueuedOperation>(_ operation: O) async -> OperationResult<O.Output, O.Failure> {
        await OperationRun.nested(OperationBody(operation), in: self).typed()
    }

    func answered(_ answer: (any Sendable)?) -> OperationContext {
        var context = self
        context.answer = answer
        return context
    }

    /// Called when the operation's own work begins.
    @usableFromInline
    func willExecute() {
        monitor?.willExecute(self)
    }
}

/// How an operation that another one waited for has ended.
public struct DependencyOutcome: Sendable {
    public let name: String
    public let outcome: OperationOutcome
}
