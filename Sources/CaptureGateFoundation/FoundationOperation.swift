public import CaptureGate
public import Foundation

/// Foundation operation as an operation of the gate's queue: with conditions, observers and dependencies of both kinds.
///
/// It begins when the queue starts it, and then runs on an `OperationQueue`. Its Foundation dependencies apply as well. Cancelling
/// the operation cancels Foundation's. Its output is Foundation's operation, which contains the results.
///
///     let resize = FoundationOperation(ResizeOperation(image))
///     let resized = try await queue.run(resize).image
///
/// An operation of Foundation runs once: this one can't be retried or repeated.
///
/// *thread-safe*
public struct FoundationOperation<Work: Foundation.Operation & Sendable>: GateOperation, ConditionedOperation {
    public let name: String
    public var conditions: [any OperationCondition] = []
    public var observers: [any OperationObserver] = []
    /// Operation of Foundation.
    public let operation: Work
    private let queue: OperationQueue

    /// - Parameters:
    ///   - operation: not in a queue yet.
    ///   - queue: queue that it runs on; `nil` for a separate queue.
    public init(_ operation: Work, on queue: OperationQueue? = nil) {
        self.operation = operation
        self.queue = queue ?? OperationQueue()
        name = operation.name ?? "\(Work.self)"
    }

    /// Runs it.
    /// - Throws: `.cancelled` if Foundation's operation was cancelled, by whomever; `.usage` for one that has run already.
    public func execute(in context: OperationContext) async throws(CaptureError) -> Work {
        guard !operation.isFinished, !operation.isExecuting else {
            throw CaptureError(
                .usage, "\(name) has run already. A Foundation operation runs only once.",
                remedies: [Remedy("Create a new one.")])
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Not its completion block, which is the program's.
                let end = BlockOperation { continuation.resume() }
                end.addDependency(operation)
                queue.addOperation(operation)
                queue.addOperation(end)
            }
        } onCancel: {
            operation.cancel()
        }
        if operation.isCancelled { throw CaptureError(.cancelled, "\(name) was cancelled.") }
        return operation
    }
}
