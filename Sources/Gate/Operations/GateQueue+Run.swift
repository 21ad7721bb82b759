import CaptureBase

extension GateQueue {
    /// Adds an operation and waits for its output. Cancelling the task cancels the operation, and the wait ends when the
    /// operation has.
    /// - Throws: what `execute` threw, or the gate's refusal; `.cancelled` if it was cancelled.
    @discardableResult
    public func run<O: QueuedOperation>(
        _ operation: O, after dependencies: [any OperationReference] = []
    ) async throws(CaptureError) -> O.Output where O.Failure == CaptureError {
        switch await result(of: operation, dependencies) {
        case .success(let output): return output
        case .failure(let error): throw error.captureError
        }
    }

    /// The same for an operation with an error type of its own.
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
        let holdings = Holdings.current.isEmpty ? Holdings() : Holdings.current.nested
        let node = core.add(
            OperationBody(operation), holding: holdings, priority: Task.currentPriority,
            after: dependencies.map(\.ticket.node))
        let handle = OperationHandle<O.Output, O.Failure>(node)
        return await withTaskCancellationHandler {
            await handle.result
        } onCancel: {
            handle.cancel()
        }
    }
}
