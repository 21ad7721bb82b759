import CSystem
import CaptureBase

/// Calls on files by their paths.
///
/// Paths are absolute, or relative to the working directory; the kernel reads them up to a NUL.
///
/// *thread-safe*
package enum FileSystem {
    /// Rights to a file, as access(2) asks for them.
    package struct Access: OptionSet, Sendable {
        package let rawValue: Int32

        package init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        /// F_OK: existence.
        package static let existence: Access = []
        /// R_OK.
        package static let read = Access(rawValue: R_OK)
        /// W_OK.
        package static let write = Access(rawValue: W_OK)
        /// X_OK; for a directory, the right to look up names in it.
        package static let execute = Access(rawValue: X_OK)
    }

    /// Checks a right for the effective ids, as open(2) does. The corresponding C function is `faccessat` with AT_EACCESS.
    ///
    /// - Returns: EACCES, EROFS or the error of the check; `nil` if this user has the right.
    package static func refusal(of access: Access, to path: String) -> Errno? {
        let result = cs_access(path, access.rawValue)
        return result < 0 ? Errno(result: result) : nil
    }

    /// True if this user has the right; false if the check fails.
    package static func allows(_ access: Access, to path: String) -> Bool { refusal(of: access, to: path) == nil }

    /// Bytes that this user may still write to the file system of a path. The corresponding C function is `statvfs`.
    package static func freeBytes(at path: String) throws(Errno) -> Int64 { try checked(cs_free_bytes(path)) }

    /// Creates a directory. The corresponding C function is `mkdir`.
    ///
    /// - Parameters:
    ///   - path: its name; its parent must exist.
    ///   - mode: the permission bits, less the process's umask.
    package static func makeDirectory(_ path: String, mode: UInt32) throws(Errno) { try checked(cs_mkdir(path, mode)) }

    /// Removes a name. The corresponding C function is `unlink`.
    package static func remove(_ path: String) throws(Errno) { try checked(cs_unlink(path)) }

    /// Removes an empty directory. The corresponding C function is `rmdir`.
    package static func removeDirectory(_ path: String) throws(Errno) { try checked(cs_rmdir(path)) }

    /// Adds a name to a file. The corresponding C function is `link`.
    package static func link(_ path: String, as name: String) throws(Errno) { try checked(cs_link(path, name)) }

    /// Renames a file, and replaces any file of that name. The corresponding C function is `rename`.
    package static func rename(_ path: String, to name: String) throws(Errno) { try checked(cs_rename(path, name)) }

    /// Renames a file if the name is free. The corresponding C function is `renameat2` with RENAME_NOREPLACE.
    ///
    /// - Throws: EEXIST if the name is taken, EINVAL if the file system can't do it.
    package static func renameWithoutReplacing(_ path: String, to name: String) throws(Errno) {
        try checked(cs_rename_noreplace(path, name))
    }

    /// The target of a symbolic link. The corresponding C function is `readlink`.
    package static func target(ofLink path: String) throws(Errno) -> String {
        try text { cs_readlink(path, $0, $1) }
    }

    /// The absolute path without links and dots. The corresponding C function is `realpath`.
    package static func realPath(of path: String) throws(Errno) -> String {
        try text { cs_realpath(path, $0, $1) }
    }

    /// The value of an extended attribute. The corresponding C function is `getxattr`.
    ///
    /// - Parameters:
    ///   - name: with its class, such as `system.posix_acl_access`.
    ///   - path: path of the file; links are followed.
    /// - Throws: ENODATA if the file has none, ENOTSUP if its file system supports none.
    package static func attribute(_ name: String, of path: String) throws(Errno) -> [UInt8] {
        // The kernel's own limit: XATTR_SIZE_MAX.
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        let count = try checked(cs_getxattr(path, name, &bytes, bytes.count))
        return Array(bytes.prefix(Int(count)))
    }

    /// Names in a directory, without `.` and `..`, in no order. The corresponding C function is `readdir`.
    ///
    /// - Parameters:
    ///   - path: path of the directory.
    ///   - limit: maximum number of names.
    package static func names(in path: String, limit: Int = .max) throws(Errno) -> [String] {
        var opened: UnsafeMutableRawPointer?
        try checked(cs_directory_open(path, &opened))
        guard let directory = opened else { return [] }
        defer { _ = cs_directory_close(directory) }
        var names: [String] = []
        var entry: UnsafePointer<CChar>?
        while names.count < limit, try checked(cs_directory_next(directory, &entry)) > 0, let entry {
            let name = String(cString: entry)
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// - Parameter body: writes at most the given number of bytes and a NUL, and returns the number.
    private static func text(_ body: (UnsafeMutablePointer<CChar>, Int) -> Int64) throws(Errno) -> String {
        var result: Int64 = 0
        // PATH_MAX, and a NUL after a path of that length.
        let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4097) { bytes in
            guard let start = bytes.baseAddress else { return "" }
            result = body(start, bytes.count)
            return result < 0 ? "" : String(cString: start)
        }
        try checked(result)
        return text
    }
}

/// The kernel's record of a file, as stat(2) fills it.
///
/// *thread-safe*
package struct FileStatus: Hashable, Sendable {
    /// The kind of a file, by the bits of its mode under S_IFMT.
    package enum Kind: Hashable, Sendable {
        case file, directory, link, characterDevice, blockDevice, pipe, socket, other
    }

    package let device: UInt64
    package let inode: UInt64
    package let kind: Kind
    /// The twelve permission bits.
    package let permissions: UInt32
    package let owner: UInt32
    package let group: UInt32
    /// The device that a node represents.
    package let node: DeviceNumber
    /// Number of names of the file; some file systems count none.
    package let links: UInt64
    /// Bytes.
    package let size: Int64
    /// `st_mtim`, nanoseconds since 1970.
    package let modifiedNanoseconds: Int64
    /// `st_ctim`, nanoseconds since 1970. No program can set it: inode(7).
    package let changedNanoseconds: Int64

    /// Writable by others than the owner, according to the mode.
    package var isWritableByOthers: Bool { permissions & 0o022 != 0 }

    /// The same status with another owner: a file system may assign a new file to the user who mounted it.
    package func owned(by user: UInt32) -> FileStatus {
        FileStatus(
            device: device, inode: inode, kind: kind, permissions: permissions, owner: user, group: group, node: node,
            links: links, size: size, modifiedNanoseconds: modifiedNanoseconds, changedNanoseconds: changedNanoseconds)
    }

    /// True for the same device and inode, whatever the names.
    package func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }

    package init(
        device: UInt64 = 0, inode: UInt64 = 0, kind: Kind = .file, permissions: UInt32 = 0, owner: UInt32 = 0,
        group: UInt32 = 0, node: DeviceNumber = DeviceNumber(0), links: UInt64 = 1, size: Int64 = 0,
        modifiedNanoseconds: Int64 = 0, changedNanoseconds: Int64 = 0
    ) {
        self.device = device
        self.inode = inode
        self.kind = kind
        self.permissions = permissions
        self.owner = owner
        self.group = group
        self.node = node
        self.links = links
        self.size = size
        self.modifiedNanoseconds = modifiedNanoseconds
        self.changedNanoseconds = changedNanoseconds
    }
}

// Results instead of throws: the absence of a file is as often an answer as an error.
extension FileStatus {
    /// Status of the file at a path, following symbolic links. The corresponding C function is `stat`.
    package static func of(_ path: String) -> Result<FileStatus, Errno> {
        var raw = cs_file_status()
        return wrapped(cs_stat(path, &raw), raw)
    }

    /// The status of a path itself, even if it is a symbolic link. The corresponding C function is `lstat`.
    package static func ofLink(_ path: String) -> Result<FileStatus, Errno> {
        var raw = cs_file_status()
        return wrapped(cs_lstat(path, &raw), raw)
    }

    /// The status of an open file. The corresponding C function is `fstat`.
    package static func of(_ file: borrowing some OpenFile & ~Copyable) -> Result<FileStatus, Errno> {
        var raw = cs_file_status()
        return wrapped(cs_fstat(file.number, &raw), raw)
    }

    private static func wrapped(_ result: Int32, _ raw: cs_file_status) -> Result<FileStatus, Errno> {
        result < 0 ? .failure(Errno(result: result)) : .success(FileStatus(raw))
    }

    private init(_ raw: cs_file_status) {
        self.init(
            device: raw.device, inode: raw.inode, kind: Kind(mode: raw.mode), permissions: raw.mode & 0o7777,
            owner: raw.uid, group: raw.gid, node: DeviceNumber(raw.raw_device), links: raw.links, size: raw.size,
            modifiedNanoseconds: raw.mtime_ns, changedNanoseconds: raw.ctime_ns)
    }
}

extension FileStatus.Kind {
    fileprivate init(mode: UInt32) {
        switch Int(mode) & CS_MODE_KIND {
        case CS_MODE_FILE: self = .file
        case CS_MODE_DIRECTORY: self = .directory
        case CS_MODE_LINK: self = .link
        case CS_MODE_CHARACTER: self = .characterDevice
        case CS_MODE_BLOCK: self = .blockDevice
        case CS_MODE_PIPE: self = .pipe
        case CS_MODE_SOCKET: self = .socket
        default: self = .other
        }
    }
}

/// The kernel's number of a device: makedev(3).
package struct DeviceNumber: Hashable, Sendable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The driver's part and the device's own. The corresponding C macros are `major` and `minor`.
    package var parts: (major: UInt32, minor: UInt32) {
        var (major, minor): (UInt32, UInt32) = (0, 0)
        cs_device_numbers(rawValue, &major, &minor)
        return (major, minor)
    }
}

/// File locks that end with the descriptor that took them, even if its process is killed.
///
/// Neither kind can be awaited with a time limit, and a stopped process may hold one for ever: so both are requested without
/// waiting, repeatedly.
///
/// *thread-safe*
package enum FileLock {
    /// Time between two tries, in milliseconds.
    private static let interval: Int32 = 5

    /// Takes the lock of a whole file for this descriptor only. The corresponding C function is `flock` with LOCK_EX.
    ///
    /// - Parameters:
    ///   - file: open; may be a directory.
    ///   - patience: longest wait for another holder.
    /// - Throws: EWOULDBLOCK if another process still holds it, or ENOTSUP, ENOSYS, ENOLCK of a file system without locks.
    package static func take(_ file: borrowing some OpenFile & ~Copyable, patience: Duration) throws(Errno) {
        let deadline = Deadline(after: patience)
        try take(file, isOver: { deadline.hasPassed }, pause: { Poll.pause(milliseconds: interval) })
    }

    /// Takes the lock of a whole file for this descriptor only. The corresponding C function is `flock` with LOCK_EX.
    ///
    /// - Parameters:
    ///   - file: open; may be a directory.
    ///   - tries: number of further tries while another process holds it.
    ///   - pause: waits a moment between two tries.
    /// - Throws: EWOULDBLOCK if another process still holds it, or ENOTSUP, ENOSYS, ENOLCK of a file system without locks.
    package static func take(_ file: borrowing some OpenFile & ~Copyable, tries: Int, pause: () -> Void) throws(Errno) {
        var left = tries
        try take(
            file,
            isOver: {
                left -= 1
                return left < 0
            }, pause: pause)
    }

    private static func take(
        _ file: borrowing some OpenFile & ~Copyable, isOver: () -> Bool, pause: () -> Void
    ) throws(Errno) {
        while true {
            let result = cs_flock(file.number, LOCK_EX | LOCK_NB)
            guard result < 0 else { return }
            guard result == -EWOULDBLOCK, !isOver() else { throw Errno(result: result) }
            pause()
        }
    }

    /// Takes the lock of one byte, which need not exist in the file, without waiting. The corresponding C function is `fcntl`
    /// with F_OFD_SETLK.
    ///
    /// - Throws: EAGAIN or EACCES if another process holds it.
    package static func take(byte offset: Int64, of file: borrowing some OpenFile & ~Copyable) throws(Errno) {
        try checked(cs_ofd_lock(file.number, 1, 0, offset, 1))
    }
}

/// A process that has a file locked.
package struct LockHolder: Hashable, Sendable {
    package let processID: Int32
    /// The program's name, safe to show.
    package let command: String
}

/// Finds the holder of a flock(2) lock by /proc/locks (proc_locks(5)).
package enum LockHolders {
    /// - Returns: a process that holds the lock; `nil` if none exists, or it is hidden: a process of another PID namespace
    ///   has no number here.
    package static func holder(of path: String) -> LockHolder? {
        guard case .success(let status) = FileStatus.of(path),
            let locks = ProcessFile.text("/proc/locks", limit: 4 << 20)
        else { return nil }
        let process = holders(in: locks, of: status.inode).first {
            $0.device == number(of: status) || has($0.process, status)
        }
        return process.map { holder in
            let command = ProcessFile.text("/proc/\(holder.process)/comm") ?? "?"
            return LockHolder(processID: holder.process, command: VisibleText.of(command))
        }
    }

    /// The processes that hold a lock on a file with that inode number, and the file's device as the text states it.
    ///
    /// - Parameter locks: lines such as `1: FLOCK  ADVISORY  WRITE 712 00:2f:1234 0 EOF`. `->` in second place marks a waiter.
    package static func holders(in locks: String, of inode: UInt64) -> [(process: Int32, device: Substring)] {
        locks.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count > 5, fields[1] == "FLOCK", let process = Int32(fields[4]), process > 0,
                let border = fields[5].lastIndex(of: ":"), UInt64(fields[5][border...].dropFirst()) == inode
            else { return nil }
            return (process, fields[5][..<border])
        }
    }

    private static func number(of status: FileStatus) -> String {
        let (major, minor) = DeviceNumber(status.device).parts
        return hexadecimal(major) + ":" + hexadecimal(minor)
    }

    /// At least two digits, as the kernel prints them.
    private static func hexadecimal(_ number: UInt32) -> String {
        let digits = String(number, radix: 16)
        return digits.utf8.count < 2 ? "0" + digits : digits
    }

    /// True if the process has the file open: on some file systems, such as btrfs, stat(2) and /proc/locks name two devices.
    private static func has(_ process: Int32, _ file: FileStatus) -> Bool {
        ProcessFile.names(in: "/proc/\(process)/fd").contains { number in
            (try? FileStatus.of("/proc/\(process)/fd/\(number)").get().isSameFile(as: file)) ?? false
        }
    }
}
