import CSystem
import Gate

/// Keeps two processes from making the same store at once: switching a new file to WAL is not for two.
enum FolderLock {
    /// Waits for the lock, which ends with the descriptor.
    ///
    /// - Throws: `.store` if another process holds it for 2 s.
    static func take(on directory: StateDirectory) throws(CaptureError) -> Descriptor {
        let opened = cs_open(directory.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
        guard opened >= 0 else {
            let failure = SystemFailure(result: opened)
            throw StoreFailure.error(
                "The grant store's folder \(directory.path) can't be opened: \(failure.text).", errno: failure.errno,
                "Give this user access to it.", command: ["chmod", "700", directory.path])
        }
        let folder = Descriptor(opened)
        let deadline = cs_clock_ns(Int32(CS_CLOCK_MONOTONIC)) + 2_000_000_000
        while cs_flock(folder.number, LOCK_EX | LOCK_NB) < 0 {
            // flock has no time-out of its own, and a stopped process may hold it for ever.
            guard cs_clock_ns(Int32(CS_CLOCK_MONOTONIC)) < deadline else {
                throw StoreFailure.locked(directory.databasePath)
            }
            _ = cs_poll(nil, 0, 5)
        }
        return folder
    }
}
