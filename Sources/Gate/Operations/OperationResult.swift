import CaptureBase

/// Result of an operation: its output, or the reason for a missing output.
///
/// A cancelled operation that has an output nevertheless has a `.success` here. The cancellation shows in
/// `OperationHandle.isCancelled` and in the outcome that observers and dependents get.
public typealias OperationResult<Output, Failure: Error> = Result<Output, OperationError<Failure>>

/// Reason why an operation has no output.
public enum OperationError<Failure: Error>: Error {
    /// It was not executed: conditions failed, a permit was refused, it would have waited for itself. Or it was cancelled
    /// with this error, as by a time-out.
    case refused(CaptureError)
    /// It was cancelled, which is not a failure. What `execute` threw then is in `OperationHandle.failure`.
    case cancelled
    /// `execute` threw.
    case failed(Failure)
}

extension OperationError: Equatable where Failure: Equatable {}

extension OperationError: CustomStringConvertible {
    /// Sentence of the error that is the reason.
    public var description: String {
        switch self {
        case .refused(let error): "\(error)"
        case .cancelled: "The operation was cancelled."
        case .failed(let error): "\(error)"
        }
    }
}

extension OperationError where Failure == CaptureError {
    /// Reason as one error, for callers that don't distinguish the cases.
    public var captureError: CaptureError {
        switch self {
        case .refused(let error), .failed(let error): error
        case .cancelled: CaptureError(.cancelled, description)
        }
    }
}

/// Outcome of an operation: its result without types and output.
public enum OperationOutcome: Sendable {
    case succeeded
    /// It was not executed, or it was cancelled with this error.
    case refused(CaptureError)
    /// It was cancelled, and has no output.
    case cancelled
    /// It was cancelled, and has an output all the same: it ended on its own, or made do with a part.
    case cancelledWithOutput
    case failed(any Error)

    /// True if it was cancelled without an error, with or without an output.
    public var isCancelled: Bool {
        switch self {
        case .cancelled, .cancelledWithOutput: true
        case .succeeded, .refused, .failed: false
        }
    }

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
    /// Output of `execute`; `nil` if it has none.
    let output: (any Sendable)?
    /// Error of `execute`, of one that was cancelled; the outcome has that of any other.
    private let lateError: (any Error)?

    /// Error that `execute` threw, however the operation ended.
    var thrown: (any Error)? {
        if case .failed(let error) = outcome { error } else { lateError }
    }

    static let cancelled = AnyOperationResult(.cancelled)
    /// Success without output, shared: most operations have none.
    @usableFromInline static let succeeded = AnyOperationResult(.succeeded, ())

    @usableFromInline
    init(_ outcome: OperationOutcome, _ output: (any Sendable)? = nil, thrown: (any Error)? = nil) {
        self.outcome = outcome
        self.output = output
        lateError = thrown
    }

    @inlinable
    static func of<Output: Sendable, Failure: Error>(_ result: OperationResult<Output, Failure>) -> AnyOperationResult {
        switch result {
        case .success(let output): Output.self == Void.self ? .succeeded : AnyOperationResult(.succeeded, output)
        // It may have thrown because it was cancelled, or for another reason that a caller needs to know.
        case .failure(.failed(let error)) where Task.isCancelled: AnyOperationResult(.cancelled, thrown: error)
        case .failure: AnyOperationResult(OperationOutcome(result))
        }
    }

    /// Result with the types with which it was made. A handle has the types of its operation, so no others can be requested.
    func typed<Output: Sendable, Failure: Error>() -> OperationResult<Output, Failure> {
        switch outcome {
        case .succeeded, .cancelledWithOutput:
            if let output = output as? Output { return .success(output) }
        case .failed(let error):
            if let error = error as? Failure { return .failure(.failed(error)) }
        case .refused(let error): return .failure(.refused(error))
        case .cancelled: return .failure(.cancelled)
        }
        preconditionFailure("a handle has the types of its operation")
    }

    /// Result for an operation that ends like this one. If it was cancelled as well, the error of `execute` is passed on.
    func passedOn<Output: Sendable, Failure: Error>() -> OperationResult<Output, Failure> {
        if Task.isCancelled, case .cancelled = outcome, let error = thrown as? Failure {
            return .failure(.failed(error))
        }
        return typed()
    }

    /// Result of an operation that was cancelled; the error that it was cancelled with is its end.
    func cancelled(with error: CaptureError?) -> AnyOperationResult {
        if let error { return AnyOperationResult(.refused(error), output, thrown: thrown) }
        if case .succeeded = outcome { return AnyOperationResult(.cancelledWithOutput, output) }
        return self
    }
}
