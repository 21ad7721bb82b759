import CSystem
import CaptureBase

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

    /// First value of an answer.
    package struct Answer: Hashable, Sendable {
        /// 0 where it is none.
        package var number: Int64
        /// Empty where it is none; at most 255 bytes.
        package var text: String

        package init(number: Int64 = 0, text: String = "") { (self.number, self.text) = (number, text) }
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
        var answer = Answer()
        let sent = cs_bus_call(bus, method.destination, method.path, method.interface, method.member)
        return outcome(sent, &answer, until: deadline, cancel: cancel)
    }

    /// - Parameter sent: result of sending: 0 or more, or -errno.
    private func outcome(_ sent: Int32, _ answer: inout Answer, until deadline: Deadline, cancel: Int32) -> Outcome {
        guard sent >= 0 else { return .broken(Errno(result: sent)) }
        var reply = cs_bus_reply()
        while true {
            let step = cs_bus_process(bus)
            if cs_bus_take_reply(bus, &reply) == 1 {
                answer = Answer(number: reply.number, text: text(of: reply.text))
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
        var answer = Answer()
        let sent = cs_bus_get(bus, property.destination, property.path, property.interface, property.member)
        return outcome(sent, &answer, until: deadline, cancel: -1) == .answered ? answer.number : nil
    }

    /// Asks polkit whether a process may do something; a person may be asked meanwhile.
    ///
    /// - Parameters:
    ///   - action: polkit's name of it.
    ///   - process: the process, with its start in clock ticks since the boot and its user.
    /// - Returns: false also where there is no polkit, or no answer in time.
    package func isAuthorized(
        _ action: String, process: (id: Int32, start: UInt64, user: UInt32), until deadline: Deadline
    ) -> Bool {
        let sent = cs_bus_check_authorization(
            bus, UInt32(clamping: process.id), process.start, Int32(clamping: process.user), action)
        var answer = Answer()
        return outcome(sent, &answer, until: deadline, cancel: -1) == .answered && answer.number == 1
    }

    /// Calls a method that takes a thread and a priority.
    package func call(_ method: Method, thread: Int32, priority: UInt32, until deadline: Deadline) -> Outcome {
        let sent = cs_bus_call_thread(
            bus, method.destination, method.path, method.interface, method.member, UInt64(clamping: thread), priority)
        var answer = Answer()
        return outcome(sent, &answer, until: deadline, cancel: -1)
    }

    /// Calls a method that takes a text.
    package func call(
        _ method: Method, _ text: String, _ answer: inout Answer, until deadline: Deadline, cancel: Int32
    ) -> Outcome {
        let sent = cs_bus_call_text(bus, method.destination, method.path, method.interface, method.member, text)
        return outcome(sent, &answer, until: deadline, cancel: cancel)
    }

    /// Puts a question to a person, by `Ask` of an agent's interface.
    ///
    /// - Parameters:
    ///   - choices: a word for the answer and a label for the person each.
    ///   - details: keys and values.
    package func ask(
        _ agent: Method, title: String, lines: [String], choices: [(String, String)], details: [(String, String)],
        _ answer: inout Answer, until deadline: Deadline, cancel: Int32
    ) -> Outcome {
        let sent = title.withCString { title in
            CStrings.with(lines) { lines in
                CStrings.with(choices.flatMap { [$0, $1] }) { choices in
                    CStrings.with(details.flatMap { [$0, $1] }) { details in
                        var question = cs_bus_question(
                            title: title, lines: lines, choices: choices, details: details)
                        return cs_bus_ask(bus, agent.destination, agent.path, agent.interface, &question)
                    }
                }
            }
        }
        return outcome(sent, &answer, until: deadline, cancel: cancel)
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

/// One end of a connection between two programs of this machine, which carries whole messages with open files in them:
/// unix(7), SOCK_SEQPACKET.
///
/// No call waits. *thread-safe*
package struct MessageSocket: ~Copyable, OpenFile, Sendable {
    private let file: FileDescriptor

    package var number: Int32 { file.number }

    /// Takes over a connected socket, such as an accepted one.
    ///
    /// - Throws: EINVAL if the kernel does not tell the senders of its messages.
    package init(owning raw: RawDescriptor) throws(Errno) {
        let socket = FileDescriptor(owning: raw)
        try checked(cs_pass_senders(socket.number))
        file = socket
    }

    /// Connects to the program that listens at a path. The corresponding C functions are `socket` and `connect`.
    ///
    /// - Throws: ENOENT and ECONNREFUSED where nobody listens, EACCES, EAGAIN where too many wait to be let in.
    package init(connectingTo path: String) throws(Errno) {
        let socket = FileDescriptor(
            owning: RawDescriptor(try checked(cs_socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue)))))
        // Before connecting: the first message says its sender, too.
        try checked(cs_pass_senders(socket.number))
        try checked(cs_connect_path(socket.number, path))
        file = socket
    }

    /// Both ends of a connection within this process. The corresponding C function is `socketpair`.
    package static func pair() throws(Errno) -> (RawDescriptor, RawDescriptor) {
        var ends: [Int32] = [-1, -1]
        try checked(cs_message_pair(&ends))
        return (RawDescriptor(ends[0]), RawDescriptor(ends[1]))
    }

    /// Sends a message, whole or not at all. The corresponding C function is `sendmsg`.
    ///
    /// - Parameters:
    ///   - bytes: 1 upwards.
    ///   - files: open files, whose copies the other end gets; 4 at most.
    /// - Throws: EAGAIN where the other end does not read, EPIPE and ECONNRESET where it is gone.
    package func send(_ bytes: [UInt8], _ files: [RawDescriptor] = []) throws(Errno) {
        try checked(cs_message_send(number, bytes, bytes.count, files.map(\.number), Int32(files.count)))
    }

    /// Takes the next message. The corresponding C function is `recvmsg`.
    ///
    /// - Parameter most: its most bytes; a longer one is cut.
    /// - Returns: `nil` at the end of the connection.
    /// - Throws: EAGAIN where there is none.
    package func receive(upTo most: Int) throws(Errno) -> ReceivedMessage? {
        var (raw, bytes) = (cs_message(), [UInt8](repeating: 0, count: most))
        try checked(cs_message_receive(number, &bytes, most, &raw))
        let all = [raw.files.0, raw.files.1, raw.files.2, raw.files.3]
        let files = ReceivedFiles(all.prefix(Int(raw.file_count)).map { RawDescriptor($0) })
        guard raw.length > 0 else { return nil }
        bytes.removeLast(most - min(most, raw.length))
        return ReceivedMessage(
            bytes: bytes, files: files, process: raw.process, user: raw.user, isCut: raw.is_cut != 0)
    }

    /// Ends the connection for both ends and all threads; what waits for it returns. The corresponding C function is
    /// `shutdown`.
    package func shutDown() { _ = cs_shut_down(number) }
}

/// A message as it arrived.
package struct ReceivedMessage: Sendable {
    package let bytes: [UInt8]
    /// The files that came with it.
    package let files: ReceivedFiles
    /// Process that sent it, by the kernel's word; 0 where it has no number here.
    package let process: Int32
    /// Its effective user.
    package let user: UInt32
    /// True if it had more bytes or files than there was room for.
    package let isCut: Bool
}

/// Open files that another program sent: those that nobody takes are closed.
///
/// *thread-safe*
package final class ReceivedFiles: Sendable {
    private let files: Locked<[RawDescriptor]>

    package init(_ files: [RawDescriptor] = []) {
        self.files = Locked(files)
    }

    /// Number of files that were not taken.
    package var count: Int { files.withLock { $0.count } }

    /// Takes all; the caller closes them from now on.
    package func take() -> [RawDescriptor] {
        files.withLock { files in
            defer { files = [] }
            return files
        }
    }

    deinit {
        for file in take() { file.close() }
    }
}

/// A socket in the file system to which programs of this machine connect, for whole messages: unix(7), SOCK_SEQPACKET.
///
/// *thread-safe*
package struct ListeningSocket: ~Copyable, OpenFile, Sendable {
    private let file: FileDescriptor

    package var number: Int32 { file.number }

    /// Makes a socket at a path where nothing is. The corresponding C functions are `socket`, `bind`, `chmod` and `listen`.
    ///
    /// - Parameters:
    ///   - path: at most 107 bytes.
    ///   - mode: the permission bits: writing is connecting.
    /// - Throws: EADDRINUSE if the name is taken.
    package init(at path: String, mode: UInt32) throws(Errno) {
        let socket = FileDescriptor(
            owning: RawDescriptor(try checked(cs_socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue)))))
        // Its connections have it from here: the first message says its sender, too.
        try checked(cs_pass_senders(socket.number))
        try checked(cs_bind_path(socket.number, path))
        try checked(cs_chmod(path, mode))
        try checked(cs_listen(socket.number, ListeningSocket.backlog))
        file = socket
    }

    /// Takes a listening socket over, as systemd hands one to the service that it starts: sd_listen_fds(3).
    ///
    /// - Throws: ENOTSOCK if it is anything else.
    package init(owning raw: RawDescriptor) throws(Errno) {
        let socket = FileDescriptor(owning: raw)
        guard cs_is_packet_listener(raw.number) == 1 else { throw .notSocket }
        try checked(cs_pass_senders(raw.number))
        file = socket
    }

    /// Takes the next connection, which never waits. The corresponding C function is `accept4`.
    ///
    /// - Throws: EAGAIN if there is none, EMFILE if the process has no descriptor left.
    package func accept() throws(Errno) -> FileDescriptor {
        FileDescriptor(owning: RawDescriptor(try checked(cs_accept(file.number))))
    }

    /// Connections that may wait to be taken.
    private static let backlog: Int32 = 128
}

/// The process at the other end of a connection, as it was when it connected: SO_PEERCRED of unix(7).
///
/// *thread-safe*
package struct PeerCredentials: Hashable, Sendable {
    /// 0 for a process that has no number here, as one outside of this process namespace.
    package let process: Int32
    package let user: UInt32
    package let group: UInt32

    /// Reads them. The corresponding C function is `getsockopt`.
    package init(of socket: borrowing some OpenFile & ~Copyable) throws(Errno) {
        var peer = cs_peer()
        try checked(cs_peer_credentials(socket.number, &peer))
        (process, user, group) = (peer.pid, peer.uid, peer.gid)
    }
}

/// A process that can't be taken for another one, whatever number it has: pidfd_open(2).
///
/// *thread-safe*
package struct ProcessHandle: ~Copyable, Sendable {
    private let file: FileDescriptor

    /// The process that connected. The corresponding C function is `getsockopt` with SO_PEERPIDFD.
    ///
    /// - Throws: ENOPROTOOPT before Linux 6.5.
    package init(connectedTo socket: borrowing some OpenFile & ~Copyable) throws(Errno) {
        file = FileDescriptor(owning: RawDescriptor(try checked(cs_peer_pidfd(socket.number))))
    }

    /// The process that has a number now. The corresponding C function is `pidfd_open`.
    ///
    /// - Throws: ESRCH if there is none.
    package init(process: Int32) throws(Errno) {
        file = FileDescriptor(owning: RawDescriptor(try checked(cs_pidfd_open(process))))
    }

    /// Takes over what another process has sent as its hold on a third one.
    ///
    /// - Throws: EBADF if it is anything else, or if this process can't tell; ESRCH if that process has ended, or has no number
    ///   here.
    package init(owning raw: RawDescriptor) throws(Errno) {
        let file = FileDescriptor(owning: raw)
        guard let process = Self.process(of: file.number) else { throw .badFileDescriptor }
        guard process > 0 else { throw .noSuchProcess }
        self.file = file
    }

    /// Number of the process; 0 or below where it has ended, or has none here; `nil` where /proc does not tell.
    package var process: Int32? { Self.process(of: file.number) }

    /// The descriptor, which stays this one's: to be sent, or to be watched, since it can be read from the process's end on.
    package var descriptor: RawDescriptor { RawDescriptor(file.number) }

    /// True once it has ended: until then the kernel gives its number to no other process.
    package var hasEnded: Bool { !Poll.wait(for: file.number, milliseconds: 0).isEmpty }

    /// The entry that no other kind of file has: proc(5), fdinfo.
    private static func process(of descriptor: Int32) -> Int32? {
        let entries = (ProcessFile.text("/proc/self/fdinfo/\(descriptor)") ?? "").split(separator: "\n")
        return entries.first { $0.hasPrefix("Pid:\t") }.flatMap { Int32($0.dropFirst(5)) }
    }
}
