import CaptureBase

/// One shared service for everybody who is authorized, and for nobody else.
///
/// It is handed out at once where it is granted, refused at once with the reason where it is denied, and later where a
/// person is being asked; however many ask at one time, one question is put and each gets its answer. A service whose
/// devices the gate has closed, or whose authorization is gone, is not handed out again: the next one is built anew, if
/// that is allowed.
///
/// *thread-safe*
public struct AuthorizedInstance<Service: AuthorizedService>: Sendable {
    private let gatekeeper: Gatekeeper
    private let shared: SharedService<Service>

    init(_ shared: SharedService<Service>, in gatekeeper: Gatekeeper) {
        self.shared = shared
        self.gatekeeper = gatekeeper
    }

    /// The service, built if there is none.
    ///
    /// Cancelling the task ends the wait; the service is still built for the others who wait.
    /// - Throws: The refusal, with what to do, or the error of the service's initializer.
    public var service: Service {
        get async throws(CaptureError) {
            if let usable = await usable() { return usable }
            let promise = Promise<Result<Service, CaptureError>>()
            if shared.join(promise) { build() }
            return try await withTaskCancellationHandler {
                await promise.value
            } onCancel: {
                promise.fulfil(.failure(CaptureError(.cancelled, "The wait for the service was cancelled.")))
            }.get()
        }
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

    /// Lets go of the service; until then it and the gatekeeper keep each other alive.
    public func release() { shared.release() }

    /// Number of those who wait while it is built.
    var waiting: Int { shared.waitingCount }

    /// The present service, if it may be handed out now.
    private func usable() async -> Service? {
        guard let built = shared.built else { return nil }
        switch built.usage.state {
        case .running: return built.service
        case .ended: return nil
        // A service without a device: then the authorization itself must hold.
        case .notBegun: return await Service.capability.report(in: gatekeeper).refusal == nil ? built.service : nil
        }
    }

    /// Builds in a task of its own: it belongs to all who wait.
    private func build() {
        Task.detached {
            let queue = GateQueue(gatekeeper: gatekeeper)
            do throws(CaptureError) {
                shared.end(.success(try await queue.run(BuildService<Service>())))
            } catch {
                shared.end(.failure(error))
            }
        }
    }
}

/// An operation that builds a service with a permit.
private struct BuildService<Service: AuthorizedService>: CaptureOperation {
    let authorization = AuthorizedFor(Service.capability)
    var name: String { "Build(\(Service.self))" }

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

    /// The capability that must be allowed.
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

    private let state = Locked(State())

    var built: Built? { state.withLock { $0.built } }

    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Adds a waiting caller. True if that caller is to build the service.
    func join(_ promise: Promise<Result<Service, CaptureError>>) -> Bool {
        state.withLock { state in
            state.waiting.append(promise)
            defer { state.isBuilding = true }
            return !state.isBuilding
        }
    }

    /// Ends the building, with a service or an error, and wakes all who wait.
    func end(_ result: Result<Built, CaptureError>) {
        let waiting = state.withLock { state in
            state.built = try? result.get()
            state.isBuilding = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for promise in waiting { promise.fulfil(result.map(\.service)) }
    }

    func release() {
        // Released outside the lock: its deinit may call back here.
        let built = state.withLock { state in
            defer { state.built = nil }
            return state.built
        }
        withExtendedLifetime(built) {}
    }
}

extension Gatekeeper {
    /// Returns the shared instance of a service type: each gatekeeper has one.
    public func instance<Service: AuthorizedService>(of type: Service.Type = Service.self) -> AuthorizedInstance<
        Service
    > {
        AuthorizedInstance(instances.shared(of: type), in: self)
    }
}

/// The shared services of a gatekeeper, by their types.
///
/// *thread-safe*
final class InstanceRegistry: Sendable {
    private let instances = Locked<[ObjectIdentifier: any Sendable]>([:])

    func shared<Service: AuthorizedService>(of type: Service.Type) -> SharedService<Service> {
        instances.withLock { instances in
            let key = ObjectIdentifier(type)
            if let known = instances[key] as? SharedService<Service> { return known }
            let new = SharedService<Service>()
            instances[key] = new
            return new
        }
    }
}
