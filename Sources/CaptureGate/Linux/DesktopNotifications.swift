import Dispatch
import Gate
import LinuxSystem

/// Checks that the desktop's notification service answers on the session bus: `org.freedesktop.Notifications`,
/// GetServerInformation (Desktop Notifications Specification 1.2). It shows nothing. The bus can start the service for the
/// call, as for a notification.
///
/// *thread-safe*
public struct DesktopNotifications: NotificationService {
    /// Time that bus and service may take together.
    public let deadline: Duration
    private let environment: [String: String]

    private static let queue = DispatchQueue(label: "capturegate.notifications", attributes: .concurrent)
    private static let information = BusConnection.Method(
        destination: "org.freedesktop.Notifications", path: "/org/freedesktop/Notifications",
        interface: "org.freedesktop.Notifications", member: "GetServerInformation")

    public init(deadline: Duration = .seconds(3)) {
        self.init(deadline: deadline, environment: ProcessEnvironment.current)
    }

    init(deadline: Duration, environment: [String: String]) {
        self.deadline = deadline
        self.environment = environment
    }

    public func obstacle() async -> CaptureError? {
        guard let address = BusAddress.session(in: environment) else {
            return Self.failure(
                "there is no session bus (DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR)",
                "Start the program from a desktop session.")
        }
        let cancel: EventDescriptor
        do { cancel = try EventDescriptor.forWaiting() } catch { return error }
        let end = Deadline(after: deadline)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Self.queue.async {
                    continuation.resume(returning: Self.ask(address, until: end, cancel: cancel.descriptor))
                }
            }
        } onCancel: {
            cancel.signal()
        }
        return Self.obstacle(outcome)
    }

    private static func ask(_ address: String, until deadline: Deadline, cancel: Int32) -> BusConnection.Outcome {
        do {
            return try BusConnection(to: address).call(information, until: deadline, cancel: cancel).outcome
        } catch {
            return .broken(error)
        }
    }

    private static func obstacle(_ outcome: BusConnection.Outcome) -> CaptureError? {
        switch outcome {
        case .answered: nil
        case .refused("org.freedesktop.DBus.Error.ServiceUnknown", let errno),
            .refused("org.freedesktop.DBus.Error.NameHasNoOwner", let errno):
            failure("no notification service runs in this session", "Start one, such as dunst or the desktop's.", errno)
        case .refused(let name, let errno):
            failure("the notification service answered with the error \(name.visible)", "Restart it.", errno)
        case .timedOut: failure("the notification service did not answer in time", "Restart it.", .timedOut)
        case .cancelled: CaptureError(.cancelled, "The question to the notification service was cancelled.")
        case .broken(let errno):
            failure(
                "the session bus can't be reached (\(errno.text))",
                "Start the program from a desktop session.", errno)
        }
    }

    private static func failure(_ why: String, _ advice: String, _ errno: Errno? = nil) -> CaptureError {
        CaptureError(
            .unavailable, "Notifications can't be shown: \(why).", errno: errno?.number ?? 0,
            remedies: [Remedy(advice)])
    }
}

extension UserNotificationCondition {
    /// Satisfied where the desktop's notification service answers, by `DesktopNotifications`.
    public init() {
        self.init(DesktopNotifications())
    }
}
