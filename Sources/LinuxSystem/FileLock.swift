import CSystem
import CaptureBase

/// File locks that end with the descriptor that took them, even if its process is killed.
///
/// Neither kind can be awaited with a time limit, and a stopped process may hold one for ever: so both are requested without
/// waiting, repeatedly.
///
/// *thread-safe*
package enum FileLock {
    /// Time between two tries, in milliseconds.
    private static let interval: Int32 = 5

    /// Takes the lock of a whole file for this descriptor alone. The corresponding C function is `flock` with LOCK_EX.
    ///
    /// - Parameters:
    ///   - file: open; may be a directory.
    ///   - patience: longest wait for another holder.
    /// - Throws: EWOULDBLOCK if another process still has it, or ENOTSUP, ENOSYS, ENOLCK of a file system without locks.
    package static func take(_ file: borrowing some OpenFile & ~Copyable, patience: Duration) throws(Errno) {
        let deadline = Deadline(after: patience)
        try take(file, isOver: { deadline.hasPassed }, pause: { Poll.pause(milliseconds: interval) })
    }

    /// Takes the lock of a whole file for this descriptor alone. The corresponding C function is `flock` with LOCK_EX.
    ///
    /// - Parameters:
    ///   - file: open; may be a directory.
    ///   - tries: number of further tries while another process has it.
    ///   - pause: waits a moment between two tries.
    /// - Throws: EWOULDBLOCK if another process still has it, or ENOTSUP, ENOSYS, ENOLCK of a file system without locks.
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
    /// - Throws: EAGAIN or EACCES if somebody else has it.
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
    /// - Returns: a process that holds the lock; `nil` if there is none, or it is hidden: a process of another PID namespace
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
