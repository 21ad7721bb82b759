import Synchronization

/// Tells the observers of one operation, each step once.
///
/// *thread-safe*
final class OperationMonitor: Sendable {
    private let observers: [any OperationObserver]
    private let identity: OperationIdentity
    private let hasExecuted = Atomic(false)

    /// `nil` where nobody observes.
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

    func willExecute(_ context: OperationContext) {
        guard !hasExecuted.exchange(true, ordering: .relaxed) else { return }
        for observer in observers { observer.willExecute(identity, in: context) }
    }

    func didCancel() {
        for observer in observers { observer.didCancel(identity) }
    }

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
