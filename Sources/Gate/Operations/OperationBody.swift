import CaptureBase

/// Operation without its types.
///
/// Made where the operation's type is known, so that the compiler can make `execute` for just that type.
@usableFromInline
struct OperationBody: Sendable {
    let work: any OperationWork
    let conditions: [any OperationCondition]
    let observers: [any OperationObserver]
    /// Executes the operation in the caller's task. A closure: calls through a protocol would not be specialised.
    let execute: nonisolated(nonsending) @Sendable (OperationContext) async -> AnyOperationResult

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
        execute: nonisolated(nonsending) @escaping @Sendable (OperationContext) async -> AnyOperationResult
    ) {
        self.work = work
        self.conditions = conditions
        self.observers = observers
        self.execute = execute
    }
}

/// Parts of an operation that are seldom used: behind a witness table, so that making a body costs one allocation.
@usableFromInline
protocol OperationWork: AnyObject, Sendable {
    var name: String { get }
    /// Writes a capture that was refused into the audit log; does nothing for other operations.
    func reportRefusal(_ error: CaptureError, to gatekeeper: Gatekeeper) async
}

/// Operation with its types, kept for seldom used parts.
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
        guard let capture = operation as? any CaptureOperation else { return }
        await gatekeeper.reportRefusal(of: capture.deviceRequests, error)
    }
}

extension CaptureOperation {
    fileprivate var deviceRequests: [DeviceRequest] { authorization.capability.requests }
}

/// Conditions, observers and circumstances of an operation.
final class OperationOptions: Sendable {
    let conditions: [any OperationCondition]
    /// Tells the observers; `nil` if nobody observes.
    let monitor: OperationMonitor?
    /// Locks held by the operation that waits for this one.
    let heldLocks: HeldLocks
    /// Rules for asking that applied when the operation was added.
    let interaction: InteractionPolicy?
    /// True if nothing has to be evaluated or reported before it executes: it needs only its locks.
    let needsOnlyLocks: Bool

    init(
        _ body: OperationBody, heldLocks: HeldLocks, interaction: InteractionPolicy?, in gatekeeper: Gatekeeper
    ) {
        conditions = body.conditions
        monitor = body.observers.isEmpty ? nil : OperationMonitor(body, in: gatekeeper)
        self.heldLocks = heldLocks
        self.interaction = interaction
        needsOnlyLocks =
            monitor == nil && !conditions.isEmpty && conditions.allSatisfy { $0 is any AlwaysSatisfied }
    }

    /// `nil` for an operation that waits for nothing and has no observers, like most: it only has to be executed.
    static func unlessPlain(
        _ body: OperationBody, heldLocks: HeldLocks, interaction: InteractionPolicy?, in gatekeeper: Gatekeeper
    ) -> OperationOptions? {
        if body.conditions.isEmpty, body.observers.isEmpty, interaction == nil, heldLocks.isEmpty { return nil }
        return OperationOptions(body, heldLocks: heldLocks, interaction: interaction, in: gatekeeper)
    }

    /// Categories of all conditions. Computed each time: few operations have conditions, and few of those exclusions.
    var exclusions: Set<String> {
        if conditions.count == 1 { return conditions[0].exclusions }
        return conditions.reduce(into: []) { $0.formUnion($1.exclusions) }
    }
}

/// Condition that is always satisfied: it only adds its exclusions.
///
/// An operation with only such conditions needs no task to evaluate them, which would cost more than executing most operations.
protocol AlwaysSatisfied: OperationCondition {}

extension MutuallyExclusive: AlwaysSatisfied {}
