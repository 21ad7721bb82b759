import CaptureBase

/// A unit of work with conditions, observers and a typed result: the parent of `GateOperation` and `CaptureOperation`.
///
/// Conform to one of those two; they say how it is executed.
///
/// *thread-safe*
public protocol QueuedOperation: Sendable {
    associatedtype Output: Sendable
    /// Error type of `execute`; the queue's own refusals come on top, in `OperationError`.
    associatedtype Failure: Error

    /// Name in logs; by default that of the type.
    var name: String { get }
    /// Conditions that must hold before it executes; by default none.
    var conditions: [any OperationCondition] { get }
    /// Observers of its course; by default none.
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
    /// Adds a condition. An operation that is already in a queue is a copy and does not change.
    public mutating func addCondition(_ condition: some OperationCondition) {
        conditions.append(condition)
    }

    /// Adds an observer. An operation that is already in a queue is a copy and does not change.
    public mutating func addObserver(_ observer: some OperationObserver) {
        observers.append(observer)
    }
}

/// A unit of work that touches no device.
///
/// *thread-safe*
public protocol GateOperation: QueuedOperation {
    associatedtype Output
    associatedtype Failure

    /// Does the work. Cancelling the operation cancels the task this runs in.
    func execute(in context: OperationContext) async throws(Failure) -> Output
}

extension GateOperation {
    @inlinable
    public nonisolated(nonsending) func perform(in context: OperationContext) async -> OperationResult<Output, Failure>
    {
        context.willExecute()
        do throws(Failure) {
            return .success(try await execute(in: context))
        } catch {
            return .failure(.failed(error))
        }
    }
}

/// A unit of work that touches devices: without `authorization` it does not compile, and only the gate can give it the
/// permit that opens them.
///
/// The conditions it is waiting for are its authorization and its own `conditions`; whatever those say, the permit is made
/// from what store and policy say right before it executes.
///
/// *thread-safe*
public protocol CaptureOperation: QueuedOperation {
    associatedtype Output
    associatedtype Failure
    associatedtype Capable: DeviceCapability

    /// Authorization that the devices need.
    var authorization: AuthorizedFor<Capable> { get }

    /// Does the work. The permit speaks of the devices of `authorization` and is worth nothing after the return.
    /// Cancelling the operation cancels the task this runs in; the operation ends when this returns.
    func execute(with permit: consuming Permit, in context: OperationContext) async throws(Failure) -> Output
}

extension CaptureOperation {
    public var allConditions: [any OperationCondition] { [authorization] + conditions }

    public func perform(in context: OperationContext) async -> OperationResult<Output, Failure> {
        let permit: Permit
        do throws(CaptureError) {
            permit = try await context.gatekeeper.permit(for: authorization.capability.requests)
        } catch {
            return .failure(.refused(error))
        }
        if Task.isCancelled { return .failure(.cancelled) }
        let ledger = permit.state
        defer { ledger.close() }
        context.willExecute()
        var unused: Permit? = permit
        let executor: any TaskExecutor = context.gatekeeper.executor ?? CaptureExecutor.shared
        do throws(Failure) {
            return .success(
                try await withTaskExecutorPreference(executor) { () async throws(Failure) in
                    guard let permit = unused.take() else { preconditionFailure("called once") }
                    return try await execute(with: permit, in: context)
                })
        } catch {
            return .failure(.failed(error))
        }
    }
}
