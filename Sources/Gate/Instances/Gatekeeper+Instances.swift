import CaptureBase

extension Gatekeeper {
    /// The one place where a service of this type is handed out.
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
