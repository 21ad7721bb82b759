import CaptureBase
import Logging

/// Surroundings of an operation that executes, for it and its conditions.
///
/// *thread-safe*
public struct OperationContext: Sendable {
    let node: OperationNode
    /// Locks of the operation and of those it is a part of.
    var heldLocks: HeldLocks
    /// The operation in a queue or a group that this one is a part of; `nil` if it is that one itself.
    private let outermost: OperationNode?
    private let outerGroup: RunningGroup?
    /// Output of the operation that a condition had run before it is evaluated; `nil` if that did not succeed.
    public private(set) var answer: (any Sendable)?

    /// - Parameter outer: the operation that this one is performed in.
    init(node: OperationNode, heldLocks: HeldLocks, in outer: OperationContext? = nil) {
        self.node = node
        self.heldLocks = heldLocks
        outermost = outer.map(\.queuedNode)
        outerGroup = outer?.group
    }

    /// The operation whose handle somebody has.
    var queuedNode: OperationNode { outermost ?? node }

    /// The innermost group that this operation is a child of, or a part of a child: children can be added to it until it
    /// ends. `nil` outside of groups.
    public var group: RunningGroup? { node.scheduler?.group ?? outerGroup }

    public var gatekeeper: Gatekeeper { node.gatekeeper }

    /// Name of the operation.
    public var name: String { node.work.name }

    var monitor: OperationMonitor? { node.options?.monitor }

    /// Outcomes of the operations that this one waited for, in the order of their ends.
    public var dependencies: [DependencyOutcome] { node.dependencyOutcomes }

    public var isCancelled: Bool { Task.isCancelled }

    public var log: Logger? { gatekeeper.log }

    /// Cancels the operation.
    public func cancel() { node.carryOut(node.cancel(with: nil)) }

    /// Cancels the operation with an error. It ends as `.refused` with that error, even if it returns or throws something
    /// else.
    public func cancel(with error: CaptureError) { node.carryOut(node.cancel(with: error)) }

    /// The error that the operation was cancelled with, or the one that it is a part of.
    var cancelError: CaptureError? { node.cancelError ?? outermost?.cancelError }

    /// Runs another operation as a part of this one: conditions, locks, execution. Cancelling this one cancels it.
    public func perform<O: QueuedOperation>(_ operation: O) async -> OperationResult<O.Output, O.Failure> {
        await OperationRun.nested(OperationBody(operation), in: self).typed()
    }

    /// Performs an operation whose end is that of this one: where both were cancelled, the error that it threw is passed on.
    func passOn<O: QueuedOperation>(_ operation: O) async -> OperationResult<O.Output, O.Failure> {
        await OperationRun.nested(OperationBody(operation), in: self).passedOn()
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
