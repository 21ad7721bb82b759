import Gate

extension World {
    /// Why an operation with these conditions would not execute; `nil` if it would.
    func refusal(by conditions: any OperationCondition...) async -> CaptureError? {
        var operation = ClosureOperation { _ in }
        operation.conditions = conditions
        switch await queue.add(operation).result {
        case .success: return nil
        case .failure(.refused(let error)): return error
        case .failure(.cancelled): return CaptureError(.cancelled, "It was cancelled.")
        }
    }
}

extension Result {
    func ignore() {}

    var error: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}

extension OperationResult {
    /// The gate's own error, if it refused; whatever the operation itself would throw.
    func refusal<Inner: Error>() -> CaptureError? where Failure == OperationError<Inner> {
        if case .failure(.refused(let error)) = self { error } else { nil }
    }
}

extension OperationError where Failure == CaptureError {
    var kind: CaptureError.Kind { captureError.kind }
}

extension GateQueue {
    /// `run` with its error as a value.
    func outcome<O: QueuedOperation>(of operation: O) async -> OperationResult<O.Output, O.Failure> {
        do throws(OperationError<O.Failure>) {
            return .success(try await run(operation))
        } catch {
            return .failure(error)
        }
    }
}
