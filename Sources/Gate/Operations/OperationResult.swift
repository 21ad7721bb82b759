import CaptureBase

/// How an operation ended.
public typealias OperationResult<Output, Failure: Error> = Result<Output, OperationError<Failure>>

/// Why an operation has no result.
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
    /// The same as one error.
    public var captureError: CaptureError {
        switch self {
        case .refused(let error), .failed(let error): error
        case .cancelled: CaptureError(.cancelled, "The operation was cancelled.")
        }
    }
}

/// How an operation ended, without the types of its result.
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

/// How an operation ended: its result behind a type that needs no type arguments.
///
/// *thread-safe*
@usableFromInline
final class AnyOperationResult: Sendable {
    let outcome: OperationOutcome
    /// What `execute` returned.
    private let output: (any Sendable)?

    static let cancelled = AnyOperationResult(.cancelled)
    /// Without an output; most have none.
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

    /// The result, by the types with which it was made: a handle has those of its operation.
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

    /// A cancellation that came with a reason ends with it.
    func named(by node: OperationNode) -> AnyOperationResult {
        guard case .cancelled = outcome, let reason = node.cancelReason else { return self }
        return AnyOperationResult(.refused(reason))
    }
}
