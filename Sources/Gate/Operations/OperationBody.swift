import CaptureBase

/// What a queue has to know of an operation, without its types.
///
/// Made where the operation's type is known, so that the compiler can make `execute` for just that type.
@usableFromInline
struct OperationBody: Sendable {
    let work: any OperationWork
    let conditions: [any OperationCondition]
    let observers: [any OperationObserver]
    let execute: nonisolated(nonsending) @Sendable (OperationContext) async -> OperationEnd

    @inlinable
    init<O: QueuedOperation>(_ operation: O) {
        let work = TypedWork(operation)
        self.init(work, operation.allConditions, operation.observers) { context in
            .of(await work.operation.perform(in: context))
        }
    }

    @usableFromInline
    init(
        _ work: any OperationWork, _ conditions: [any OperationCondition], _ observers: [any OperationObserver],
        execute: nonisolated(nonsending) @escaping @Sendable (OperationContext) async -> OperationEnd
    ) {
        self.work = work
        self.conditions = conditions
        self.observers = observers
        self.execute = execute
    }
}

/// What is seldom asked of an operation.
@usableFromInline
protocol OperationWork: AnyObject, Sendable {
    var name: String { get }
    /// A capture that was refused is a line of the audit log.
    func reportRefusal(_ error: CaptureError, to gatekeeper: Gatekeeper) async
}

@usableFromInline
final class TypedWork<O: QueuedOperation>: OperationWork {
    @usableFromInline let operation: O

    @inlinable
    init(_ operation: O) {
        self.operation = operation
    }

    @usableFromInline var name: String { operation.name }

    @usableFromInline
    func reportRefusal(_ error: CaptureError, to gatekeeper: Gatekeeper) async {
        await (operation as? any CaptureOperation)?.reportRefusal(error, to: gatekeeper)
    }
}

extension CaptureOperation {
    fileprivate func reportRefusal(_ error: CaptureError, to gatekeeper: Gatekeeper) async {
        await gatekeeper.reportRefusal(of: authorization.capability.requests, error)
    }
}
