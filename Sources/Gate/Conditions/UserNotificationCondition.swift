import CaptureBase

/// The desktop's way to tell a person something; implemented where the session bus is known.
///
/// *thread-safe*
public protocol NotificationService: Sendable {
    /// - Returns: `nil` if the service answers, else why not.
    func obstacle() async -> CaptureError?
}

/// Satisfied where a notification would reach a person: the desktop's notification service answers.
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
