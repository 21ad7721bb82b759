import CSystem
import CaptureBase

/// Calls to a D-Bus service, one after another, with a time limit that includes connecting.
///
/// The corresponding C functions are those of sd-bus(3): `sd_bus_open`, `sd_bus_call_async`. libsystemd is loaded with the
/// first connection.
///
/// *session-bound*: one thread at a time.
package struct BusConnection: ~Copyable {
    /// A method, or a property.
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

    /// Calls a method.
    ///
    /// - Parameters:
    ///   - method: method to call.
    ///   - arguments: in their order.
    ///   - deadline: for the connection and the answer together.
    ///   - cancel: a descriptor that becomes readable when the call is cancelled.
    /// - Returns: the outcome, and the answer if there is one.
    package func call(
        _ method: Method, _ arguments: [BusValue] = [], until deadline: Deadline, cancel: Int32
    ) -> (outcome: Outcome, answer: BusMessage?) {
        let outcome = outcome(of: send(method, arguments), until: deadline, cancel: cancel)
        return (outcome, outcome == .answered ? message() : nil)
    }

    /// - Returns: 0 or more, or -errno.
    private func send(_ method: Method, _ arguments: [BusValue]) -> Int32 {
        var sent = cs_bus_begin(bus, method.destination, method.path, method.interface, method.member)
        for argument in arguments where sent >= 0 { sent = append(argument) }
        return sent < 0 ? sent : cs_bus_send(bus)
    }

    private func outcome(of sent: Int32, until deadline: Deadline, cancel: Int32) -> Outcome {
        guard sent >= 0 else { return .broken(Errno(result: sent)) }
        var reply = cs_bus_reply()
        while true {
            let step = cs_bus_process(bus)
            if cs_bus_take_reply(bus, &reply) == 1 {
                return reply.error == 0 ? .answered : .refused(name: String(cString: reply.name), Errno(reply.error))
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

}

extension BusConnection {
    /// The value of a numeric property.
    ///
    /// - Returns: `nil` if no number arrives in time.
    package func number(_ property: Method, until deadline: Deadline) -> Int64? {
        let get = Method(
            destination: property.destination, path: property.path, interface: "org.freedesktop.DBus.Properties",
            member: "Get")
        let (outcome, answer) = call(
            get, [.text(property.interface), .text(property.member)], until: deadline, cancel: -1)
        return outcome == .answered ? answer?.values.first?.number ?? 0 : nil
    }

    /// Queries polkit whether a process may perform an action; a person may be asked meanwhile.
    ///
    /// - Parameters:
    ///   - action: polkit's name of the action.
    ///   - process: the process, with its start in clock ticks since the boot and its user.
    /// - Returns: false also without polkit, or without an answer in time.
    package func isAuthorized(
        _ action: String, process: (id: Int32, start: UInt64, user: UInt32), until deadline: Deadline
    ) -> Bool {
        let check = Method(
            destination: "org.freedesktop.PolicyKit1", path: "/org/freedesktop/PolicyKit1/Authority",
            interface: "org.freedesktop.PolicyKit1.Authority", member: "CheckAuthorization")
        let subject = BusValue.options([
            BusValue.Option("pid", .number(Int64(UInt32(clamping: process.id)))),
            BusValue.Option("start-time", .wide(process.start)),
            BusValue.Option("uid", .signed(Int32(clamping: process.user))),
        ])
        // The subject, the action, no details, 1: a person may be asked, and no name to cancel by.
        let arguments: [BusValue] = [
            .group([.text("unix-process"), subject]), .text(action), .entries([]), .number(1), .text(""),
        ]
        let (_, answer) = call(check, arguments, until: deadline, cancel: -1)
        // is_authorized, is_challenge and details.
        guard case .group(let result)? = answer?.values.first, result.count == 3 else { return false }
        return result[0] == .flag(true)
    }

    /// Calls a method that takes a thread and a priority.
    package func call(_ method: Method, thread: Int32, priority: UInt32, until deadline: Deadline) -> Outcome {
        call(method, [.wide(UInt64(clamping: thread)), .number(Int64(priority))], until: deadline, cancel: -1).outcome
    }

    /// Asks a person a question, by `Ask` of an agent's interface.
    ///
    /// - Parameters:
    ///   - choices: for each choice, a word for the answer and a label for the person.
    ///   - details: keys and values.
    /// - Returns: the outcome, and the word of the answer; empty if none exists.
    package func ask(
        _ agent: Method, title: String, lines: [String], choices: [(String, String)], details: [(String, String)],
        until deadline: Deadline, cancel: Int32
    ) -> (outcome: Outcome, word: String) {
        let ask = Method(
            destination: agent.destination, path: agent.path, interface: agent.interface, member: "Ask")
        let arguments: [BusValue] = [
            .text(title), .list(lines.map { .text($0) }), .pairs(choices.map { BusValue.Option($0, .text($1)) }),
            .entries(details.map { BusValue.Option($0, .text($1)) }),
        ]
        let (outcome, answer) = call(ask, arguments, until: deadline, cancel: cancel)
        return (outcome, answer?.values.first?.text ?? "")
    }
}

extension BusConnection {
    /// Asks the desktop's portal for its cameras; a person may be asked. Standard: org.freedesktop.portal.Camera, version 1.
    ///
    /// - Returns: the outcome of asking, and true if the person agreed.
    package func accessCamera(until deadline: Deadline, cancel: Int32) -> (outcome: Outcome, isAllowed: Bool) {
        do throws(Errno) {
            // Before the call: the answer may come at once. A false one opens nothing, which is the portal's to do.
            try listen(to: "org.freedesktop.portal.Request", "Response")
        } catch {
            return (.broken(error), false)
        }
        let options = BusValue.options([BusValue.Option("handle_token", .text("capturegate"))])
        let (called, answer) = call(Self.camera("AccessCamera"), [options], until: deadline, cancel: cancel)
        guard called == .answered, let portal = answer?.sender else { return (called, false) }
        return switch first(from: portal, until: deadline, cancel: cancel, { $0.values.first?.number }) {
        case .success(let response): (.answered, response == 0)
        case .failure(let interruption): (interruption.outcome, false)
        }
    }

    /// A connection to PipeWire that sees cameras alone, once ``accessCamera(until:cancel:)`` was allowed.
    ///
    /// - Returns: `nil` if the portal refuses it.
    package func cameraRemote(until deadline: Deadline) -> FileDescriptor? {
        let (called, _) = call(Self.camera("OpenPipeWireRemote"), [.options([])], until: deadline, cancel: -1)
        guard called == .answered else { return nil }
        let socket = cs_bus_first_file(bus)
        return socket >= 0 ? FileDescriptor(owning: RawDescriptor(socket)) : nil
    }

    private static func camera(_ member: String) -> Method {
        Method(
            destination: "org.freedesktop.portal.Desktop", path: "/org/freedesktop/portal/desktop",
            interface: "org.freedesktop.portal.Camera", member: member)
    }
}

extension BusConnection {
    /// Keeps signals from now on, of whichever sender, for ``first(from:until:cancel:_:)``.
    package func listen(to interface: String, _ member: String) throws(Errno) {
        try checked(cs_bus_listen(bus, interface, member))
    }

    /// Keeps calls to an object of this program from now on, and answers each with nothing.
    package func serve(_ path: String) throws(Errno) { try checked(cs_bus_serve(bus, path)) }

    /// Waits for the first signal or call that was kept, is from the expected sender and has a meaning. Those of other senders are
    /// ignored: anybody on the bus can send one with that name.
    ///
    /// - Parameter meaning: called with each of them; `nil` for one without a meaning.
    /// - Returns: the end of the wait, if none arrives.
    package func first<Value>(
        from sender: String, until deadline: Deadline, cancel: Int32, _ meaning: (BusMessage) -> Value?
    ) -> Result<Value, Interruption> {
        while true {
            if cs_bus_next(bus) == 1 {
                // Messages of other senders are not even read, since a message can be large.
                guard self.sender == sender, let message = message(), let value = meaning(message) else { continue }
                return .success(value)
            }
            let step = cs_bus_process(bus)
            if step < 0 { return .failure(Interruption(.broken(Errno(result: step)))) }
            if deadline.hasPassed { return .failure(Interruption(.timedOut)) }
            if step == 0, let end = wait(until: deadline, cancel: cancel) { return .failure(Interruption(end)) }
        }
    }

    /// End of a wait without a message.
    package struct Interruption: Error, Hashable, Sendable {
        /// `.timedOut`, `.cancelled` or `.broken`.
        package let outcome: Outcome

        init(_ outcome: Outcome) { self.outcome = outcome }
    }
}

// MARK: - Values

extension BusConnection {
    /// - Returns: 0 or more, or -errno.
    private func append(_ value: BusValue) -> Int32 {
        switch value {
        case .text(let text): cs_bus_append_text(bus, Self.type("s"), text)
        case .path(let path): cs_bus_append_text(bus, Self.type("o"), path)
        case .flag(let flag): cs_bus_append_number(bus, Self.type("b"), flag ? 1 : 0)
        case .number(let number): cs_bus_append_number(bus, Self.type("u"), number)
        case .signed(let number): cs_bus_append_number(bus, Self.type("i"), Int64(number))
        case .wide(let number): cs_bus_append_number(bus, Self.type("t"), Int64(bitPattern: number))
        case .list(let values): append(list: values)
        case .options(let options): append(options, as: "e", "sv") { append(variant: $0) }
        case .entries(let entries): append(entries, as: "e", "ss") { append($0) }
        case .pairs(let pairs): append(pairs, as: "r", "ss") { append($0) }
        case .variant(let value): append(variant: value)
        case .group(let values): append(group: values)
        case .real: -Errno.invalidArgument.number
        }
    }

    private func append(list values: [BusValue]) -> Int32 {
        var result = cs_bus_open_container(bus, Self.type("a"), "s")
        for value in values where result >= 0 { result = append(value) }
        return result < 0 ? result : cs_bus_close_container(bus)
    }

    /// An array of entries of a dictionary (`e`), or of structures of two (`r`).
    private func append(
        _ options: [BusValue.Option], as kind: Unicode.Scalar, _ contents: String, _ appendValue: (BusValue) -> Int32
    ) -> Int32 {
        var result = cs_bus_open_container(bus, Self.type("a"), kind == "e" ? "{\(contents)}" : "(\(contents))")
        for option in options where result >= 0 {
            result = cs_bus_open_container(bus, Self.type(kind), contents)
            if result >= 0 { result = cs_bus_append_text(bus, Self.type("s"), option.key) }
            if result >= 0 { result = appendValue(option.value) }
            if result >= 0 { result = cs_bus_close_container(bus) }
        }
        return result < 0 ? result : cs_bus_close_container(bus)
    }

    private func append(group values: [BusValue]) -> Int32 {
        var result = cs_bus_open_container(bus, Self.type("r"), values.map(\.signature).joined())
        for value in values where result >= 0 { result = append(value) }
        return result < 0 ? result : cs_bus_close_container(bus)
    }

    private func append(variant value: BusValue) -> Int32 {
        var result = cs_bus_open_container(bus, Self.type("v"), value.signature)
        if result >= 0 { result = append(value) }
        return result < 0 ? result : cs_bus_close_container(bus)
    }

    private static func type(_ letter: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: letter.value) }

    /// Sender of the message that is read; `nil` if none is.
    private var sender: String? {
        var head = cs_bus_head()
        return cs_bus_take_head(bus, &head) == 1 ? String(cString: head.sender) : nil
    }

    /// The message that is read, whole; `nil` if it can't be read to its end.
    private func message() -> BusMessage? {
        var head = cs_bus_head()
        guard cs_bus_take_head(bus, &head) == 1, let values = readAll(depth: 0) else { return nil }
        return BusMessage(
            sender: String(cString: head.sender), path: String(cString: head.path),
            interface: String(cString: head.interface), member: String(cString: head.member), values: values)
    }

    /// Values up to the end of the entered container. A message of the bus has at most 64 MiB, and containers nested at most 64
    /// deep.
    private func readAll(depth: Int) -> [BusValue]? {
        var values: [BusValue] = []
        while true {
            var (type, contents): (CChar, UnsafePointer<CChar>?) = (0, nil)
            let found = cs_bus_peek(bus, &type, &contents)
            if found == 0 { return values }
            guard found > 0, depth < 64, let value = read(type, contents.map { String(cString: $0) } ?? "", depth)
            else { return nil }
            values.append(value)
        }
    }

    private func read(_ type: CChar, _ contents: String, _ depth: Int) -> BusValue? {
        let letter = Character(Unicode.Scalar(UInt8(bitPattern: type)))
        switch letter {
        case "s", "o", "g":
            var start: UnsafePointer<CChar>?
            guard cs_bus_read_text(bus, type, &start) > 0, let start else { return nil }
            return letter == "s" ? .text(String(cString: start)) : .path(String(cString: start))
        case "a", "r", "v", "e":
            guard cs_bus_enter(bus, type, contents) > 0, let values = readAll(depth: depth + 1),
                cs_bus_leave(bus) >= 0
            else { return nil }
            return Self.value(letter, contents, values)
        case "h": return cs_bus_skip(bus, "h") >= 0 ? .group([]) : nil
        default:
            var (number, real): (Int64, Double) = (0, 0)
            guard cs_bus_read_number(bus, type, &number, &real) > 0 else { return nil }
            return letter == "b" ? .flag(number != 0) : letter == "d" ? .real(real) : .number(number)
        }
    }

    /// A variant is the value in it, and an entry of a dictionary a pair.
    private static func value(_ letter: Character, _ contents: String, _ values: [BusValue]) -> BusValue {
        switch (letter, contents) {
        case ("v", _): values.first ?? .group([])
        case ("a", "{sv}"):
            .options(
                values.compactMap { entry in
                    guard case .group(let pair) = entry, pair.count == 2, let key = pair[0].text else { return nil }
                    return BusValue.Option(key, pair[1])
                })
        case ("a", _): .list(values)
        default: .group(values)
        }
    }
}
