import CaptureBase
import Logging

/// Surroundings of an operation that executes, for it and its conditions.
///
/// *thread-safe*
public struct OperationContext: Sendable {
    let node: OperationNode
    /// Locks of the operation and of those it is a part of.
    var heldLocks: HeldLocks
    /// Output of the operation that a condition had run before it is evaluated; `nil` where that did not succeed.
    public private(set) var answer: (any Sendable)?

    init(node: OperationNode, heldLocks: HeldLocks) {
        self.node = node
        self.heldLocks = heldLocks
    }

    public var gatekeeper: Gatekeeper { node.gatekeeper }

    /// Name of the operation.
    public var name: String { node.work.name }

    var monitor: OperationMonitor? { node.options?.monitor }

    /// Outcomes of the operations that this one waited for, in the order in which they ended.
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

    /// Tells the observers that the operation's own work begins.
    @usableFromInline
    func willExecute() {
        monitor?.willExecute(self)
    }
}

/// Outcome of an operation that another one waited for.
public struct DependencyOutcome: Sendable {
    public let name: String
    public let outcome: OperationOutcome
}
