import CSystem

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
        file = FileDescriptor(owning: RawDescriptor(try checked(cs_packet_socket())))
        try checked(cs_bind_path(file.number, path))
        try checked(cs_chmod(path, mode))
        try checked(cs_listen(file.number, ListeningSocket.backlog))
    }

    /// Takes a listening socket over, as systemd hands one to the service that it starts: sd_listen_fds(3).
    ///
    /// - Throws: ENOTSOCK if it is anything else.
    package init(owning raw: RawDescriptor) throws(Errno) {
        file = FileDescriptor(owning: raw)
        guard cs_is_packet_listener(raw.number) == 1 else { throw .notSocket }
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

    /// True once it has ended: until then the kernel gives its number to no other process.
    package var hasEnded: Bool { !Poll.wait(for: file.number, milliseconds: 0).isEmpty }
}
