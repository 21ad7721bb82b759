import CaptureBase

/// Finds out whether a host can be reached, without sending it anything; implemented where the network is known.
///
/// *thread-safe*
public protocol RouteFinder: Sendable {
    /// - Returns: `nil` if the host's name resolves and the kernel has a route to one of its addresses, else why not.
    func obstacle(to host: String) async -> CaptureError?
}

/// Satisfied where a host's name resolves and the kernel has a route to it. Nothing is sent to the host.
///
/// *thread-safe*
public struct ReachabilityCondition: OperationCondition {
    public let host: String
    private let routes: any RouteFinder

    public init(host: String, by routes: any RouteFinder) {
        self.host = host
        self.routes = routes
    }

    public var name: String { "Reachability(\(host))" }

    public func evaluate(in context: OperationContext) async -> ConditionResult {
        await routes.obstacle(to: host).map { .failed($0) } ?? .satisfied
    }
}
