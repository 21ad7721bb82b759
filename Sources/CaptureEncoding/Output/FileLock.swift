import CSystem
import Glibc

/// The lock that tells a recording that runs from one that was interrupted: flock(2).
enum FileLock {
    /// A writer that was just killed still has its files for a moment, and so has a program that it was just starting: looks,
    /// 5 ms apart.
    private static let patience = 200

    /// - Parameter pause: waits a moment for whoever has it.
    /// - Returns: `-EWOULDBLOCK` where another process has it, or the negative errno of a file system without locks.
    static func take(_ descriptor: Int32, pause: () -> Void = OutputSteps().pause) -> Int32 {
        for _ in 0..<patience {
            let result = cs_flock(descriptor, LOCK_EX | LOCK_NB)
            guard result == -EWOULDBLOCK else { return result }
            pause()
        }
        return cs_flock(descriptor, LOCK_EX | LOCK_NB)
    }

    /// Whether a file system has no locks, by what `take` gave.
    static func isAbsent(_ result: Int32) -> Bool { result == -ENOTSUP || result == -ENOSYS }
}
