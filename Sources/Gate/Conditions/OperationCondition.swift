import CaptureBase

/// A requirement that must hold before an operation executes.
///
/// *thread-safe*
public protocol OperationCondition: Sendable {
    /// Name in errors and logs; the type's name by default.
    var name: String { get }

    /// Categories of mutual exclusion: of two operations that share one, only one executes at a time. None by default.
    var exclusions: Set<String> { get }

    /// Operation to run before `evaluate` can be satisfied, such as a question. `nil`, the default: the condition asks
    /// nothing.
    ///
    /// It runs only if no condition that asks nothing has failed, and only where its outcome still matters.
    func dependency(in context: OperationContext) async -> (any GateOperation)?

    /// Evaluates the condition now. Must not ask anybody.
    func evaluate(in context: OperationContext) async -> ConditionResult
}

extension OperationCondition {
    public var name: String { String(describing: Self.self) }
    public var exclusions: Set<String> { [] }
    public func dependency(in context: OperationContext) async -> (any GateOperation)? { nil }
}

/// Result of a condition.
///
/// *thread-safe*
public enum ConditionResult: Hashable, Sendable {
    case satisfied
    case failed(CaptureError)

    public var isSatisfied: Bool { self == .satisfied }
}

/// Satisfied if a closure returns true.
///
/// *thread-safe*
public struct BlockCondition: OperationCondition {
    public let name: String
    private let block: @Sendable () async throws -> Bool

    /// - Parameters:
    ///   - name: Named by the error if the closure returns `false`.
    ///   - block: Runs for each evaluation; its error becomes the condition's.
    public init(_ name: String = "BlockCondition", _ block: @escaping @Sendable () async throws -> Bool) {
        self.name = name
        self.block = block
    }

    public func evaluate(in context: OperationContext) async -> ConditionResult {
        do {
            if try await block() { return .satisfied }
            return .failed(CaptureError(.conditionFailed, "The condition \"\(name)\" is not true."))
        } catch let error as CaptureError {
            return .failed(error)
        } catch {
            return .failed(CaptureError(.conditionFailed, "The condition \"\(name)\" could not be evaluated: \(error)"))
        }
    }
}

/// Lets one operation at a time execute among those with this condition and the same category. It is always satisfied.
///
/// Queues of one gatekeeper share their categories. An operation claims all of its categories at once, so that no two operations
/// can wait for each other.
///
/// Operations execute in the order in which they became ready, that is, when they were added and their dependencies had ended. An
/// operation keeps its place until its other conditions are evaluated, and later ones wait for it. There are exceptions.
/// Operations that an executing operation runs inside itself (`GateQueue.run`, `OperationContext.perform`, the children of a
/// group) come before all others. And later operations may overtake an operation, which keeps its place in the order,
///
/// *thread-safe*
public struct MutuallyExclusive<Category>: OperationCondition {
    public let exclusions: Set<String>

    /// - Parameters:
    ///   - category: Type that names the category.
    ///   - detail: Tells categories of one type apart, such as the id of a device.
    public init(_ category: Category.Type = Category.self, _ detail: String = "") {
        let type = String(reflecting: category)
        exclusions = [detail.isEmpty ? type : "\(type)(\(detail))"]
    }

    public var name: String { "MutuallyExclusive(\(exclusions.first ?? ""))" }

    public func evaluate(in context: OperationContext) async -> ConditionResult { .satisfied }
}

extension MutuallyExclusive where Category == Never {
    /// - Parameter category: Name of the category, such as that of an `AuthorizedFor`.
    public init(category: String) {
        exclusions = [category]
    }
}

/// Satisfied if no operation that this one waited for has failed or was cancelled. Operations that a condition ran
/// before its evaluation, such as a question, do not count.
///
/// *thread-safe*
public struct NoFailedDependenciesCondition: OperationCondition {
    /// True lets cancelled dependencies pass, which have not failed.
    public let ignoringCancelled: Bool

    public init(ignoringCancelled: Bool = false) {
        self.ignoringCancelled = ignoringCancelled
    }

    public var name: String { "NoFailedDependencies" }

    public func evaluate(in context: OperationContext) async -> ConditionResult {
        let errors = context.dependencies.compactMap(error)
        return CaptureError.conditions(errors).map { .failed($0) } ?? .satisfied
    }

    private func error(_ dependency: DependencyOutcome) -> CaptureError? {
        switch dependency.outcome {
        case .succeeded: nil
        // Also with an output: that may be a part of what it should be.
        case .cancelled, .cancelledWithOutput:
            ignoringCancelled ? nil : CaptureError(.cancelled, "The dependency \(dependency.name) was cancelled.")
        case .refused(let error): failure(dependency.name, error)
        case .failed(let error): failure(dependency.name, error)
        }
    }

    private func failure(_ name: String, _ error: any Error) -> CaptureError {
        guard let known = error as? CaptureError else {
            return CaptureError(.conditionFailed, "The dependency \(name) failed: \(error)")
        }
        return CaptureError(
            .conditionFailed, "The dependency \(name) failed: \(known.message)", remedies: known.remedies,
            underlying: [known])
    }
}

/// Checks the route to a host, without sending it anything; implemented where the network is known.
///
/// *thread-safe*
public protocol RouteFinder: Sendable {
    /// - Returns: `nil` if the host's name resolves and the kernel has a route to one of its addresses; otherwise the obstacle.
    func obstacle(to host: String) async -> CaptureError?
}

/// Satisfied if a host's name resolves and the kernel has a route to it. Nothing is sent to the host.
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

/// The desktop's service for notifications; implemented where the session bus is known.
///
/// *thread-safe*
public protocol NotificationService: Sendable {
    /// - Returns: `nil` if the service answers; otherwise the obstacle.
    func obstacle() async -> CaptureError?
}

/// Satisfied if a notification would reach a person: the desktop's notification service answers.
///
/// *thread-safe*
public struct UserNotificationCondition: OperationCondition {
    private let service: any NotificationService

    public init(_ service: any NotificationService) {
        self.service = service
    }

    public var name: String { "UserNotification" }

    public func evaluate(in context: OperationContext) async -> ConditionResult {
        await service.obstacle().map { .failed($0) } ?? .satisfied
    }
}

/// Address at which a program's server reaches this program with a push message.
///
/// Anybody who knows it can send messages, so it is a secret between the program and its server.
///
/// *thread-safe*
public struct PushEndpoint: Hashable, Sendable {
    /// URL that the server posts to.
    public let url: String
    /// Name of the service that brings the messages.
    public let distributor: String

    public init(url: String, distributor: String) {
        self.url = url
        self.distributor = distributor
    }
}

/// Registers this program for push messages; implemented where the session bus is known.
///
/// *thread-safe*
public protocol PushRegistrar: Sendable {
    /// - Returns: the endpoint, or the obstacle. No answer in time is an obstacle.
    func register() async -> Result<PushEndpoint, CaptureError>
}

/// Satisfied if a service of the desktop has registered this program for push messages and given it an endpoint.
///
/// It registers again for each evaluation, since an endpoint may change while the program does not run.
///
/// *thread-safe*
public struct RemoteNotificationCondition: OperationCondition {
    private let registrar: any PushRegistrar
    private let received: @Sendable (PushEndpoint) -> Void

    /// - Parameters:
    ///   - registrar: registers this program.
    ///   - received: gets the endpoint, before the operation executes.
    public init(
        by registrar: any PushRegistrar, received: @escaping @Sendable (PushEndpoint) -> Void = { _ in }
    ) {
        self.registrar = registrar
        self.received = received
    }

    public var name: String { "RemoteNotification" }

    public func evaluate(in context: OperationContext) async -> ConditionResult {
        switch await registrar.register() {
        case .success(let endpoint):
            received(endpoint)
            return .satisfied
        case .failure(let error): return .failed(error)
        }
    }
}
