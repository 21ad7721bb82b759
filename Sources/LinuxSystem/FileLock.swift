import CSystem

/// Locks of files that end with the descriptor they were taken by, also when its process is killed.
///
/// Neither kind can be waited for with a limit, and a process that is stopped may hold one for ever: so both are asked for
/// without waiting, again and again.
///
/// *thread-safe*
package enum FileLock {
    /// Between two tries, milliseconds.
    private static let interval: Int32 = 5

    /// Takes the lock of a whole file for this descriptor alone. The corresponding C function is `flock` with LOCK_EX.
    ///
    /// - Parameters:
    ///   - file: open; may be a directory.
    ///   - patience: how long another holder may take to give it back.
    /// - Throws: EWOULDBLOCK where another process still has it, or ENOTSUP, ENOSYS, ENOLCK of a file system without locks.
    package static func take(_ file: borrowing some OpenFile & ~Copyable, patience: Duration) throws(Errno) {
        let deadline = Deadline(after: patience)
        try take(file, isOver: { deadline.hasPassed }, pause: { Poll.pause(milliseconds: interval) })
    }

    /// Takes the lock of a whole file for this descriptor alone. The corresponding C function is `flock` with LOCK_EX.
    ///
    /// - Parameters:
    ///   - file: open; may be a directory.
    ///   - tries: how many times more it is asked for where another process has it.
    ///   - pause: waits a moment between two of them.
    /// - Throws: EWOULDBLOCK where another process still has it, or ENOTSUP, ENOSYS, ENOLCK of a file system without locks.
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

    /// Takes the lock of one byte, which the file need not have, without waiting. The corresponding C function is `fcntl`
    /// with F_OFD_SETLK.
    ///
    /// - Throws: EAGAIN or EACCES where somebody else has it.
    package static func take(byte offset: Int64, of file: borrowing some OpenFile & ~Copyable) throws(Errno) {
        try checked(cs_ofd_lock(file.number, 1, 0, offset, 1))
    }
}
