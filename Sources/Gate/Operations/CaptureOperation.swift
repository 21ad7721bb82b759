import CaptureBase

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

    /// What must be allowed.
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
        do throws(Failure) {
            return .success(try await execute(with: permit, in: context))
        } catch {
            return .failure(Task.isCancelled ? .cancelled : .failed(error))
        }
    }
}
