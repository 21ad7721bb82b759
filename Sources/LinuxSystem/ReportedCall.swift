import CSystem
import CaptureBase

/// A system call that a filter reported: its thread waits for one of the answers of ``CallListener``.
///
/// Pointers among the arguments lead to memory that other threads may change at any time.
package struct ReportedCall: Sendable {
    fileprivate let raw: cs_reported_call

    /// Id of the calling thread.
    package var thread: Int32 { Int32(bitPattern: raw.thread) }
    /// The call, if it is one that filters know by name.
    package let call: SystemCall?

    package init() {
        raw = cs_reported_call()
        call = nil
    }

    fileprivate init(_ raw: cs_reported_call) {
        self.raw = raw
        call = Self.names[raw.number]
    }

    package subscript(argument: Int) -> UInt64 {
        switch argument {
        case 0: raw.arguments.0
        case 1: raw.arguments.1
        case 2: raw.arguments.2
        case 3: raw.arguments.3
        case 4: raw.arguments.4
        default: raw.arguments.5
        }
    }

    private static let names: [Int32: SystemCall] = .init(
        SystemCall.allCases.compactMap { call in call.number.map { ($0, call) } }, uniquingKeysWith: { one, _ in one })
}

/// Receives the calls that a filter reports, and answers them.
///
/// Standard: seccomp_unotify(2). *thread-safe*: several threads may receive at once.
package final class CallListener: Sendable {
    private let file: RawDescriptor

    /// True if this kernel can report calls.
    package static var isSupported: Bool { cs_reports_calls() == 1 }

    /// - Parameter file: is closed with the listener; calls that wait then, and later ones, fail with ENOSYS.
    package init(owning file: RawDescriptor) {
        self.file = file
        // The program waits meanwhile: its processor is free, and warm. Older kernels wake whichever they like.
        _ = cs_report_on_same_processor(file.number)
    }

    deinit { file.close() }

    /// Waits for a call.
    ///
    /// - Returns: `nil` when no process is left that could make one, or `cancel` became readable.
    package func next(cancel: Int32) -> ReportedCall? {
        while true {
            var items = [PollItem(file.number), PollItem(cancel)]
            guard (try? Poll.wait(for: &items, until: .never)) != nil, !items[1].isReady else { return nil }
            guard items[0].found.contains(.input) else { return nil }
            var raw = cs_reported_call()
            let result = cs_report_receive(file.number, &raw)
            if result == 0 { return ReportedCall(raw) }
            // The thread was killed, or another thread was quicker.
            guard result == -ENOENT || result == -EINTR || result == -EAGAIN else { return nil }
        }
    }

    /// True while the thread waits: data that was read from its process by id is then valid.
    package func isWaiting(_ call: ReportedCall) -> Bool { cs_report_is_valid(file.number, call.raw.id) == 0 }

    /// Lets the call fail.
    package func fail(_ call: ReportedCall, _ errno: Errno) {
        _ = cs_report_answer(file.number, call.raw.id, 0, errno.number)
    }

    /// Lets the call return a number.
    package func finish(_ call: ReportedCall, _ value: Int64 = 0) {
        _ = cs_report_answer(file.number, call.raw.id, value, 0)
    }

    /// Lets the kernel make the call itself, with its arguments as they are at that time: never use it after a check that matters.
    package func passOn(_ call: ReportedCall) { _ = cs_report_continue(file.number, call.raw.id) }

    /// Lets the call return a new descriptor of an open file.
    ///
    /// - Returns: false if the thread is gone, or has no room for one: it then fails with EMFILE.
    package func hand(
        _ file: borrowing some OpenFile & ~Copyable, to call: ReportedCall, closesOnExec: Bool
    ) -> Bool {
        let result = cs_report_inject(self.file.number, call.raw.id, file.number, closesOnExec ? 1 : 0)
        if result < 0 { fail(call, result == -ENOENT ? .noSuchProcess : Errno(result: result)) }
        return result >= 0
    }
}

/// Memory of another process, as its tracer may see it.
///
/// The corresponding C functions are `process_vm_readv` and `process_vm_writev`. *thread-safe*
package struct RemoteMemory: Sendable {
    private let id: Int32

    /// - Parameter thread: one of its threads, valid while it is known to live.
    package init(ofThread thread: Int32) { id = thread }

    /// Reads some of it.
    ///
    /// - Throws: EFAULT if not all of it is there.
    package func bytes(at address: UInt64, count: Int) throws(Errno) -> [UInt8] {
        guard count > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        let length = try checked(cs_memory_read(id, address, &bytes, count))
        guard length == count else { throw .badAddress }
        return bytes
    }

    /// Changes some of it.
    package func write(_ bytes: [UInt8], at address: UInt64) throws(Errno) {
        guard !bytes.isEmpty else { return }
        guard try checked(cs_memory_write(id, address, bytes, bytes.count)) == bytes.count else { throw .badAddress }
    }

    /// Reads a path that ends with a NUL, at most PATH_MAX bytes with it.
    ///
    /// - Throws: EFAULT, or ENAMETOOLONG.
    package func path(at address: UInt64) throws(Errno) -> String {
        var path: [UInt8] = []
        while path.count < Self.longestPath {
            // Most are short, and the memory after the end of a page may not exist.
            let start = address &+ UInt64(path.count)
            let piece = try bytes(at: start, count: min(Self.longestPath - path.count, 256 - Int(start % 256)))
            if let end = piece.firstIndex(of: 0) { return String(decoding: path + piece[..<end], as: UTF8.self) }
            path += piece
        }
        throw .fileNameTooLong
    }

    private static let longestPath = 4096
}

/// Another process, as its tracer may see it.
///
/// *thread-safe*
package struct RemoteProcess: ~Copyable, Sendable {
    private let file: FileDescriptor
    /// Valid while the process lives.
    package let memory: RemoteMemory

    /// Opens a process by the id of one of its threads.
    ///
    /// The corresponding C function is `pidfd_open`, with PIDFD_THREAD if the kernel has it (Linux 6.9), otherwise for the
    /// thread's process.
    package init(thread: Int32) throws(Errno) {
        var number = cs_pidfd_open_thread(thread)
        if number == -EINVAL || number == -ENOENT {
            number = cs_pidfd_open(ProcessFile.processID(ofThread: thread) ?? thread)
        }
        file = FileDescriptor(owning: RawDescriptor(try checked(number)))
        memory = RemoteMemory(ofThread: thread)
    }

    /// Duplicates one of its descriptors: the same open file. The corresponding C function is `pidfd_getfd`.
    package borrowing func descriptor(_ number: Int32) throws(Errno) -> FileDescriptor {
        FileDescriptor(owning: RawDescriptor(try checked(cs_pidfd_getfd(file.number, number))))
    }
}

/// Calls that a supervisor makes in place of another process.
package enum ProxyCall {
    /// Opens a place without a right to its contents. Symbolic links are followed, those of /proc that lead to descriptors are
    /// not. The corresponding C function is `openat2`.
    ///
    /// - Parameters:
    ///   - path: absolute, or relative to `folder`.
    ///   - followsLinks: false if the last name must not be a link.
    ///   - onlyCached: fails with EAGAIN rather than wait for a disk, a network or a process.
    package static func place(
        _ path: String, in folder: borrowing some OpenFile & ~Copyable, followsLinks: Bool, onlyCached: Bool
    ) throws(Errno) -> FileDescriptor {
        try place(path, from: folder.number, followsLinks: followsLinks, onlyCached: onlyCached)
    }

    /// Place of an absolute path, which begins in no directory.
    package static func place(
        absolute path: String, followsLinks: Bool, onlyCached: Bool
    ) throws(Errno) -> FileDescriptor {
        guard path.hasPrefix("/") else { throw .noSuchFileOrDirectory }
        return try place(path, from: AT_FDCWD, followsLinks: followsLinks, onlyCached: onlyCached)
    }

    private static func place(
        _ path: String, from folder: Int32, followsLinks: Bool, onlyCached: Bool
    ) throws(Errno) -> FileDescriptor {
        let flags = UInt64(CS_OPEN_PATH) | (followsLinks ? 0 : UInt64(O_NOFOLLOW))
        let resolve = UInt64(CS_RESOLVE_NO_MAGIC_LINKS) | (onlyCached ? UInt64(CS_RESOLVE_CACHED) : 0)
        return FileDescriptor(
            owning: RawDescriptor(try checked(cs_openat2(folder, path, flags, resolve))))
    }

    /// Opens the file at a place. It does not wait: a device in use fails with EBUSY.
    ///
    /// - Parameter flags: flags of open(2) as the other process gave them.
    package static func open(
        _ place: borrowing FileDescriptor, flags: Int32
    ) throws(Errno) -> FileDescriptor {
        let kept = flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC) | O_NONBLOCK | O_NOCTTY
        var number = cs_open("/proc/self/fd/\(place.number)", kept, 0)
        if number == -EAGAIN { number = -EBUSY }
        let file = FileDescriptor(owning: RawDescriptor(try checked(number)))
        if flags & O_NONBLOCK == 0 { try checked(cs_set_nonblocking(file.number, 0)) }
        return file
    }

    /// The corresponding C function is `ioctl`.
    ///
    /// - Parameters:
    ///   - file: the open device.
    ///   - request: its number.
    ///   - argument: is read and written as the request says.
    /// - Returns: the call's result.
    package static func control(
        _ file: borrowing some OpenFile & ~Copyable, _ request: UInt32, _ argument: inout [UInt8]
    ) throws(Errno) -> Int64 {
        let number = file.number
        let result = argument.withUnsafeMutableBytes { cs_ioctl(number, request, $0.baseAddress) }
        return Int64(try checked(result))
    }

    /// The same with a number, for requests that carry no struct.
    package static func control(
        _ file: borrowing some OpenFile & ~Copyable, _ request: UInt32, number: UInt64 = 0
    ) throws(Errno) -> Int64 {
        let argument = UnsafeMutableRawPointer(bitPattern: UInt(number))
        return Int64(try checked(cs_ioctl(file.number, request, argument)))
    }

    /// The corresponding C function is `connect`.
    package static func connect(
        _ socket: borrowing some OpenFile & ~Copyable, to address: [UInt8]
    ) throws(Errno) {
        try checked(cs_connect(socket.number, address, UInt32(address.count)))
    }
}

/// Kind of a socket, as a supervisor must know it.
package struct SocketKind: Sendable {
    package let domain: Int32
    package let type: Int32

    /// - Throws: ENOTSOCK.
    package init(of file: borrowing some OpenFile & ~Copyable) throws(Errno) {
        domain = try checked(cs_socket_domain(file.number))
        type = try checked(cs_socket_type(file.number))
    }

    /// Process that listens at a Unix address, found by a connection that is closed again.
    ///
    /// - Throws: ECONNREFUSED, EAGAIN if its queue is full, and whatever else connect(2) says.
    package func listener(at address: [UInt8]) throws(Errno) -> Listener {
        let own = FileDescriptor(owning: RawDescriptor(try checked(cs_socket(domain, type))))
        try ProxyCall.connect(own, to: address)
        var path = [CChar](repeating: 0, count: 109)
        let length = try checked(cs_peer_path(own.number, &path, path.count))
        return Listener(
            path: String(decoding: path.prefix(Int(length)).map { UInt8(bitPattern: $0) }, as: UTF8.self),
            process: try? checked(cs_peer_process(own.number)))
    }

    /// Process that listens at a Unix address.
    package struct Listener: Sendable {
        /// Path that the socket was bound to, which a link or a new name does not change; empty if it has none.
        package let path: String
        /// The process, unless it has ended.
        package let process: Int32?
    }

    /// True if a message that waits in a Unix socket has open files in it.
    package static func carriesFiles(_ descriptor: Int32) -> Bool { cs_carries_files(descriptor) == 1 }
}

/// Open files of other processes that are known without being kept open.
///
/// The kernel drops a file from it when nobody has it open or mapped any more: epoll(7).
///
/// *thread-safe*
package final class OpenFileRegister: Sendable {
    private let file: FileDescriptor

    package init() throws(Errno) {
        file = FileDescriptor(owning: RawDescriptor(try checked(cs_register_open())))
    }

    /// Notes an open file, known or not, with a mark.
    package func note(_ open: borrowing some OpenFile & ~Copyable, mark: UInt64) throws(Errno) {
        try checked(try Self.slot.get().note(open.number, in: file.number, mark: mark))
    }

    /// Marks of all files that are still open somewhere.
    ///
    /// - Throws: ENOENT if /proc can't be read.
    package func marks() throws(Errno) -> [UInt64] {
        guard let text = ProcessFile.text("/proc/self/fdinfo/\(file.number)", limit: 16 << 20) else {
            throw .noSuchFileOrDirectory
        }
        return text.split(separator: "\n").compactMap { entry in
            let words = entry.split(whereSeparator: { $0 == " " || $0 == "\t" })
            guard words.first == "tfd:", let place = words.firstIndex(of: "data:"), place + 1 < words.count else {
                return nil
            }
            return UInt64(words[place + 1], radix: 16)
        }
    }

    /// The number under which all files are noted: the kernel tells two of one number apart by the file alone.
    private final class Slot: Sendable {
        private let turn = Locked(())
        private let reserved: FileDescriptor
        private let rest: FileDescriptor

        init() throws(Errno) {
            rest = try FileDescriptor(opening: "/dev/null", .readOnly)
            reserved = try FileDescriptor(opening: "/dev/null", .readOnly)
        }

        func note(_ file: Int32, in register: Int32, mark: UInt64) -> Int32 {
            turn.withLock { _ in cs_register_note(register, file, mark, reserved.number, rest.number) }
        }
    }

    private static let slot = Result { () throws(Errno) in try Slot() }
}

/// Domains of sockets: bits/socket.h.
package enum SocketAddress {
    package static let unixDomain = Int32(AF_UNIX)
    package static let internetDomain = Int32(AF_INET)
    package static let internet6Domain = Int32(AF_INET6)
}

/// Signals to other processes.
package enum ProcessSignal {
    /// The corresponding C function is `kill`.
    package static func send(_ number: Int32, to process: Int32) { _ = cs_kill(process, number) }

    /// Makes this process the parent of orphans among its descendants. The corresponding C function is `prctl` with
    /// PR_SET_CHILD_SUBREAPER.
    package static func adoptOrphans() throws(Errno) { try checked(cs_adopt_orphans()) }

    /// SIGKILL.
    private static let killing: Int32 = 9

    /// Ends all descendants of this process, which adopts orphans, until no child is left.
    package static func endDescendants() {
        // Only children: the id of one can't be another process's before this one has looked at its end.
        while let children = ProcessFile.children()[cs_getpid()] {
            var ending = cs_ending()
            for child in children {
                _ = cs_kill(child, killing)
                _ = cs_wait(child, 0, &ending)
            }
            Poll.pause(milliseconds: 1)
        }
    }
}
