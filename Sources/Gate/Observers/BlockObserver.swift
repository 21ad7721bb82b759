/// An observer that consists of closures.
///
/// *thread-safe*
public struct BlockObserver: OperationObserver {
    private let attached: (@Sendable (OperationIdentity) -> Void)?
    private let executes: (@Sendable (OperationIdentity) -> Void)?
    private let cancelled: (@Sendable (OperationIdentity) -> Void)?
    private let finished: (@Sendable (OperationIdentity, OperationOutcome) -> Void)?

    public init(
        didAttach: (@Sendable (OperationIdentity) -> Void)? = nil,
        willExecute: (@Sendable (OperationIdentity) -> Void)? = nil,
        didCancel: (@Sendable (OperationIdentity) -> Void)? = nil,
        didFinish: (@Sendable (OperationIdentity, OperationOutcome) -> Void)? = nil
    ) {
        attached = didAttach
        executes = willExecute
        cancelled = didCancel
        finished = didFinish
    }

    public func didAttach(_ operation: OperationIdentity) { attached?(operation) }
    public func willExecute(_ operation: OperationIdentity, in context: OperationContext) { executes?(operation) }
    public func didCancel(_ operation: OperationIdentity) { cancelled?(operation) }
    public func didFinish(_ operation: OperationIdentity, _ outcome: OperationOutcome) {
        finished?(operation, outcome)
    }
}
