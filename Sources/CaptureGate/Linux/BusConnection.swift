import CSystem

/// Calls to a service on a bus, one after another, bounded from the first step of connecting on.
struct BusConnection: ~Copyable {
    /// A method without arguments, or a property.
    struct Method: Sendable {
        let destination: String
        let path: String
        let interface: String
        let member: String
    }

    enum Outcome: Hashable, Sendable {
        case answered
        /// The service or the bus replied with an error; its D-Bus name.
        case refused(name: String, errno: Int32)
        case timedOut
        case cancelled
        /// The connection could not be made or broke.
        case broken(errno: Int32)
    }

    private let bus: UnsafeMutableRawPointer

    /// - Parameter address: a D-Bus server address.
    init(to address: String) throws(Errno) {
        var opened: UnsafeMutableRawPointer?
        let outcome = cs_bus_open(address, &opened)
        guard outcome >= 0, let opened else { throw Errno(-outcome) }
        bus = opened
    }

    deinit { cs_bus_drop(bus) }

    /// - Parameter cancel: a descriptor that turns readable when nobody waits any more.
    func call(_ method: Method, until deadline: Deadline, cancel: Int32) -> Outcome {
        let sent = cs_bus_call(bus, method.destination, method.path, method.interface, method.member)
        var number: Int64 = 0
        return outcome(sent, &number, until: deadline, cancel: cancel)
    }

    /// - Parameter sent: what sending said: 0 or more, or -errno.
    private func outcome(_ sent: Int32, _ number: inout Int64, until deadline: Deadline, cancel: Int32) -> Outcome {
        guard sent >= 0 else { return .broken(errno: -sent) }
        var reply = cs_bus_reply()
        while true {
            let step = cs_bus_process(bus)
            if cs_bus_take_reply(bus, &reply) == 1 {
                number = reply.number
                return Self.outcome(of: reply)
            }
            if step < 0 { return .broken(errno: -step) }
            if deadline.hasPassed { return .timedOut }
            if step == 0, let end = wait(until: deadline, cancel: cancel) { return end }
        }
    }

    /// - Returns: `nil` if the bus may go on.
    private func wait(until deadline: Deadline, cancel: Int32) -> Outcome? {
        let (descriptor, events, timeout) = (cs_bus_descriptor(bus), cs_bus_events(bus), cs_bus_timeout_ns(bus))
        guard descriptor >= 0, events >= 0, timeout >= 0 else {
            let worst: Int64 = [Int64(descriptor), Int64(events), timeout].min() ?? 0
            return .broken(errno: Int32(clamping: -worst))
        }
        var items = [
            cs_poll_item(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0),
            cs_poll_item(fd: cancel, events: Int16(CS_POLL_IN), revents: 0),
        ]
        let end = deadline.earlier(of: Deadline(nanoseconds: timeout))
        let ready = cs_poll_until(&items, items.count, end.nanoseconds)
        if ready < 0 { return .broken(errno: -ready) }
        return items[1].revents != 0 ? .cancelled : nil
    }

    private static func outcome(of reply: cs_bus_reply) -> Outcome {
        guard reply.error != 0 else { return .answered }
        let name = withUnsafeBytes(of: reply.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return .refused(name: name, errno: reply.error)
    }
}

extension BusConnection {
    /// The value of a property that is a number.
    ///
    /// - Returns: `nil` where nobody answers with one in time.
    func number(_ property: Method, until deadline: Deadline) -> Int64? {
        let sent = cs_bus_get(bus, property.destination, property.path, property.interface, property.member)
        var number: Int64 = 0
        return outcome(sent, &number, until: deadline, cancel: -1) == .answered ? number : nil
    }

    /// Calls a method that takes a thread and a priority.
    func call(_ method: Method, thread: Int32, priority: UInt32, until deadline: Deadline) -> Outcome {
        let sent = cs_bus_call_thread(
            bus, method.destination, method.path, method.interface, method.member, UInt64(clamping: thread), priority)
        var number: Int64 = 0
        return outcome(sent, &number, until: deadline, cancel: -1)
    }
}
