import Dispatch
import Gate

/// Runs what waits for a person where it may block.
enum PromptQueue {
    /// - Parameter body: gets a descriptor that turns readable when the task is cancelled.
    static func run<Value>(
        on queue: DispatchQueue, _ body: @escaping @Sendable (_ cancel: Int32) -> PromptOutcome<Value>
    ) async -> PromptOutcome<Value> {
        let cancel: EventDescriptor
        do { cancel = try EventDescriptor() } catch { return .failed(error) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: body(cancel.descriptor)) }
            }
        } onCancel: {
            cancel.signal()
        }
    }
}
