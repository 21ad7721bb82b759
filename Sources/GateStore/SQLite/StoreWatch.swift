import Dispatch
import Gate
import LinuxSystem

/// Tells of changes of a store by any process.
///
/// inotify says that a file of the store was written; `PRAGMA data_version` of a connection of its own says if that was a
/// commit. The write to the WAL comes before its commit can be seen, so the watch relies on what follows the commit: the audit
/// head is closed (`announce`) and written (`settle`). The commit of a writer that was killed before that is found a second
/// later.
final class StoreWatch: Sendable {
    let observers = Observers()
    private let state: WatchedState
    private let folder: DirectoryWatch

    init(on directory: StateDirectory) {
        let queue = DispatchQueue(label: "capturegate.store.changes", qos: .userInitiated)
        let state = WatchedState(of: directory)
        let observers = observers
        self.state = state
        state.look()
        folder = DirectoryWatch(directory.path, on: queue) {
            if state.look() { observers.notify() }
            state.lookLater(on: queue) { observers.notify() }
        }
    }

    /// A connection to the same file that reads while `connection` writes; `nil` if the watch has another file or none.
    func reader(of connection: StoreConnection) -> StoreDatabase? { state.reader(of: connection) }
}

/// The state of a store that the watch saw last.
final class WatchedState: Sendable {
    private struct Seen {
        var connection: StoreDatabase?
        var status: FileStatus?
        var version: Int64 = -1
        /// The write-ahead log's inode: without it nobody else's change is seen.
        var log: UInt64?
        var looksLater = false
    }

    private let directory: StateDirectory
    private var path: String { directory.databasePath }
    private let seen = Locked(Seen())

    init(of directory: StateDirectory) {
        self.directory = directory
    }

    /// Compares the store with the state seen last.
    ///
    /// - Returns: true if there may be a change; a store that can't be read or trusted counts as one.
    @discardableResult
    func look() -> Bool {
        seen.withLock { seen in
            let replaced = follow(&seen)
            let version = seen.connection.flatMap(WatchedState.version)
            let log = try? FileStatus.ofLink(path + "-wal").get().inode
            defer { (seen.version, seen.log) = (version ?? -1, log) }
            let isTrusted = (try? directory.check()) != nil
            return replaced || version == nil || version != seen.version || log != seen.log || !isTrusted
        }
    }

    func reader(of connection: StoreConnection) -> StoreDatabase? {
        seen.withLock { seen in
            guard let status = seen.status, connection.isOf(status) else { return nil }
            return seen.connection
        }
    }

    /// Looks once more in a second, for a commit that nobody announced; several calls in that second make one look.
    func lookLater(on queue: DispatchQueue, _ found: @escaping @Sendable () -> Void) {
        let first = seen.withLock { seen in
            defer { seen.looksLater = true }
            return !seen.looksLater
        }
        guard first else { return }
        queue.asyncAfter(deadline: .now() + 1) { [weak self] in
            guard let self else { return }
            seen.withLock { $0.looksLater = false }
            if look() { found() }
        }
    }

    /// Opens the file that is at the path now.
    ///
    /// - Returns: true if it is another file than before.
    private func follow(_ seen: inout Seen) -> Bool {
        // Only a file is opened: whatever else lies there is refused by whoever reads.
        let found = try? FileStatus.ofLink(path).get()
        let status = found?.kind == .file ? found : nil
        guard status?.inode != seen.status?.inode || status?.device != seen.status?.device else { return false }
        seen.status = status
        seen.connection = status.flatMap { _ in
            // Without the switch to WAL: this connection must not interfere while another makes the file.
            try? StoreDatabase(path: path)
        }
        return true
    }

    /// A number that changes with each commit of another connection; `nil` if the file can't be read.
    private static func version(_ database: StoreDatabase) -> Int64? {
        try? database.perform { try $0.value("PRAGMA data_version")?.integer }
    }
}
