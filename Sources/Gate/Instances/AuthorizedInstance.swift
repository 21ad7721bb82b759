import CaptureBase

/// Hands out one shared service, to whoever is authorized and to nobody else.
///
/// At once where it is granted, at once with the reason where it is denied, later where a person is being asked; however
/// many ask at one time, one question is put and each gets its answer. A service whose devices the gate has closed, or
/// whose authorization is gone, is not handed out again: the next one is built anew, if that is allowed.
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
    /// Cancelling the task ends the wait; the service is built all the same for those who wait with it.
    /// - Throws: the refusal, with what to do, or what the service's initializer threw.
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

    /// The same with a callback, called once, on a thread of the cooperative pool.
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

    /// How many wait while it is built.
    var waiting: Int { shared.waitingCount }

    /// The service there is, if it may be handed out now.
    private func usable() async -> Service? {
        guard let built = shared.built else { return nil }
        switch built.usage.state {
        case .running: return built.service
        case .ended: return nil
        // It holds no device: then the authorization itself must hold.
        case .notBegun: return await Service.capability.report(in: gatekeeper).refusal == nil ? built.service : nil
        }
    }

    /// In a task of its own: it belongs to all who wait.
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

/// Builds a service with a permit.
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
