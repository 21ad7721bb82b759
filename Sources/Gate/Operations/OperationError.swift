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
