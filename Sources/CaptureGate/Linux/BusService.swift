import Dispatch
import Gate
import LinuxSystem

/// A service on one of the two buses, and how its silence reads.
///
/// *thread-safe*
struct BusService: Sendable {
    enum Bus: Sendable {
        case session, system
    }

    typealias Body<Value> = @Sendable (borrowing BusConnection, Deadline, _ cancel: Int32) throws(CaptureError) -> Value

    let bus: Bus
    /// Environment at the process's start.
    let environment: [String: String]
    /// Sentence without its reason, such as "The position can't be known".
    let complaint: String
    /// Name for a sentence, such as "the location service".
    let name: String
    /// Sentence in the imperative for a machine that has no such service.
    let advice: String
    /// Sentence in the imperative for a service that runs, and does not answer.
    var adviceOfSilence = "Try again."

    private static let queue = DispatchQueue(label: "capturegate.bus", attributes: .concurrent)

    /// Connects, and runs blocking calls where they may block.
    ///
    /// - Parameter limit: time for the connection and all that follows.
    func run<Value: Sendable>(within limit: Duration, _ body: @escaping Body<Value>) async -> Result<
        Value, CaptureError
    > {
        guard let address else { return .failure(error("there is no \(bus) bus")) }
        let cancel: EventDescriptor
        do { cancel = try EventDescriptor.forWaiting() } catch { return .failure(error) }
        let end = Deadline(after: limit)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Self.queue.async {
                    continuation.resume(
                        returning: Result { () throws(CaptureError) in
                            try body(try connection(to: address), end, cancel.descriptor)
                        })
                }
            }
        } onCancel: {
            cancel.signal()
        }
    }

    private var address: String? {
        switch bus {
        case .session: BusAddress.session(in: environment)
        case .system: BusAddress.system(in: environment)
        }
    }

    private func connection(to address: String) throws(CaptureError) -> BusConnection {
        do throws(Errno) { return try BusConnection(to: address) } catch { throw self.error(.broken(error)) }
    }

    /// Calls a method.
    ///
    /// - Throws: the reason for which there is no answer.
    func call(
        _ method: BusConnection.Method, _ arguments: [BusValue] = [], on bus: borrowing BusConnection,
        until end: Deadline, cancel: Int32
    ) throws(CaptureError) -> BusMessage {
        let (outcome, answer) = bus.call(method, arguments, until: end, cancel: cancel)
        guard let answer else { throw error(outcome == .answered ? .broken(.invalidArgument) : outcome) }
        return answer
    }

    /// Collects signals from now on. Call it before the request that causes them, since one may arrive at once.
    func listen(
        to interface: String, _ members: String..., on bus: borrowing BusConnection
    ) throws(CaptureError) {
        do throws(Errno) {
            for member in members { try bus.listen(to: interface, member) }
        } catch {
            throw self.error(.broken(error))
        }
    }

    /// Waits for the first signal or call of a sender that means something.
    func first<Value>(
        from sender: String, on bus: borrowing BusConnection, until end: Deadline, cancel: Int32,
        _ meaning: (BusMessage) -> Value?
    ) throws(CaptureError) -> Value {
        do throws(BusConnection.Interruption) {
            return try bus.first(from: sender, until: end, cancel: cancel, meaning).get()
        } catch {
            throw self.error(error.outcome)
        }
    }

    /// Reason for which there is no answer, or no message.
    func error(_ outcome: BusConnection.Outcome) -> CaptureError {
        switch outcome {
        case .answered: error("\(name) sent an unexpected answer")
        case .refused(let name, let errno) where Self.missing.contains(name):
            error("\(self.name) does not run", errno)
        case .refused(Self.accessDenied, let errno):
            CaptureError(
                .notAuthorized, "\(complaint): \(name) does not allow it.", errno: errno.number,
                remedies: [Remedy("Allow it in the desktop's settings, then try again.")])
        case .refused(let name, let errno): error("\(self.name) answered with the error \(name.visible)", errno)
        case .timedOut:
            CaptureError(
                .timedOut, "\(complaint): \(name) did not answer in time.", errno: Errno.timedOut.number,
                remedies: [Remedy(adviceOfSilence)])
        case .cancelled: CaptureError(.cancelled, "The question to \(name) was cancelled.")
        case .broken(let errno): error("the \(bus) bus can't be reached (\(errno.text))", errno)
        }
    }

    func error(_ why: String, _ errno: Errno? = nil) -> CaptureError {
        CaptureError(.unavailable, "\(complaint): \(why).", errno: errno?.number ?? 0, remedies: [Remedy(advice)])
    }

    /// The D-Bus error of a service that refuses, or of a bus that does.
    static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
    /// The D-Bus errors of a service that lacks a method that its newer versions have.
    static let unknown: Set = [
        "org.freedesktop.DBus.Error.UnknownMethod", "org.freedesktop.DBus.Error.UnknownInterface",
        "org.freedesktop.DBus.Error.UnknownObject",
    ]
    private static let missing: Set = [
        "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
        "org.freedesktop.DBus.Error.Spawn.ServiceNotFound", "org.freedesktop.DBus.Error.Spawn.ExecFailed",
    ]
}

extension BusConnection.Method {
    /// A method of the bus itself.
    static func ofBus(_ member: String) -> BusConnection.Method {
        BusConnection.Method(
            destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
            member: member)
    }

    /// Method for reading and writing properties.
    static func ofProperties(_ member: String, at path: String, of destination: String) -> BusConnection.Method {
        BusConnection.Method(
            destination: destination, path: path, interface: "org.freedesktop.DBus.Properties", member: member)
    }
}
