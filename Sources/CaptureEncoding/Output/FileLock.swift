import CSystem
import Glibc

/// The lock that tells a recording that runs from one that was interrupted: flock(2).
enum FileLock {
    /// A writer that was just killed still has its files for a moment, and so has a program that it was just starting.
    /// Nanoseconds.
    private static let patience: Int64 = 1_000_000_000

    /// - Returns: `-EWOULDBLOCK` where another process has it, or the negative errno of a file system without locks.
    static func take(_ descriptor: Int32) -> Int32 {
        let deadline = cs_clock_ns(Int32(CS_CLOCK_MONOTONIC)) + patience
        while true {
            let result = cs_flock(descriptor, LOCK_EX | LOCK_NB)
            guard result == -EWOULDBLOCK, cs_clock_ns(Int32(CS_CLOCK_MONOTONIC)) < deadline else { return result }
            _ = cs_poll(nil, 0, 5)
        }
    }
}
