import CSystem

/// A way to open a file, as open(2) has it. O_CLOEXEC is always added.
package struct OpenFlags: OptionSet, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// O_RDONLY, which is no bit but the absence of the two that follow.
    package static let readOnly: OpenFlags = []
    /// O_WRONLY.
    package static let writeOnly = OpenFlags(rawValue: O_WRONLY)
    /// O_RDWR.
    package static let readWrite = OpenFlags(rawValue: O_RDWR)
    /// O_CREAT.
    package static let create = OpenFlags(rawValue: O_CREAT)
    /// O_EXCL: fails where the name is taken, also by a link that leads nowhere.
    package static let exclusive = OpenFlags(rawValue: O_EXCL)
    /// O_APPEND.
    package static let append = OpenFlags(rawValue: O_APPEND)
    /// O_NONBLOCK: neither opening, as of a pipe without a writer, nor reading waits.
    package static let nonBlocking = OpenFlags(rawValue: O_NONBLOCK)
    /// O_NOCTTY: a terminal does not become the process's own.
    package static let noControllingTerminal = OpenFlags(rawValue: O_NOCTTY)
    /// O_NOFOLLOW: fails with ELOOP where the name is a symbolic link.
    package static let noFollow = OpenFlags(rawValue: O_NOFOLLOW)
    /// O_DIRECTORY: fails with ENOTDIR where the name is none.
    package static let directory = OpenFlags(rawValue: O_DIRECTORY)
}

/// An open file, owned or not, and the calls on it.
///
/// *thread-safe*: the calls are the kernel's, which may be made from several threads at once.
package protocol OpenFile: ~Copyable {
    /// The kernel's number.
    var number: Int32 { get }
}

/// A file descriptor that is closed with its owner.
///
/// Not copyable: a number that is closed twice closes what somebody else has opened in between.
///
/// *thread-safe*
package struct FileDescriptor: OpenFile, ~Copyable, Sendable {
    private let raw: RawDescriptor

    /// The kernel's number, valid until the owner ends.
    package var number: Int32 { raw.number }

    /// Takes a descriptor over, and closes it when the value ends.
    package init(owning raw: RawDescriptor) {
        self.raw = raw
    }

    /// Opens a file. The corresponding C function is `open`.
    ///
    /// - Parameters:
    ///   - path: absolute, or relative to the working directory.
    ///   - flags: how it is opened.
    ///   - mode: the permission bits of a file that is made, less the process's umask.
    package init(opening path: String, _ flags: OpenFlags, mode: UInt32 = 0) throws(Errno) {
        raw = try RawDescriptor(opening: path, flags, mode: mode)
    }

    deinit {
        // The result of close is of no use here: whoever must know calls fsync before.
        raw.close()
    }

    /// Gives the ownership away; nothing closes the descriptor from then on but its new owner.
    package consuming func release() -> RawDescriptor {
        let raw = raw
        discard self
        return raw
    }
}

/// The number of an open file, without its ownership: whoever holds it says when it is closed.
///
/// For what is shared among threads that agree on the moment of closing, and for descriptors that the process was given.
///
/// *thread-safe*
package struct RawDescriptor: OpenFile, Hashable, Sendable {
    /// The kernel's number; -1 is none, which every call refuses with EBADF.
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
    ///   - flags: how it is opened.
    ///   - mode: the permission bits of a file that is made, less the process's umask.
    package init(opening path: String, _ flags: OpenFlags, mode: UInt32 = 0) throws(Errno) {
        number = try checked(cs_open(path, flags.rawValue, mode))
    }

    /// Closes it. The corresponding C function is `close`, never retried: Linux has closed the descriptor even when it
    /// reports EINTR.
    package func close() { _ = cs_close(number) }
}

extension OpenFile where Self: ~Copyable {
    /// Reads once, and as many bytes as the array has. The corresponding C function is `read`.
    ///
    /// - Returns: how many bytes, 0 at the end.
    package func read(into bytes: inout [UInt8]) throws(Errno) -> Int {
        Int(try checked(cs_read(number, &bytes, bytes.count)))
    }

    /// Reads once from an offset, and as many bytes as the array has. The corresponding C function is `pread`.
    ///
    /// - Parameters:
    ///   - bytes: where they go.
    ///   - start: the array's first byte that is read into.
    ///   - offset: bytes from the file's beginning; that of the descriptor stays where it is.
    /// - Returns: how many bytes, 0 at the end.
    package func read(into bytes: inout [UInt8], from start: Int = 0, at offset: Int64) throws(Errno) -> Int {
        let count = bytes.withUnsafeMutableBytes { bytes in
            cs_pread(number, bytes.baseAddress.map { $0 + start }, bytes.count - start, offset)
        }
        return Int(try checked(count))
    }

    /// Reads to the end, or as many bytes as the limit says. The corresponding C function is `read`.
    package func readToEnd(limit: Int) throws(Errno) -> [UInt8] {
        // Most files are short, and the size that the kernel says of its own is 0. Room that is not needed would cost page
        // faults.
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
    /// - Returns: how many bytes were taken, which may be fewer.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
        Int(try checked(cs_write(number, bytes.baseAddress, bytes.count)))
    }

    /// Writes once. The corresponding C function is `write`.
    ///
    /// - Returns: how many bytes were taken, which may be fewer.
    package func write(_ bytes: [UInt8]) throws(Errno) -> Int {
        Int(try checked(cs_write(number, bytes, bytes.count)))
    }

    /// Writes once at an offset; that of the descriptor stays where it is. The corresponding C function is `pwrite`.
    ///
    /// - Parameters:
    ///   - bytes: what is written.
    ///   - offset: bytes from the file's beginning.
    /// - Returns: how many bytes were taken, which may be fewer.
    package func write(_ bytes: [UInt8], at offset: Int64) throws(Errno) -> Int {
        Int(try checked(cs_pwrite(number, bytes, bytes.count, offset)))
    }

    /// Moves the offset to so many bytes from the file's beginning. The corresponding C function is `lseek`.
    package func seek(to offset: Int64) throws(Errno) { try checked(cs_lseek(number, offset, SEEK_SET)) }

    /// Cuts or lengthens the file. The corresponding C function is `ftruncate`.
    package func truncate(to length: Int64) throws(Errno) { try checked(cs_ftruncate(number, length)) }

    /// Returns when the disk has the bytes and all that is known of the file. The corresponding C function is `fsync`.
    package func sync() throws(Errno) { try checked(cs_fsync(number)) }

    /// Returns when the disk has the bytes, and what is needed to read them. The corresponding C function is `fdatasync`.
    package func syncData() throws(Errno) { try checked(cs_fdatasync(number)) }
}
