/// A unit of work with conditions, observers and a typed result: the parent of `GateOperation` and `CaptureOperation`.
///
/// Conform to one of those two; they say how it is executed.
///
/// *thread-safe*
public protocol QueuedOperation: Sendable {
    associatedtype Output: Sendable
    /// What `execute` throws; the queue's own refusals come on top, in `OperationError`.
    associatedtype Failure: Error

    /// The name in logs; by default that of the type.
    var name: String { get }
    /// What must hold before it executes; by default nothing.
    var conditions: [any OperationCondition] { get }
    /// Who is told how it goes; by default nobody.
    var observers: [any OperationObserver] { get }

    /// The conditions and whatever the kind of operation requires on top. Provided.
    var allConditions: [any OperationCondition] { get }
    /// Executes it, conditions and locks being settled. Provided.
    nonisolated(nonsending) func perform(in context: OperationContext) async -> OperationResult<Output, Failure>
}

extension QueuedOperation {
    public var name: String { String(describing: Self.self) }
    @inlinable public var conditions: [any OperationCondition] { [] }
    @inlinable public var observers: [any OperationObserver] { [] }
    @inlinable public var allConditions: [any OperationCondition] { conditions }
}

/// An operation to which conditions and observers can be added before it is in a queue.
public protocol ConditionedOperation: QueuedOperation {
    var conditions: [any OperationCondition] { get set }
    var observers: [any OperationObserver] { get set }
}

extension ConditionedOperation {
    /// Adds a condition. What is in a queue already is a copy and does not change.
    public mutating func addCondition(_ condition: some OperationCondition) {
        conditions.append(condition)
    }

    /// Adds an observer. What is in a queue already is a copy and does not change.
    public mutating func addObserver(_ observer: some OperationObserver) {
        observers.append(observer)
    }
}
