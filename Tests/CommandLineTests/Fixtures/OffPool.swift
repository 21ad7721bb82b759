import Dispatch

/// Runs blocking code on a separate thread, so that no thread of the cooperative pool blocks.
func offPool<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "blocking").async { continuation.resume(with: Result(catching: body)) }
    }
}
