/// An observer that consists of closures.
///
/// *thread-safe*
public struct BlockObserver: OperationObserver {
    private let attached: (@Sendable (OperationIdentity) -> Void)?
    private let produced: (@Sendable (OperationIdentity, String) -> Void)?
    private let executes: (@Sendable (OperationIdentity) -> Void)?
    private let executed: (@Sendable (OperationIdentity) -> Void)?
    private let cancelled: (@Sendable (OperationIdentity) -> Void)?
    private let finishes: (@Sendable (OperationIdentity, OperationOutcome) -> Void)?
    private let finished: (@Sendable (OperationIdentity, OperationOutcome) -> Void)?

    /// - Parameter didProduce: is given the name of what a condition has run before it is evaluated.
    public init(
        didAttach: (@Sendable (OperationIdentity) -> Void)? = nil,
        didProduce: (@Sendable (OperationIdentity, String) -> Void)? = nil,
        willExecute: (@Sendable (OperationIdentity) -> Void)? = nil,
        didExecute: (@Sendable (OperationIdentity) -> Void)? = nil,
        didCancel: (@Sendable (OperationIdentity) -> Void)? = nil,
        willFinish: (@Sendable (OperationIdentity, OperationOutcome) -> Void)? = nil,
        didFinish: (@Sendable (OperationIdentity, OperationOutcome) -> Void)? = nil
    ) {
        attached = didAttach
        produced = didProduce
        executes = willExecute
        executed = didExecute
        cancelled = didCancel
        finishes = willFinish
        finished = didFinish
    }

    public func didAttach(_ operation: OperationIdentity) { attached?(operation) }
    public func didProduce(_ name: String, for operation: OperationIdentity, in context: OperationContext) {
        produced?(operation, name)
    }
    public func willExecute(_ operation: OperationIdentity, in context: OperationContext) { executes?(operation) }
    public func didExecute(_ operation: OperationIdentity, in context: OperationContext) { executed?(operation) }
    public func didCancel(_ operation: OperationIdentity) { cancelled?(operation) }
    public func willFinish(
        _ operation: OperationIdentity, _ outcome: OperationOutcome, in context: OperationContext
    ) {
        finishes?(operation, outcome)
    }
    public func didFinish(_ operation: OperationIdentity, _ outcome: OperationOutcome) {
        finished?(operation, outcome)
    }
}
