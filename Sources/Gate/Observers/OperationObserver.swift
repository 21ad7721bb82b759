/// Tells one run of an operation from all others.
///
/// *thread-safe*
public struct OperationIdentity: Hashable, Sendable {
    /// Different for each operation of a gatekeeper.
    public let number: UInt64
    public let name: String
}

/// Is told how an operation goes. Its methods are called where the operation runs; they must not block.
///
/// *thread-safe*
public protocol OperationObserver: Sendable {
    /// The operation has been added to a queue, or to an operation of which it is a part.
    func didAttach(_ operation: OperationIdentity)
    /// What it depends on has ended; its conditions come next.
    func willEvaluate(_ operation: OperationIdentity, in context: OperationContext)
    /// A condition has `produced` run before it is evaluated, such as a question.
    func didProduce(_ produced: String, for operation: OperationIdentity, in context: OperationContext)
    /// Conditions, locks and permit are there; the operation's own work begins.
    func willExecute(_ operation: OperationIdentity, in context: OperationContext)
    /// The operation's own work has ended.
    func didExecute(_ operation: OperationIdentity, in context: OperationContext)
    /// Somebody wants it to end, whether or not it has begun.
    func didCancel(_ operation: OperationIdentity)
    /// It has an outcome, which nobody has seen yet. Not called for what was cancelled before it began.
    func willFinish(_ operation: OperationIdentity, _ outcome: OperationOutcome, in context: OperationContext)
    func didFinish(_ operation: OperationIdentity, _ outcome: OperationOutcome)
}

extension OperationObserver {
    public func didAttach(_ operation: OperationIdentity) {}
    public func willEvaluate(_ operation: OperationIdentity, in context: OperationContext) {}
    public func didProduce(_ produced: String, for operation: OperationIdentity, in context: OperationContext) {}
    public func willExecute(_ operation: OperationIdentity, in context: OperationContext) {}
    public func didExecute(_ operation: OperationIdentity, in context: OperationContext) {}
    public func didCancel(_ operation: OperationIdentity) {}
    public func willFinish(
        _ operation: OperationIdentity, _ outcome: OperationOutcome, in context: OperationContext
    ) {}
    public func didFinish(_ operation: OperationIdentity, _ outcome: OperationOutcome) {}
}
