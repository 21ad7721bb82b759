import CaptureBase

/// Runs operations: each when what it depends on has ended, its conditions hold and its locks are free.
///
/// Order: dependencies → conditions that ask nothing, all at once → questions → evaluation → locks → authorization read
/// again and permit made → execute. Queues of one gatekeeper share categories of mutual exclusion.
///
/// *thread-safe*
public final class GateQueue: Sendable {
    let scheduler: Scheduler

    /// - Parameters:
    ///   - gatekeeper: the gatekeeper that conditions ask, and that makes permits.
    ///   - width: how many operations execute at once, 1 upwards. One whose question is open does not count.
    ///   - suspended: whether nothing begins before `resume`.
    public init(gatekeeper: Gatekeeper, width: Int = .max, suspended: Bool = false) {
        scheduler = Scheduler(gatekeeper: gatekeeper, width: width, isSuspended: suspended)
    }

    deinit {
        scheduler.abandon()
    }

    public var gatekeeper: Gatekeeper { scheduler.gatekeeper }

    /// Operations that have not ended.
    public var count: Int { scheduler.count }

    /// Adds an operation, which begins as soon as it may. A queue that is released while suspended cancels what it holds;
    /// any other finishes it.
    /// - Parameters:
    ///   - operation: the operation to execute.
    ///   - dependencies: handles of operations, of whichever queue, that end first, however they end.
    ///   - priority: of the task it runs in.
    @discardableResult
    @inlinable
    public func add<O: QueuedOperation>(
        _ operation: O, after dependencies: [any OperationReference] = [], priority: TaskPriority? = nil
    ) -> OperationHandle<O.Output, O.Failure> {
        OperationHandle(add(OperationBody(operation), dependencies, priority))
    }

    /// Holds back all operations that have not started: no conditions are evaluated, and no questions are asked.
    public func suspend() { scheduler.suspend() }

    public func resume() { scheduler.resume() }

    public var isSuspended: Bool { scheduler.isSuspended }

    /// Cancels every operation that is in it now.
    /// - Parameter error: the error that each ends with, as by `OperationHandle.cancel(with:)`; `nil`: they are cancelled.
    public func cancelAll(with error: CaptureError? = nil) { scheduler.cancelAll(with: error) }

    /// Waits until every operation has ended.
    public func waitUntilEmpty() async {
        let wait = HeldLocks.beginWait(unless: count == 0)
        defer { wait.end() }
        await scheduler.waitUntilEmpty()
    }

    @usableFromInline
    func add(
        _ body: OperationBody, _ dependencies: [any OperationReference], _ priority: TaskPriority?
    ) -> OperationNode {
        scheduler.add(body, priority: priority, after: dependencies.map(\.ticket.node))
    }
}

extension GateQueue {
    /// Adds an operation and waits for its output. Cancelling the task cancels the operation, and the wait ends when the operation
    /// has ended.
    /// - Returns: its output, even if it was cancelled but had one; a `GroupOperation` then has the results of its children.
    /// - Throws: the error of `execute`, or the gate's refusal; `.cancelled` if it was cancelled and has no output.
    @discardableResult
    public func run<O: QueuedOperation>(
        _ operation: O, after dependencies: [any OperationReference] = []
    ) async throws(CaptureError) -> O.Output where O.Failure == CaptureError {
        switch await result(of: operation, dependencies) {
        case .success(let output): return output
        case .failure(let error): throw error.captureError
        }
    }

    /// Adds an operation with its own error type, and waits for its output like the other `run`.
    @discardableResult
    public func run<O: QueuedOperation>(
        _ operation: O, after dependencies: [any OperationReference] = []
    ) async throws(OperationError<O.Failure>) -> O.Output {
        try await result(of: operation, dependencies).get()
    }

    private func result<O: QueuedOperation>(
        of operation: O, _ dependencies: [any OperationReference]
    ) async -> OperationResult<O.Output, O.Failure> {
        // Where an operation waits for another one inside its `execute`, the inner one must not wait for the outer one.
        let heldLocks = HeldLocks.current.isEmpty ? HeldLocks() : HeldLocks.current.nested
        let node = scheduler.add(
            OperationBody(operation), holding: heldLocks, priority: Task.currentPriority,
            after: dependencies.map(\.ticket.node))
        let handle = OperationHandle<O.Output, O.Failure>(node)
        return await withTaskCancellationHandler {
            await handle.result
        } onCancel: {
            handle.cancel()
        }
    }
}

extension GateQueue {
    /// Adds an operation that is made from the output of another one, which may be in another queue.
    ///
    /// It waits for that one like for any dependency. If that one has no output, this one is refused, with its error.
    @discardableResult
    public func add<Input: Sendable, InputFailure: Error, Next: QueuedOperation>(
        injecting handle: OperationHandle<Input, InputFailure>, after dependencies: [any OperationReference] = [],
        _ make: @escaping @Sendable (Input) -> Next
    ) -> OperationHandle<Next.Output, Next.Failure> {
        add(InjectedOperation(input: handle, make: make), after: dependencies + [handle])
    }
}

/// An operation that is made when its input is there.
struct InjectedOperation<Input: Sendable, InputFailure: Error, Next: QueuedOperation>: QueuedOperation {
    typealias Output = Next.Output
    typealias Failure = Next.Failure

    let input: OperationHandle<Input, InputFailure>
    let make: @Sendable (Input) -> Next

    var name: String { "Injected(\(Next.self))" }

    func perform(in context: OperationContext) async -> OperationResult<Output, Failure> {
        switch await input.result {
        case .success(let value): return await context.passOn(make(value))
        case .failure(.cancelled): return .failure(.refused(CaptureError(.cancelled, "The input was cancelled.")))
        case .failure(.refused(let error)): return .failure(.refused(.withoutInput(error)))
        case .failure(.failed(let error)): return .failure(.refused(.withoutInput(error)))
        }
    }
}

extension CaptureError {
    fileprivate static func withoutInput(_ cause: any Error) -> CaptureError {
        guard let known = cause as? CaptureError else {
            return CaptureError(.conditionFailed, "The previous operation has no result: \(cause)")
        }
        return CaptureError(
            .conditionFailed, "The previous operation has no result: \(known.message)", remedies: known.remedies,
            underlying: [known])
    }
}
