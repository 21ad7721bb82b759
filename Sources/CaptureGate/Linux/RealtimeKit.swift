import CaptureRealtime
import LinuxSystem

/// rtkit on the system bus: `org.freedesktop.RealtimeKit1`, MakeThreadRealtime. It gives SCHED_RR to threads of programs
/// that have no privilege, provided that their RLIMIT_RTTIME ends a thread that never waits.
///
/// *thread-safe*
package struct RealtimeKit: RealtimeBroker {
    /// Time that bus and service may take together: a capture begins so much later at the worst.
    let deadline: Duration
    private let environment: [String: String]

    package init(deadline: Duration = .seconds(2), environment: [String: String] = ProcessEnvironment.current) {
        self.deadline = deadline
        self.environment = environment
    }

    package func raise(thread: Int32, to priority: Int32) -> Int32 {
        guard let address = BusAddress.system(in: environment) else { return -Errno.noSuchFileOrDirectory.number }
        let end = Deadline(after: deadline)
        do throws(Errno) {
            let bus = try BusConnection(to: address)
            return ask(bus, thread, priority, until: end)
        } catch {
            return -error.number
        }
    }

    /// Asks rtkit, which refuses a priority beyond its limit, and a thread without a time limit.
    private func ask(
        _ bus: borrowing BusConnection, _ thread: Int32, _ priority: Int32, until end: Deadline
    ) -> Int32 {
        guard let most = bus.number(Self.named("MaxRealtimePriority"), until: end), most > 0,
            let time = bus.number(Self.named("RTTimeUSecMax"), until: end), time > 0
        else { return -Errno.notSupported.number }
        do throws(Errno) {
            try ProcessStart.lowerRealtimeLimit(to: time)
        } catch {
            return -error.number
        }
        let level = UInt32(clamping: min(most, Int64(priority)))
        switch bus.call(Self.named("MakeThreadRealtime"), thread: thread, priority: level, until: end) {
        case .answered: return 0
        case .refused(_, let errno), .broken(let errno): return -errno.number
        case .timedOut, .cancelled: return -Errno.timedOut.number
        }
    }

    private static func named(_ member: String) -> BusConnection.Method {
        BusConnection.Method(
            destination: "org.freedesktop.RealtimeKit1", path: "/org/freedesktop/RealtimeKit1",
            interface: "org.freedesktop.RealtimeKit1", member: member)
    }
}
