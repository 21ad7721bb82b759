import CaptureGate
import LinuxSystem

/// The process at the other end of a connection, held so that its number can't become another one's.
///
/// User and program are read from the kernel, never from a message. A process can still borrow the path of another program of its
/// user (`PR_SET_MM_MAP`).
///
/// *thread-safe*
final class ClientIdentity: Sendable {
    /// Number of the process, which each of its messages must come from.
    let process: Int32
    /// User that it ran as when it connected.
    let user: UInt32
    private let handle: ProcessHandle
    /// Its start by the clock of /proc, which no other process of this number has.
    let startTicks: UInt64
    /// Program, unit and session at the last check; `nil` before the first.
    private let known = Locked<Subject?>(nil)

    /// Identifies the process that connected.
    ///
    /// - Parameter socket: one end of an accepted connection.
    /// - Throws: `.notAuthorized` if the kernel can't identify it, or the process has ended.
    init(of socket: borrowing some OpenFile & ~Copyable) throws(CaptureError) {
        do throws(Errno) {
            let peer = try PeerCredentials(of: socket)
            // A process outside of this namespace has no number here, and nothing could be read of it.
            guard peer.process > 0 else { throw .noSuchProcess }
            handle = try ClientIdentity.handle(of: peer, socket)
            (process, user) = (peer.process, peer.user)
        } catch {
            throw .unknownClient(error.text, errno: error.number)
        }
        guard let ticks = ProcessFile.startTicks(of: "\(process)"), !handle.hasEnded else {
            throw .unknownClient("it has ended")
        }
        startTicks = ticks
    }

    /// Takes ownership of a deputy's descriptor of the program that it captures for.
    ///
    /// - Parameters:
    ///   - raw: descriptor as it was sent.
    ///   - user: the deputy's user, which must also be the program's.
    /// - Throws: `.notAuthorized` if it is not a process, or one that has ended.
    init(owning raw: RawDescriptor, of user: UInt32) throws(CaptureError) {
        let found: Int32?
        do throws(Errno) {
            handle = try ProcessHandle(owning: raw)
            found = handle.process
        } catch {
            throw .unknownPrincipal(error.text, errno: error.number)
        }
        guard let found, let ticks = ProcessFile.startTicks(of: "\(found)"), !handle.hasEnded else {
            throw .unknownPrincipal("it has ended")
        }
        (process, self.user, startTicks) = (found, user, ticks)
    }

    /// The kernel's own reference to the process that connected. Before Linux 6.5, the process that has its number now, which is
    /// the same or can send nothing: each message contains the number of its sender.
    private static func handle(
        of peer: PeerCredentials, _ socket: borrowing some OpenFile & ~Copyable
    ) throws(Errno) -> ProcessHandle {
        do throws(Errno) {
            return try ProcessHandle(connectedTo: socket)
        } catch {
            guard error == .noProtocolOption else { throw error }
            return try ProcessHandle(process: peer.process)
        }
    }

    /// True once the process has ended.
    var hasEnded: Bool { handle.hasEnded }

    /// Can be read once the process has ended.
    var descriptor: Int32 { handle.descriptor.number }

    /// The program as it is now, read for each request that could give it anything.
    ///
    /// - Parameter files: program files that were read before: an unchanged one is not read again.
    /// - Throws: `.notAuthorized` if it can't be identified, and if program or user differ from the first check: the connection
    ///   was made for another program.
    func subject(known files: [Executable] = []) throws(CaptureError) -> Subject {
        let files = files + (known.withLock { $0 }.map { [$0.executable] } ?? [])
        let found = try ProcessSubject.of(process: process, known: files)
        // After the reading: while the process lives, all of it was of this process.
        guard ProcessFile.startTicks(of: "\(process)") == startTicks, !handle.hasEnded else {
            throw .unknownClient("it has ended")
        }
        guard found.userID == user else { throw .otherClient("runs as another user") }
        let isSame = known.withLock { known in
            let first = known ?? found
            known = first
            return first.executable == found.executable
        }
        guard isSame else { throw .otherClient("runs another program") }
        return found
    }
}

extension CaptureError {
    /// Refusal of a process that can't be identified.
    fileprivate static func unknownClient(_ reason: String, errno: Int32 = 0) -> CaptureError {
        CaptureError(
            .notAuthorized, "The process that connected can't be identified: \(reason).", errno: errno,
            remedies: [Remedy("Connect again, from a process on this machine that keeps running.")])
    }

    /// Refusal of a deputy whose program can't be identified.
    fileprivate static func unknownPrincipal(_ reason: String, errno: Int32 = 0) -> CaptureError {
        CaptureError(
            .notAuthorized, "The program that needs the capture can't be identified: \(reason).", errno: errno,
            remedies: [Remedy("Start that program again.")])
    }

    /// Refusal of a process that has become another one since it connected.
    fileprivate static func otherClient(_ change: String) -> CaptureError {
        CaptureError(
            .notAuthorized, "The process that connected now \(change).",
            remedies: [Remedy("Open a separate connection for each program.")])
    }
}
