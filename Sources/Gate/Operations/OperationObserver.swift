import Synchronization

/// Is told how an operation goes. Its methods are called where the operation runs; they must not block.
///
/// *thread-safe*
public protocol OperationObserver: Sendable {
    /// The operation has been added to a queue.
    func didAttach(to operation: String)
    /// Conditions, locks and permit are there; the operation's own work begins.
    func willExecute(_ context: OperationContext)
    func didExecute(_ context: OperationContext)
    func didCancel(_ context: OperationContext)
    /// A condition had the operation `produced` run before it was evaluated.
    func didProduce(_ produced: String, for context: OperationContext)
    func willFinish(_ context: OperationContext, _ outcome: OperationOutcome)
    func didFinish(_ operation: String, _ outcome: OperationOutcome)
}

extension OperationObserver {
    public func didAttach(to operation: String) {}
    public func willExecute(_ context: OperationContext) {}
    public func didExecute(_ context: OperationContext) {}
    public func didCancel(_ context: OperationContext) {}
    public func didProduce(_ produced: String, for context: OperationContext) {}
    public func willFinish(_ context: OperationContext, _ outcome: OperationOutcome) {}
    public func didFinish(_ operation: String, _ outcome: OperationOutcome) {}
}

/// Tells the observers of one operation, each step once.
final class OperationMonitor: Sendable {
    private let observers: [any OperationObserver]
    private let hasExecuted = Atomic(false)

    init?(_ observers: [any OperationObserver]) {
        if observers.isEmpty { return nil }
        self.observers = observers
    }

    func attach(to name: String) {
        for observer in observers { observer.didAttach(to: name) }
    }

    func willExecute(_ context: OperationContext) {
        guard !hasExecuted.exchange(true, ordering: .relaxed) else { return }
        for observer in observers { observer.willExecute(context) }
    }

    func produced(_ name: String, _ context: OperationContext) {
        for observer in observers { observer.didProduce(name, for: context) }
    }

    func ends(_ context: OperationContext, _ outcome: OperationOutcome) {
        if hasExecuted.load(ordering: .relaxed) { for observer in observers { observer.didExecute(context) } }
        if Task.isCancelled { for observer in observers { observer.didCancel(context) } }
        for observer in observers { observer.willFinish(context, outcome) }
    }

    func ended(_ name: String, _ outcome: OperationOutcome) {
        for observer in observers { observer.didFinish(name, outcome) }
    }
}
