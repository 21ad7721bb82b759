/// A unit of work that touches no device.
///
/// *thread-safe*
public protocol GateOperation: QueuedOperation {
    associatedtype Output
    associatedtype Failure

    /// Does the work. Cancelling the operation cancels the task this runs in.
    func execute(in context: OperationContext) async throws(Failure) -> Output
}

extension GateOperation {
    @inlinable
    public nonisolated(nonsending) func perform(in context: OperationContext) async -> OperationResult<Output, Failure>
    {
        context.willExecute()
        do throws(Failure) {
            return .success(try await execute(in: context))
        } catch {
            return .failure(Task.isCancelled ? .cancelled : .failed(error))
        }
    }
}
