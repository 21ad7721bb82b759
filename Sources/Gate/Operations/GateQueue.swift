/// Runs operations: each when what it depends on has ended, its conditions hold and its locks are free.
///
/// Order: dependencies → conditions that ask nothing, all at once → questions → evaluation → locks → authorization read
/// again and permit made → execute. Queues of one gatekeeper share categories of mutual exclusion.
///
/// *thread-safe*
public final class GateQueue: Sendable {
    let core: QueueCore

    /// - Parameters:
    ///   - width: how many operations execute at once, 1 upwards. One whose question is open does not count.
    ///   - suspended: whether nothing begins before `resume`.
    public init(gatekeeper: Gatekeeper, width: Int = .max, suspended: Bool = false) {
        core = QueueCore(gatekeeper: gatekeeper, width: width, isSuspended: suspended)
    }

    deinit {
        core.abandon()
    }

    public var gatekeeper: Gatekeeper { core.gatekeeper }

    /// Operations that have not ended.
    public var count: Int { core.count }

    /// Adds an operation, which begins as soon as it may. A queue that is released while suspended cancels what it holds;
    /// any other finishes it.
    /// - Parameters:
    ///   - dependencies: handles of operations, of whichever queue, that end first, however they end.
    ///   - priority: of the task it runs in.
    @discardableResult
    @inlinable
    public func add<O: QueuedOperation>(
        _ operation: O, after dependencies: [any OperationReference] = [], priority: TaskPriority? = nil
    ) -> OperationHandle<O.Output, O.Failure> {
        OperationHandle(add(OperationBody(operation), dependencies, priority))
    }

    /// Holds everything back that has not begun to execute: nothing is evaluated and nobody is asked.
    public func suspend() { core.suspend() }

    public func resume() { core.resume() }

    public var isSuspended: Bool { core.isSuspended }

    public func cancelAll() { core.cancelAll() }

    /// Waits until every operation has ended.
    public func waitUntilEmpty() async { await core.waitUntilEmpty() }

    @usableFromInline
    func add(
        _ body: OperationBody, _ dependencies: [any OperationReference], _ priority: TaskPriority?
    ) -> OperationNode {
        core.add(body, priority: priority, after: dependencies.map(\.ticket.node))
    }
}
