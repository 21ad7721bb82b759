import CaptureBase

/// Result of an operation: its output, or the reason why there is none.
public typealias OperationResult<Output, Failure: Error> = Result<Output, OperationError<Failure>>

/// Reason why an operation has no output.
public enum OperationError<Failure: Error>: Error {
    /// It was not executed: conditions failed, a permit was refused, it would have waited for itself; or its time was up.
    case refused(CaptureError)
    /// It was cancelled, which is not a failure.
    case cancelled
    /// `execute` threw.
    case failed(Failure)
}

extension OperationError: Equatable where Failure: Equatable {}

extension OperationError where Failure == CaptureError {
    /// Reason as one error, for callers that don't tell them apart.
    public var captureError: CaptureError {
        switch self {
        case .refused(let error), .failed(let error): error
        case .cancelled: CaptureError(.cancelled, "The operation was cancelled.")
        }
    }
}

/// Outcome of an operation: its result without types and output.
public enum OperationOutcome: Sendable {
    case succeeded
    case refused(CaptureError)
    case cancelled
    case failed(any Error)

    @inlinable
    init<Output, Failure>(_ result: OperationResult<Output, Failure>) {
        switch result {
        case .success: self = .succeeded
        case .failure(.refused(let error)): self = .refused(error)
        case .failure(.cancelled): self = .cancelled
        case .failure(.failed(let error)): self = .failed(error)
        }
    }
}

/// Result of an operation without its types: one class for all, which nodes and continuations can hold.
///
/// *thread-safe*
@usableFromInline
final class AnyOperationResult: Sendable {
    let outcome: OperationOutcome
    /// Output of `execute`; `nil` unless it succeeded.
    private let output: (any Sendable)?

    static let cancelled = AnyOperationResult(.cancelled)
    /// Success without output, shared: most operations have none.
    @usableFromInline static let succeeded = AnyOperationResult(.succeeded, ())

    @usableFromInline
    init(_ outcome: OperationOutcome, _ output: (any Sendable)? = nil) {
        self.outcome = outcome
        self.output = output
    }

    @inlinable
    static func of<Output: Sendable, Failure: Error>(_ result: OperationResult<Output, Failure>) -> AnyOperationResult {
        switch result {
        case .success(let output): Output.self == Void.self ? .succeeded : AnyOperationResult(.succeeded, output)
        case .failure: AnyOperationResult(OperationOutcome(result))
        }
    }

    /// Result with the types with which it was made. A handle has those of its operation, so that no other can be asked
    /// for.
    func typed<Output: Sendable, Failure: Error>() -> OperationResult<Output, Failure> {
        switch outcome {
        case .succeeded:
            if let output = output as? Output { return .success(output) }
        case .failed(let error):
            if let error = error as? Failure { return .failure(.failed(error)) }
        case .refused(let error): return .failure(.refused(error))
        case .cancelled: return .failure(.cancelled)
        }
        preconditionFailure("a handle has the types of its operation")
    }

    /// Result of a cancelled node: a cancellation that came with a reason is a refusal with it.
    func named(by node: OperationNode) -> AnyOperationResult {
        guard case .cancelled = outcome, let reason = node.cancelReason else { return self }
        return AnyOperationResult(.refused(reason))
    }
}
