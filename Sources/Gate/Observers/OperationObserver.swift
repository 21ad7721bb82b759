import CaptureBase
import Synchronization

/// Identity of one run of an operation.
///
/// *thread-safe*
public struct OperationIdentity: Hashable, Sendable {
    /// Unique among the operations of a gatekeeper.
    public let number: UInt64
    public let name: String
}

/// An observer of an operation's progress. Its methods are called where the operation runs; they must not block.
///
/// *thread-safe*
public protocol OperationObserver: Sendable {
    /// The operation was added to a queue, or to an operation of which it is a part.
    func didAttach(_ operation: OperationIdentity)
    /// The dependencies have ended; the conditions come next.
    func willEvaluate(_ operation: OperationIdentity, in context: OperationContext)
    /// A condition has `produced` run before it is evaluated, such as a question.
    func didProduce(_ produced: String, for operation: OperationIdentity, in context: OperationContext)
    /// Conditions, locks and permit are there; the operation's own work begins.
    func willExecute(_ operation: OperationIdentity, in context: OperationContext)
    /// The operation's own work has ended.
    func didExecute(_ operation: OperationIdentity, in context: OperationContext)
    /// The operation is to end, whether or not it has begun; the error is the one that it was cancelled with.
    func didCancel(_ operation: OperationIdentity, with error: CaptureError?)
    /// The operation has an outcome, which nobody has seen yet. Not called if it was cancelled before it began.
    func willFinish(_ operation: OperationIdentity, _ outcome: OperationOutcome, in context: OperationContext)
    /// The operation has ended.
    func didFinish(_ operation: OperationIdentity, _ outcome: OperationOutcome)
}

extension OperationObserver {
    public func didAttach(_ operation: OperationIdentity) {}
    public func willEvaluate(_ operation: OperationIdentity, in context: OperationContext) {}
    public func didProduce(_ produced: String, for operation: OperationIdentity, in context: OperationContext) {}
    public func willExecute(_ operation: OperationIdentity, in context: OperationContext) {}
    public func didExecute(_ operation: OperationIdentity, in context: OperationContext) {}
    public func didCancel(_ operation: OperationIdentity, with error: CaptureError?) {}
    public func willFinish(
        _ operation: OperationIdentity, _ outcome: OperationOutcome, in context: OperationContext
    ) {}
    public func didFinish(_ operation: OperationIdentity, _ outcome: OperationOutcome) {}
}

/// An observer made of closures.
///
/// *thread-safe*
public struct BlockObserver: OperationObserver {
    private let attached: (@Sendable (OperationIdentity) -> Void)?
    private let produced: (@Sendable (OperationIdentity, String) -> Void)?
    private let executes: (@Sendable (OperationIdentity) -> Void)?
    private let executed: (@Sendable (OperationIdentity) -> Void)?
    private let cancelled: (@Sendable (OperationIdentity, CaptureError?) -> Void)?
    private let finishes: (@Sendable (OperationIdentity, OperationOutcome) -> Void)?
    private let finished: (@Sendable (OperationIdentity, OperationOutcome) -> Void)?

    /// Creates an observer from closures. `didProduce` also receives the name of the operation that a condition runs before
    /// its evaluation. `didCancel` also receives the error of the cancellation.
    public init(
        didAttach: (@Sendable (OperationIdentity) -> Void)? = nil,
        didProduce: (@Sendable (OperationIdentity, String) -> Void)? = nil,
        willExecute: (@Sendable (OperationIdentity) -> Void)? = nil,
        didExecute: (@Sendable (OperationIdentity) -> Void)? = nil,
        didCancel: (@Sendable (OperationIdentity, CaptureError?) -> Void)? = nil,
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
    public func didCancel(_ operation: OperationIdentity, with error: CaptureError?) { cancelled?(operation, error) }
    public func willFinish(
        _ operation: OperationIdentity, _ outcome: OperationOutcome, in context: OperationContext
    ) {
        finishes?(operation, outcome)
    }
    public func didFinish(_ operation: OperationIdentity, _ outcome: OperationOutcome) {
        finished?(operation, outcome)
    }
}

/// Reports the steps of one operation to its observers, each step once.
///
/// *thread-safe*
final class OperationMonitor: Sendable {
    private let observers: [any OperationObserver]
    private let identity: OperationIdentity
    private let hasExecuted = Atomic(false)

    /// `nil` if nobody observes: an operation without observers pays nothing.
    init?(_ body: OperationBody, in gatekeeper: Gatekeeper) {
        observers = body.observers
        if observers.isEmpty { return nil }
        identity = OperationIdentity(number: gatekeeper.locks.nextNumber(), name: body.work.name)
        for observer in observers { observer.didAttach(identity) }
    }

    func willEvaluate(_ context: OperationContext) {
        for observer in observers { observer.willEvaluate(identity, in: context) }
    }

    func didProduce(_ name: String, _ context: OperationContext) {
        for observer in observers { observer.didProduce(name, for: identity, in: context) }
    }

    /// Only the first call counts: an operation that wraps another reports its start, and so does the wrapped one.
    func willExecute(_ context: OperationContext) {
        guard !hasExecuted.exchange(true, ordering: .relaxed) else { return }
        for observer in observers { observer.willExecute(identity, in: context) }
    }

    func didCancel(with error: CaptureError?) {
        for observer in observers { observer.didCancel(identity, with: error) }
    }

    /// An operation that was cancelled before its work began did not execute.
    func willFinish(_ context: OperationContext, _ outcome: OperationOutcome) {
        if hasExecuted.load(ordering: .relaxed) {
            for observer in observers { observer.didExecute(identity, in: context) }
        }
        for observer in observers { observer.willFinish(identity, outcome, in: context) }
    }

    func didFinish(_ outcome: OperationOutcome) {
        for observer in observers { observer.didFinish(identity, outcome) }
    }
}
