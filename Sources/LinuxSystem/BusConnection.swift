import CSystem

/// Calls to a D-Bus service, one after another, with a time limit that includes connecting.
///
/// The corresponding C functions are those of sd-bus(3): `sd_bus_open`, `sd_bus_call_async`. libsystemd is loaded with the
/// first connection.
///
/// *session-bound*: one thread at a time.
package struct BusConnection: ~Copyable {
    /// A method without arguments, or a property.
    package struct Method: Sendable {
        let destination: String
        let path: String
        let interface: String
        let member: String

        package init(destination: String, path: String, interface: String, member: String) {
            self.destination = destination
            self.path = path
            self.interface = interface
            self.member = member
        }
    }

    package enum Outcome: Hashable, Sendable {
        case answered
        /// The service or the bus replied with an error; its D-Bus name.
        case refused(name: String, Errno)
        case timedOut
        case cancelled
        /// The connection could not be made or broke.
        case broken(Errno)
    }

    private let bus: UnsafeMutableRawPointer

    /// Begins to connect; the first call waits for it.
    ///
    /// - Parameter address: a D-Bus server address, such as ``BusAddress`` gives.
    package init(to address: String) throws(Errno) {
        var opened: UnsafeMutableRawPointer?
        try checked(cs_bus_open(address, &opened))
        // The shim sets it unless it returns an error.
        guard let opened else { throw .noMemory }
        bus = opened
    }

    deinit { cs_bus_drop(bus) }

    /// Calls a method without arguments.
    ///
    /// - Parameters:
    ///   - method: method to call.
    ///   - deadline: for the connection and the answer together.
    ///   - cancel: a descriptor that becomes readable when the call is cancelled.
    package func call(_ method: Method, until deadline: Deadline, cancel: Int32) -> Outcome {
        let sent = cs_bus_call(bus, method.destination, method.path, method.interface, method.member)
        var number: Int64 = 0
        return outcome(sent, &number, until: deadline, cancel: cancel)
    }

    /// - Parameter sent: result of sending: 0 or more, or -errno.
    private func outcome(_ sent: Int32, _ number: inout Int64, until deadline: Deadline, cancel: Int32) -> Outcome {
        guard sent >= 0 else { return .broken(Errno(result: sent)) }
        var reply = cs_bus_reply()
        while true {
            let step = cs_bus_process(bus)
            if cs_bus_take_reply(bus, &reply) == 1 {
                number = reply.number
                return Self.outcome(of: reply)
            }
            if step < 0 { return .broken(Errno(result: step)) }
            if deadline.hasPassed { return .timedOut }
            if step == 0, let end = wait(until: deadline, cancel: cancel) { return end }
        }
    }

    /// - Returns: `nil` if the bus can continue.
    private func wait(until deadline: Deadline, cancel: Int32) -> Outcome? {
        let (descriptor, events, timeout) = (cs_bus_descriptor(bus), cs_bus_events(bus), cs_bus_timeout_ns(bus))
        guard descriptor >= 0, events >= 0, timeout >= 0 else {
            let worst: Int64 = [Int64(descriptor), Int64(events), timeout].min() ?? 0
            return .broken(Errno(Int32(clamping: -worst)))
        }
        var items = [
            PollItem(descriptor, PollEvents(rawValue: Int16(truncatingIfNeeded: events))), PollItem(cancel),
        ]
        do throws(Errno) {
            try Poll.wait(for: &items, until: deadline.earlier(of: Deadline(nanoseconds: timeout)))
        } catch {
            return .broken(error)
        }
        return items[1].isReady ? .cancelled : nil
    }

    private static func outcome(of reply: cs_bus_reply) -> Outcome {
        guard reply.error != 0 else { return .answered }
        return .refused(name: text(of: reply.name), Errno(reply.error))
    }
}

extension BusConnection {
    /// The value of a numeric property.
    ///
    /// - Returns: `nil` if no number arrives in time.
    package func number(_ property: Method, until deadline: Deadline) -> Int64? {
        let sent = cs_bus_get(bus, property.destination, property.path, property.interface, property.member)
        var number: Int64 = 0
        return outcome(sent, &number, until: deadline, cancel: -1) == .answered ? number : nil
    }

    /// Calls a method that takes a thread and a priority.
    package func call(_ method: Method, thread: Int32, priority: UInt32, until deadline: Deadline) -> Outcome {
        let sent = cs_bus_call_thread(
            bus, method.destination, method.path, method.interface, method.member, UInt64(clamping: thread), priority)
        var number: Int64 = 0
        return outcome(sent, &number, until: deadline, cancel: -1)
    }
}
/// The addresses of the two well-known buses.
///
/// Standard: D-Bus Specification 0.43 (2024), "Server Addresses" and "Well-known Message Bus Instances". *thread-safe*
package enum BusAddress {
    /// The bus of this user's session.
    ///
    /// - Returns: `nil` if there is none that may be used: only local sockets are. An address may also name a program to run or
    ///   a remote host.
    package static func session(in environment: [String: String]) -> String? {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return usable(address) }
        guard let directory = environment["XDG_RUNTIME_DIR"], directory.hasPrefix("/") else { return nil }
        return "unix:path=\(escaped(directory))/bus"
    }

    /// The bus of the machine.
    package static func system(in environment: [String: String]) -> String? {
        if let address = environment["DBUS_SYSTEM_BUS_ADDRESS"], !address.isEmpty { return usable(address) }
        return "unix:path=/run/dbus/system_bus_socket"
    }

    private static func usable(_ address: String) -> String? {
        let usable = address.split(separator: ";").filter { isLocal($0) }
        return usable.isEmpty ? nil : usable.joined(separator: ";")
    }

    private static func isLocal(_ address: Substring) -> Bool {
        address.hasPrefix("unix:path=") || address.hasPrefix("unix:abstract=")
    }

    /// Escapes bytes outside the specification's optionally-escaped set as `%` and two digits.
    private static func escaped(_ path: String) -> String {
        path.utf8.reduce(into: "") { text, byte in
            let scalar = UnicodeScalar(byte)
            if scalar.properties.isAlphabetic && scalar.isASCII || "-0123456789_/.*".unicodeScalars.contains(scalar) {
                text.unicodeScalars.append(scalar)
            } else {
                text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
    }
}
