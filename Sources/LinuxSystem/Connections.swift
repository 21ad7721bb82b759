import CSystem
import CaptureBase

/// One end of a connection between two programs of this machine, which carries whole messages with open files in them:
/// unix(7), SOCK_SEQPACKET.
///
/// No call waits. *thread-safe*
package struct MessageSocket: ~Copyable, OpenFile, Sendable {
    private let file: FileDescriptor

    package var number: Int32 { file.number }

    /// Takes ownership of a connected socket, such as an accepted one.
    ///
    /// - Throws: EINVAL if the kernel does not report the senders of its messages.
    package init(owning raw: RawDescriptor) throws(Errno) {
        let socket = FileDescriptor(owning: raw)
        try checked(cs_pass_senders(socket.number))
        file = socket
    }

    /// Connects to the program that listens at a path. The corresponding C functions are `socket` and `connect`.
    ///
    /// - Throws: ENOENT and ECONNREFUSED if no process listens, EACCES, EAGAIN if too many connections wait.
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

    /// Sends a whole message, or nothing. The corresponding C function is `sendmsg`.
    ///
    /// - Parameters:
    ///   - bytes: at least one.
    ///   - files: open files, of which the other end gets copies; at most 4.
    /// - Throws: EAGAIN if the other end does not read, EPIPE and ECONNRESET if it is gone.
    package func send(_ bytes: [UInt8], _ files: [RawDescriptor] = []) throws(Errno) {
        try checked(cs_message_send(number, bytes, bytes.count, files.map(\.number), Int32(files.count)))
    }

    /// Takes the next message. The corresponding C function is `recvmsg`.
    ///
    /// - Parameter most: maximum number of bytes; a longer message is cut.
    /// - Returns: `nil` at the end of the connection.
    /// - Throws: EAGAIN if there is no message.
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
    /// Process that sent it, by the kernel's word; 0 if it has no number here.
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

    /// Creates a socket at an unused path. The corresponding C functions are `socket`, `bind`, `chmod` and `listen`.
    ///
    /// - Parameters:
    ///   - path: at most 107 bytes.
    ///   - mode: permission bits; permission to write allows to connect.
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
    /// - Throws: EAGAIN if none exists, EMFILE if the process has no descriptor left.
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

    /// Process that has a number now. The corresponding C function is `pidfd_open`.
    ///
    /// - Throws: ESRCH if none exists.
    package init(process: Int32) throws(Errno) {
        file = FileDescriptor(owning: RawDescriptor(try checked(cs_pidfd_open(process))))
    }

    /// Takes ownership of another process's descriptor for a third process.
    ///
    /// - Throws: EBADF if it is anything else, or if this process can't check it; ESRCH if that process has ended, or has no
    ///   number here.
    package init(owning raw: RawDescriptor) throws(Errno) {
        let file = FileDescriptor(owning: raw)
        guard let process = Self.process(of: file.number) else { throw .badFileDescriptor }
        guard process > 0 else { throw .noSuchProcess }
        self.file = file
    }

    /// Number of the process; 0 or below if it has ended, or has none here; `nil` if /proc can't be read.
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

/// An IPv4 or IPv6 address.
///
/// *thread-safe*
package struct NetworkAddress: Sendable {
    private let address: cs_address

    /// The interface of a link-local IPv6 address; 0 for all others.
    package var interface: UInt32 { address.scope }

    /// The addresses of a host. The corresponding C function is `getaddrinfo`.
    ///
    /// - Parameters:
    ///   - host: a name, or an address in digits.
    ///   - isNumeric: accepts only addresses, and so never waits for name servers.
    /// - Throws: ENOENT if it has none, EAGAIN if no name server answered.
    package static func addresses(of host: String, isNumeric: Bool) throws(Errno) -> [NetworkAddress] {
        var found = [cs_address](repeating: cs_address(), count: 16)
        let count = try checked(cs_resolve(host, isNumeric ? 1 : 0, &found, found.count))
        guard count > 0 else { throw .noSuchFileOrDirectory }
        return found[..<Int(count)].map { NetworkAddress(address: $0) }
    }

    /// Checks the route of a datagram to this address; nothing is sent, and no neighbour is searched for.
    ///
    /// The corresponding C function is `connect` of a datagram socket.
    ///
    /// - Throws: the error of a datagram: ENETUNREACH without a route, EHOSTUNREACH, EACCES or EINVAL for a route of type
    ///   "unreachable", "prohibit" or "blackhole".
    package func checkRoute() throws(Errno) {
        var address = address
        try checked(cs_route_check(&address))
    }
}
