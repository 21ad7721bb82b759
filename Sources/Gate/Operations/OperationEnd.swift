/// How an operation ended: its result behind a type that needs no type arguments.
///
/// *thread-safe*
@usableFromInline
final class OperationEnd: Sendable {
    let outcome: OperationOutcome
    /// What `execute` returned.
    private let output: (any Sendable)?

    static let cancelled = OperationEnd(.cancelled)
    /// Without an output; most have none.
    @usableFromInline static let succeeded = OperationEnd(.succeeded, ())

    @usableFromInline
    init(_ outcome: OperationOutcome, _ output: (any Sendable)? = nil) {
        self.outcome = outcome
        self.output = output
    }

    @inlinable
    static func of<Output: Sendable, Failure: Error>(_ result: OperationResult<Output, Failure>) -> OperationEnd {
        switch result {
        case .success(let output): Output.self == Void.self ? .succeeded : OperationEnd(.succeeded, output)
        case .failure: OperationEnd(OperationOutcome(result))
        }
    }

    /// The result, by the types with which it was made: a handle has those of its operation.
    func result<Output: Sendable, Failure: Error>() -> OperationResult<Output, Failure> {
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
    func named(by node: OperationNode) -> OperationEnd {
        guard case .cancelled = outcome, let reason = node.cancelReason else { return self }
        return OperationEnd(.refused(reason))
    }
}
