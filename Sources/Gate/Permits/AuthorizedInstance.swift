import CaptureBase

/// One service that all authorized operations share.
///
/// If it is allowed, a request gets it at once. If it is denied, the request is refused at once with the reason. If a person is
/// being asked, the request waits: simultaneous requests share one question and its answer. A service whose devices the gate has
/// closed, or whose authorization is gone, is not returned again: the next request builds a new one, if that is allowed.
///
/// *thread-safe*
public struct AuthorizedInstance<Service: AuthorizedService>: Sendable {
    /// Answer to a request for the service, without a wait for a person.
    public enum Access: Sendable {
        /// It is allowed: here it is.
        case granted(Service)
        /// It is not allowed, and asking can't help; or it could not be built.
        case denied(CaptureError)
        /// A question is open, or the service is being built for another request.
        case waiting(PendingService<Service>)
    }

    /// State of the service.
    public enum State: Sendable {
        /// The service does not exist, and no request waits for it.
        case absent
        /// A person is being asked, or the service is being built; the value is the number of waiting callers. A caller that was
        /// cancelled, or has released its `PendingService`, does not wait.
        case waiting(Int)
        case present(Service)
    }

    /// The capability that must be allowed.
    public let capability: Service.Capable
    private let gatekeeper: Gatekeeper
    private let shared: SharedService<Service>

    init(_ shared: SharedService<Service>, of capability: Service.Capable, in gatekeeper: Gatekeeper) {
        self.shared = shared
        self.capability = capability
        self.gatekeeper = gatekeeper
    }

    /// The service, which is built if necessary.
    ///
    /// Cancelling the task ends the wait; the service is still built for the others who wait.
    /// - Throws: The refusal, with what to do, or the error of the service's initializer.
    public var service: Service {
        get async throws(CaptureError) {
            if let usable = await usable() { return usable }
            return try await pending().service
        }
    }

    /// Requests the service without waiting for a person. The result is immediate: granted, denied, or waiting. If asking can
    /// help, the question is asked.
    public func request() async -> Access {
        if let usable = await usable() { return .granted(usable) }
        if shared.isBuilding { return .waiting(pending()) }
        let report = await capability.comparedReport(in: gatekeeper)
        if report.isAskable { return .waiting(pending()) }
        if let refusal = report.refusal { return .denied(refusal) }
        let caller = WaitingCaller(shared)
        // Somebody else has it built meanwhile, who may ask.
        guard caller.isFirst else { return .waiting(PendingService(caller: caller)) }
        return await built(for: caller)
    }

    /// Builds it without asking anybody; where the permission has gone meanwhile, the question is put.
    private func built(for caller: WaitingCaller<Service>) async -> Access {
        // A separate task, since others wait for it, too.
        let result = await Task.detached { await built(BuildService(AuthorizedFor(capability), isSilent: true)) }.value
        if case .failure(let error) = result {
            if error.kind == .notAuthorized, await capability.comparedReport(in: gatekeeper).isAskable {
                build()
                return .waiting(PendingService(caller: caller))
            }
            shared.end(result)
            return .denied(error)
        }
        shared.end(result)
        return await caller.promise.value.access
    }

    /// Calls back with the service, once, on a thread of the cooperative pool.
    ///
    /// - Parameter completion: Receives the service or the refusal.
    public func service(_ completion: @escaping @Sendable (Result<Service, CaptureError>) -> Void) {
        Task {
            do throws(CaptureError) {
                completion(.success(try await service))
            } catch {
                completion(.failure(error))
            }
        }
    }

    /// State at this moment. A present service may have lost its authorization, which `service` checks.
    public var state: State { shared.state }

    /// Lets go of the service; until then it and the gatekeeper keep each other alive.
    public func release() { shared.release() }

    /// The present service, if it may be handed out now.
    private func usable() async -> Service? {
        guard let built = shared.built else { return nil }
        switch built.usage.state {
        case .running: return built.service
        case .ended: return nil
        // A service without a device: then the authorization itself must hold.
        case .notBegun: return await capability.comparedReport(in: gatekeeper).refusal == nil ? built.service : nil
        }
    }

    /// Waits with the others, and has it built if nobody does yet.
    private func pending() -> PendingService<Service> {
        let caller = WaitingCaller(shared)
        if caller.isFirst { build() }
        return PendingService(caller: caller)
    }

    /// Builds in a separate task, since it belongs to all who wait.
    private func build() {
        Task.detached { shared.end(await built(BuildService(AuthorizedFor(capability)))) }
    }

    private func built(_ operation: BuildService<Service>) async -> Result<SharedService<Service>.Built, CaptureError> {
        do throws(CaptureError) {
            return .success(try await GateQueue(gatekeeper: gatekeeper).run(operation))
        } catch {
            return .failure(error)
        }
    }
}

extension Result where Success: AuthorizedService, Failure == CaptureError {
    fileprivate var access: AuthorizedInstance<Success>.Access {
        switch self {
        case .success(let service): .granted(service)
        case .failure(let error): .denied(error)
        }
    }
}

/// A service that is waited for: a person is being asked, or it is being built.
///
/// *thread-safe*
public struct PendingService<Service: AuthorizedService>: Sendable {
    let caller: WaitingCaller<Service>

    /// Set until there is a service or a refusal.
    public var isWaiting: Bool { !caller.promise.isFulfilled }

    /// The service, when it is there.
    ///
    /// Cancelling the task ends this wait alone; the service is still built for all others, and can be awaited again.
    /// - Throws: The refusal, with what to do, or the error of the service's initializer.
    public var service: Service {
        get async throws(CaptureError) {
            let promise = caller.promise
            if promise.isFulfilled { return try await promise.value.get() }
            // A promise of this wait: the cancellation is nobody else's.
            let wait = Promise<Result<Service, CaptureError>>()
            return try await withTaskCancellationHandler {
                Task { wait.fulfil(await promise.value) }
                return await wait.value
            } onCancel: {
                wait.fulfil(.failure(.waitCancelled))
            }.get()
        }
    }
}

/// A caller that waits for a shared service, until nobody has it any more.
///
/// *thread-safe*
final class WaitingCaller<Service: AuthorizedService>: Sendable {
    let promise = Promise<Result<Service, CaptureError>>()
    /// Set for the one that is to have the service built.
    let isFirst: Bool
    private let shared: SharedService<Service>

    init(_ shared: SharedService<Service>) {
        self.shared = shared
        isFirst = shared.join(promise)
    }

    deinit {
        shared.leave(promise)
        // A wait that was cancelled may still hang on it.
        promise.fulfil(.failure(.waitCancelled))
    }
}

/// An operation that builds a service with a permit.
private struct BuildService<Service: AuthorizedService>: CaptureOperation {
    let authorization: AuthorizedFor<Service.Capable>
    /// True if nobody may be asked for it.
    private let isSilent: Bool
    var name: String { "Build(\(Service.self))" }

    init(_ authorization: AuthorizedFor<Service.Capable>, isSilent: Bool = false) {
        self.authorization = authorization
        self.isSilent = isSilent
    }

    var allConditions: [any OperationCondition] {
        isSilent ? [SilentCondition(authorization)] : [authorization]
    }

    func execute(
        with permit: consuming Permit, in context: OperationContext
    ) async throws(CaptureError) -> SharedService<Service>.Built {
        let usage = permit.state.usage
        return SharedService.Built(service: try await Service(opening: permit), usage: usage)
    }
}

/// A service shared by everybody who is authorized, such as a microphone that stays open.
///
/// Its initializer takes the permit, so that nobody else can build one.
///
/// *thread-safe*
public protocol AuthorizedService: AnyObject, Sendable {
    associatedtype Capable: DeviceCapability

    /// The capability that must be allowed if a request for the service names none.
    static var capability: Capable { get }

    /// Opens the devices; the permit is worth nothing after the return.
    init(opening permit: consuming Permit) async throws(CaptureError)
}

/// A shared service, and those who wait while it is built.
///
/// *thread-safe*
final class SharedService<Service: AuthorizedService>: Sendable {
    /// A service and the state of its captures.
    struct Built: Sendable {
        let service: Service
        /// State of the captures that it began.
        let usage: PermitUsage
    }

    private struct State {
        var built: Built?
        var waiting: [Promise<Result<Service, CaptureError>>] = []
        var isBuilding = false
    }

    private let current = Locked(State())

    var built: Built? { current.withLock { $0.built } }
    var isBuilding: Bool { current.withLock { $0.isBuilding } }

    var state: AuthorizedInstance<Service>.State {
        current.withLock { current in
            if current.isBuilding { return .waiting(current.waiting.count) }
            return current.built.map { .present($0.service) } ?? .absent
        }
    }

    /// Adds a waiting caller. True if that caller is to have the service built.
    func join(_ promise: Promise<Result<Service, CaptureError>>) -> Bool {
        current.withLock { state in
            state.waiting.append(promise)
            defer { state.isBuilding = true }
            return !state.isBuilding
        }
    }

    /// Takes a caller away that waits no more.
    func leave(_ promise: Promise<Result<Service, CaptureError>>) {
        current.withLock { state in state.waiting.removeAll { $0 === promise } }
    }

    /// Ends the building, with a service or an error, and wakes all who wait.
    func end(_ result: Result<Built, CaptureError>) {
        let waiting = current.withLock { state in
            state.built = try? result.get()
            state.isBuilding = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for promise in waiting { promise.fulfil(result.map(\.service)) }
    }

    func release() {
        // Released outside the lock: its deinit may call back here.
        let built = current.withLock { state in
            defer { state.built = nil }
            return state.built
        }
        withExtendedLifetime(built) {}
    }
}

extension Gatekeeper {
    /// Returns the shared instance of a service type: each gatekeeper has one.
    public func instance<Service: AuthorizedService>(
        of type: Service.Type = Service.self
    ) -> AuthorizedInstance<Service> {
        instance(of: type, for: type.capability)
    }

    /// Returns the shared instance of a service type for a capability, such as one microphone of several. Each gatekeeper has
    /// one for each device and level, for any purpose.
    /// - Parameters:
    ///   - type: the service.
    ///   - capability: the device, level and purpose; the permit that the service is made with is for these.
    public func instance<Service: AuthorizedService>(
        of type: Service.Type = Service.self, for capability: Service.Capable
    ) -> AuthorizedInstance<Service> {
        AuthorizedInstance(instances.shared(of: type, for: capability.requests), of: capability, in: self)
    }
}

/// The shared services of a gatekeeper, by their types and devices.
///
/// *thread-safe*
final class InstanceRegistry: Sendable {
    private struct Key: Hashable {
        let type: ObjectIdentifier
        let requests: [DeviceRequest]
    }

    private let instances = Locked<[Key: any Sendable]>([:])

    func shared<Service: AuthorizedService>(
        of type: Service.Type, for requests: [DeviceRequest]
    ) -> SharedService<Service> {
        instances.withLock { instances in
            let key = Key(type: ObjectIdentifier(type), requests: requests.map(\.withoutPurpose))
            if let known = instances[key] as? SharedService<Service> { return known }
            let new = SharedService<Service>()
            instances[key] = new
            return new
        }
    }
}

extension DeviceRequest {
    fileprivate var withoutPurpose: DeviceRequest {
        DeviceRequest(capability: capability, level: level, device: device, purpose: "", isShared: isShared)
    }
}

extension CaptureError {
    fileprivate static let waitCancelled = CaptureError(.cancelled, "The wait for the service was cancelled.")
}
