import CSystem

/// Flags of open(2). O_CLOEXEC is always added.
package struct OpenFlags: OptionSet, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// O_RDONLY: the absence of the two bits that follow.
    package static let readOnly: OpenFlags = []
    /// O_WRONLY.
    package static let writeOnly = OpenFlags(rawValue: O_WRONLY)
    /// O_RDWR.
    package static let readWrite = OpenFlags(rawValue: O_RDWR)
    /// O_CREAT.
    package static let create = OpenFlags(rawValue: O_CREAT)
    /// O_EXCL: fails if the name is taken, even by a dangling link.
    package static let exclusive = OpenFlags(rawValue: O_EXCL)
    /// O_APPEND.
    package static let append = OpenFlags(rawValue: O_APPEND)
    /// O_NONBLOCK: neither opening (such as a pipe without a writer) nor reading waits.
    package static let nonBlocking = OpenFlags(rawValue: O_NONBLOCK)
    /// O_NOCTTY: a terminal does not become the process's controlling terminal.
    package static let noControllingTerminal = OpenFlags(rawValue: O_NOCTTY)
    /// O_NOFOLLOW: fails with ELOOP if the name is a symbolic link.
    package static let noFollow = OpenFlags(rawValue: O_NOFOLLOW)
    /// O_DIRECTORY: fails with ENOTDIR if the name is not a directory.
    package static let directory = OpenFlags(rawValue: O_DIRECTORY)
    /// O_CLOEXEC: for flags that another process gave.
    package static let closeOnExec = OpenFlags(rawValue: O_CLOEXEC)
    /// O_PATH: a place in the file system, without the right to read or write it.
    package static let pathOnly = OpenFlags(rawValue: Int32(CS_OPEN_PATH))
}

/// An open file, owned or not, and the calls on it.
///
/// *thread-safe*: the kernel allows these calls from several threads at once.
package protocol OpenFile: ~Copyable {
    /// The kernel's number.
    var number: Int32 { get }
}

/// A file descriptor that is closed with its owner.
///
/// Not copyable: closing a number twice closes a descriptor that somebody else has opened in between.
///
/// *thread-safe*
package struct FileDescriptor: OpenFile, ~Copyable, Sendable {
    private let raw: RawDescriptor

    /// The kernel's number, valid until the owner ends.
    package var number: Int32 { raw.number }

    /// Takes ownership of a descriptor, and closes it when the value ends.
    package init(owning raw: RawDescriptor) {
        self.raw = raw
    }

    /// Opens a file. The corresponding C function is `open`.
    ///
    /// - Parameters:
    ///   - path: absolute, or relative to the working directory.
    ///   - flags: flags of open(2).
    ///   - mode: the permission bits of a new file, less the process's umask.
    package init(opening path: String, _ flags: OpenFlags, mode: UInt32 = 0) throws(Errno) {
        raw = try RawDescriptor(opening: path, flags, mode: mode)
    }

    /// Makes a new descriptor for an open file. The corresponding C function is `fcntl` with F_DUPFD_CLOEXEC.
    package init(duplicating open: borrowing some OpenFile & ~Copyable) throws(Errno) {
        raw = RawDescriptor(try checked(cs_duplicate(open.number)))
    }

    deinit {
        // The result of close is useless here: a caller that needs certainty calls fsync first.
        raw.close()
    }

    /// Gives up ownership; from then on only the new owner closes the descriptor.
    package consuming func release() -> RawDescriptor {
        let raw = raw
        discard self
        return raw
    }
}

/// The number of an open file, without ownership: its holder decides when it is closed.
///
/// For descriptors that threads share and close by agreement, and for those that the process was given.
///
/// *thread-safe*
package struct RawDescriptor: OpenFile, Hashable, Sendable {
    /// The kernel's number; -1 for none, which every call refuses with EBADF.
    package let number: Int32

    package init(_ number: Int32) {
        self.number = number
    }

    /// None.
    package static let none = RawDescriptor(-1)
    /// STDOUT_FILENO.
    package static let standardOutput = RawDescriptor(1)
    /// STDERR_FILENO.
    package static let standardError = RawDescriptor(2)

    /// Opens a file. The corresponding C function is `open`.
    ///
    /// - Parameters:
    ///   - path: absolute, or relative to the working directory.
    ///   - flags: flags of open(2).
    ///   - mode: the permission bits of a new file, less the process's umask.
    package init(opening path: String, _ flags: OpenFlags, mode: UInt32 = 0) throws(Errno) {
        // Not the implicit conversion, which copies a long path: threads that may not allocate open files too.
        number = try checked(path.withCString { cs_open($0, flags.rawValue, mode) })
    }

    /// Closes the descriptor. The corresponding C function is `close`, never retried: Linux has closed the descriptor even if
    /// it reports EINTR.
    package func close() { _ = cs_close(number) }
}

extension OpenFile where Self: ~Copyable {
    /// Reads once, up to the size of the array. The corresponding C function is `read`.
    ///
    /// - Returns: number of bytes, 0 at the end.
    package func read(into bytes: inout [UInt8]) throws(Errno) -> Int {
        Int(try checked(cs_read(number, &bytes, bytes.count)))
    }

    /// Reads once from an offset, up to the size of the array. The corresponding C function is `pread`.
    ///
    /// - Parameters:
    ///   - bytes: destination.
    ///   - start: index of the first byte to fill.
    ///   - offset: bytes from the file's beginning; the descriptor's own offset is not moved.
    /// - Returns: number of bytes, 0 at the end.
    package func read(into bytes: inout [UInt8], from start: Int = 0, at offset: Int64) throws(Errno) -> Int {
        let count = bytes.withUnsafeMutableBytes { bytes in
            cs_pread(number, bytes.baseAddress.map { $0 + start }, bytes.count - start, offset)
        }
        return Int(try checked(count))
    }

    /// Reads to the end, or up to `limit` bytes. The corresponding C function is `read`.
    package func readToEnd(limit: Int) throws(Errno) -> [UInt8] {
        // Most files are short, and the kernel reports a size of 0 for its own. Unused capacity would cost page faults.
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while bytes.count < limit {
            let count = try read(into: &piece)
            if count == 0 { break }
            bytes += piece[..<min(count, limit - bytes.count)]
        }
        return bytes
    }

    /// Writes once. The corresponding C function is `write`.
    ///
    /// - Returns: number of bytes written, possibly fewer than given.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
        Int(try checked(cs_write(number, bytes.baseAddress, bytes.count)))
    }

    /// Writes once. The corresponding C function is `write`.
    ///
    /// - Returns: number of bytes written, possibly fewer than given.
    package func write(_ bytes: [UInt8]) throws(Errno) -> Int {
        Int(try checked(cs_write(number, bytes, bytes.count)))
    }

    /// Writes once at an offset; the descriptor's own is not moved. The corresponding C function is `pwrite`.
    ///
    /// - Parameters:
    ///   - bytes: bytes to write.
    ///   - offset: bytes from the file's beginning.
    /// - Returns: number of bytes written, possibly fewer than given.
    package func write(_ bytes: [UInt8], at offset: Int64) throws(Errno) -> Int {
        Int(try checked(cs_pwrite(number, bytes, bytes.count, offset)))
    }

    /// Moves the offset to a number of bytes from the file's beginning. The corresponding C function is `lseek`.
    package func seek(to offset: Int64) throws(Errno) { try checked(cs_lseek(number, offset, SEEK_SET)) }

    /// Truncates or extends the file to a length in bytes. The corresponding C function is `ftruncate`.
    package func truncate(to length: Int64) throws(Errno) { try checked(cs_ftruncate(number, length)) }

    /// Inserts zeros. Later data moves without being copied. The corresponding C function is `fallocate` with
    /// `FALLOC_FL_INSERT_RANGE`, which not every file system supports.
    /// - Parameters:
    ///   - count: bytes, whole blocks of the file system.
    ///   - offset: start of a block before the file's end.
    package func insertZeros(_ count: Int64, at offset: Int64) throws(Errno) {
        try checked(cs_insert_range(number, offset, count))
    }

    /// Returns once the disk has the data and all metadata of the file. The corresponding C function is `fsync`.
    package func sync() throws(Errno) { try checked(cs_fsync(number)) }

    /// Returns once the disk has the data, and the metadata needed to read it. The corresponding C function is `fdatasync`.
    package func syncData() throws(Errno) { try checked(cs_fdatasync(number)) }
}

/// Events of a descriptor, as in poll(2).
package struct PollEvents: OptionSet, Sendable {
    package let rawValue: Int16

    package init(rawValue: Int16) {
        self.rawValue = rawValue
    }

    /// POLLIN.
    package static let input = PollEvents(rawValue: Int16(CS_POLL_IN))
    /// POLLOUT.
    package static let output = PollEvents(rawValue: Int16(CS_POLL_OUT))
    /// POLLERR, POLLHUP and POLLNVAL, which are reported without being requested.
    package static let trouble = PollEvents(rawValue: Int16(CS_POLL_ERR | CS_POLL_HUP | CS_POLL_INVALID))
}

/// A descriptor to wait for.
package struct PollItem: Sendable {
    fileprivate var raw: cs_poll_item

    /// - Parameters:
    ///   - descriptor: -1 is ignored.
    ///   - events: events to wait for.
    package init(_ descriptor: Int32, _ events: PollEvents = .input) {
        raw = cs_poll_item(fd: descriptor, events: events.rawValue, revents: 0)
    }

    /// Events found at the last wait.
    package var found: PollEvents { PollEvents(rawValue: raw.revents) }

    /// True if any event was found at the last wait, including trouble.
    package var isReady: Bool { raw.revents != 0 }
}

/// Waiting for descriptors.
///
/// *thread-safe*
package enum Poll {
    /// Waits until an event or the deadline, even if interrupted. The corresponding C function is `ppoll`.
    ///
    /// - Returns: number of items with an event; 0 at the deadline.
    @discardableResult
    package static func wait(for items: inout [PollItem], until deadline: Deadline) throws(Errno) -> Int {
        let result = items.withUnsafeMutableBufferPointer { items in
            // One field of that type: both have the same layout.
            items.withMemoryRebound(to: cs_poll_item.self) {
                cs_poll_until($0.baseAddress, $0.count, deadline.nanoseconds)
            }
        }
        return Int(try checked(result))
    }

    /// Waits until an event or a timeout. The corresponding C function is `poll`; it starts again after an interruption.
    ///
    /// - Parameters:
    ///   - items: the descriptors.
    ///   - milliseconds: -1 waits forever.
    /// - Returns: number of items with an event; 0 at the timeout.
    @discardableResult
    package static func wait(for items: inout [PollItem], milliseconds: Int32) throws(Errno) -> Int {
        let result = items.withUnsafeMutableBufferPointer { items in
            items.withMemoryRebound(to: cs_poll_item.self) { cs_poll($0.baseAddress, $0.count, milliseconds) }
        }
        return Int(try checked(result))
    }

    /// Waits for one descriptor without allocating.
    ///
    /// - Parameters:
    ///   - descriptor: the descriptor.
    ///   - events: events to wait for.
    ///   - milliseconds: -1 waits for ever.
    /// - Returns: the events found, including trouble; none at the timeout, or if the wait failed.
    package static func wait(
        for descriptor: Int32, _ events: PollEvents = .input, milliseconds: Int32
    ) -> PollEvents {
        var item = cs_poll_item(fd: descriptor, events: events.rawValue, revents: 0)
        return cs_poll(&item, 1, milliseconds) > 0 ? PollEvents(rawValue: item.revents) : []
    }

    /// Lets the thread sleep.
    package static func pause(milliseconds: Int32) { _ = cs_poll(nil, 0, milliseconds) }
}

/// A kernel counter that polls readable once signalled: eventfd(2).
///
/// It lives as long as anybody refers to it, so that its number is never signalled after being reused.
///
/// *thread-safe*
package final class EventDescriptor: Sendable {
    /// The number to poll.
    package let descriptor: Int32

    /// Creates a counter. The corresponding C function is `eventfd`.
    ///
    /// - Throws: EMFILE if the process has no descriptor left.
    package init() throws(Errno) {
        descriptor = try checked(cs_eventfd(0))
    }

    deinit { _ = cs_close(descriptor) }

    /// Makes it poll readable.
    package func signal() { _ = cs_eventfd_signal(descriptor) }

    /// Consumes the signals so far, so that it polls readable only after the next.
    ///
    /// - Returns: number of signals.
    @discardableResult
    package func take() -> Int64 { max(0, cs_eventfd_take(descriptor)) }
}

/// Descriptors that are waited for by one thread for all, each once at a time: epoll(7) with EPOLLONESHOT.
///
/// *thread-safe*
package final class ReadinessQueue: Sendable {
    private let file: FileDescriptor

    /// - Throws: EMFILE if the process has no descriptor left.
    package init() throws(Errno) {
        file = FileDescriptor(owning: RawDescriptor(try checked(cs_readiness_open())))
    }

    /// Requests one report of a descriptor, as soon as there is input; at once if there is some already.
    ///
    /// - Parameters:
    ///   - open: file to poll; call this again for each further report.
    ///   - mark: value that identifies it in the report.
    /// - Throws: ENOSPC if the user has too many.
    package func arm(_ open: borrowing some OpenFile & ~Copyable, mark: UInt64) throws(Errno) {
        try checked(cs_readiness_arm(file.number, open.number, mark))
    }

    /// Forgets a descriptor; a report of it may still be on its way.
    package func forget(_ open: borrowing some OpenFile & ~Copyable) {
        _ = cs_readiness_forget(file.number, open.number)
    }

    /// Waits for a descriptor with input.
    ///
    /// - Returns: its mark.
    package func next() throws(Errno) -> UInt64 {
        var mark: UInt64 = 0
        try checked(cs_readiness_next(file.number, &mark))
        return mark
    }
}

/// SHA-256 by libnettle, which uses the processor's own instructions if there are any.
///
/// Standard: FIPS 180-4 (2015). *thread-safe*
package enum SHA256 {
    /// The digest of some bytes, 64 lower-case hexadecimal digits.
    ///
    /// - Throws: ENOMEM.
    package static func hex(of bytes: some Sequence<UInt8>) throws(Errno) -> String {
        let digest = try Digest()
        digest.add(Array(bytes).span.bytes)
        return digest.end()
    }

    /// The digest of a whole file, read from its start in pieces of 128 KiB; the file's offset is not moved.
    ///
    /// - Parameter file: a regular file, open for reading.
    /// - Throws: ENOMEM, or the error of reading the file.
    package static func hex(of file: borrowing some OpenFile & ~Copyable) throws(Errno) -> String {
        let digest = try Digest()
        var piece = [UInt8](repeating: 0, count: 128 * 1024)
        var offset: Int64 = 0
        while true {
            let count = try file.read(into: &piece, at: offset)
            guard count > 0 else { return digest.end() }
            digest.add(piece.span.bytes.extracting(0..<count))
            offset += Int64(count)
        }
    }
}

/// A digest being computed.
private struct Digest: ~Copyable {
    private let context: UnsafeMutableRawPointer

    init() throws(Errno) {
        var made: UnsafeMutableRawPointer?
        try checked(cs_sha256_begin(&made))
        // The shim sets it unless it returns an error.
        guard let made else { throw .noMemory }
        context = made
    }

    deinit { cs_sha256_drop(context) }

    func add(_ bytes: RawSpan) { bytes.withUnsafeBytes { cs_sha256_add(context, $0.baseAddress, $0.count) } }

    func end() -> String {
        var bytes = [UInt8](repeating: 0, count: CS_SHA256_BYTES)
        cs_sha256_end(context, &bytes)
        return bytes.reduce(into: "") { text, byte in
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }
}
