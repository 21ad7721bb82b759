import Dispatch

/// Runs what blocks on a thread of its own, so that no thread of the cooperative pool does.
func offPool<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "blocking").async { continuation.resume(with: Result(catching: body)) }
    }
}
