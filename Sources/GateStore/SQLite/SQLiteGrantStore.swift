import Dispatch
import Gate
import LinuxSystem

/// A user's grants and audit log in one SQLite database, in WAL mode with `synchronous = FULL`.
///
/// Every change and its audit line are one transaction: a `kill -9` at any instant leaves both or neither. A store that is
/// damaged, locked, full, read-only or writable for others throws `.store` with a remedy. So does one that differs from the state
/// after its last change: a row with a flipped bit, a lost write-ahead log, one file of an older copy. A whole store of an older
/// copy, database and head file together, can't be detected.
///
/// *thread-safe*; calls block for 2 s at most: never call it on the cooperative pool.
package final class SQLiteGrantStore: GrantStore {
    /// The directory of the store.
    package var directory: String { folder.path }

    let folder: StateDirectory
    private let purpose: StoreConnection.Purpose
    private let connection: Locked<StoreConnection>
    private let watch = Locked<StoreWatch?>(nil)

    /// Directory of a user's store: `$XDG_STATE_HOME/capturegate`, or by default `~/.local/state/capturegate`. Relative values are
    /// ignored.
    ///
    /// - Throws: `.store` if the user has no home directory; set XDG_STATE_HOME.
    ///
    /// Standard: XDG Base Directory Specification 0.8 (2021). *thread-safe*
    package static func defaultDirectory(environment: [String: String]) throws(CaptureError) -> String {
        try StateDirectory.standardPath(environment: environment)
    }

    /// Opens and checks the store of a directory, and creates directory (0700) and file (0600) if they are missing.
    ///
    /// - Parameter directory: an absolute path.
    /// - Throws: `.store`, with a remedy for each cause.
    package convenience init(directory: String) throws(CaptureError) {
        try self.init(directory: directory, for: .deciding)
    }

    /// Opens the store of a directory to read its log, even if the store has lost something and so may not decide anything:
    /// only the log can be read then, and every change is refused.
    ///
    /// - Parameter directory: an absolute path.
    /// - Throws: `.store` if it can't be read or trusted at all.
    package convenience init(inspecting directory: String) throws(CaptureError) {
        try self.init(directory: directory, for: .inspecting)
    }

    private init(directory: String, for purpose: StoreConnection.Purpose) throws(CaptureError) {
        let folder = try StateDirectory(preparing: directory)
        self.folder = folder
        self.purpose = purpose
        connection = Locked(try StoreConnection(in: folder, for: purpose))
    }

    /// Runs `body` on the database; reopens it if the file was replaced.
    func perform<Result: Sendable>(
        _ body: @Sendable (borrowing SQLiteConnection) throws -> Result
    ) throws(CaptureError) -> Result {
        try run(body, on: current().database)
    }

    /// Runs `body`, which only reads. Once the store is watched, reads do not wait for this process's writes: a commit waits
    /// for its disk, and a capture that has lost its permission must not wait with it.
    func read<Result: Sendable>(
        _ body: @Sendable (borrowing SQLiteConnection) throws -> Result
    ) throws(CaptureError) -> Result {
        let connection = try current()
        let watch = watch.withLock { $0 }
        return try run(body, on: watch?.reader(of: connection) ?? connection.database)
    }

    /// Runs `body`, and turns every error into one sentence with a remedy.
    private func run<Result: Sendable>(
        _ body: @Sendable (borrowing SQLiteConnection) throws -> Result, on database: StoreDatabase
    ) throws(CaptureError) -> Result {
        do {
            return try database.perform(body)
        } catch {
            throw StoreFailure.error(from: error, at: folder.databasePath)
        }
    }

    /// Checks each time that the directory can still be trusted: a process may run for months, and a store that others may
    /// write must not decide from that moment on. Nor must an empty one in place of one that is gone: it would have no denial
    /// and no kill switch.
    private func current() throws(CaptureError) -> StoreConnection {
        try connection.withLock { (connection) throws(CaptureError) in
            if connection.isStill(at: folder.databasePath) {
                try folder.check()
                try connection.checkLog(at: folder.databasePath)
            } else {
                guard FileSystem.allows(.existence, to: folder.databasePath) else {
                    throw StoreFailure.vanished(folder.path)
                }
                connection = try StoreConnection(in: StateDirectory(preparing: folder.path), for: purpose)
            }
            return connection
        }
    }

    /// The watch begins with the first observer: a program that only asks does not need one.
    package func observeChanges(_ handler: @escaping @Sendable () -> Void) -> any ChangeObservation {
        watch.withLock { watch in
            let running = watch ?? StoreWatch(on: folder)
            watch = running
            return running.observers.add(handler, keeping: running)
        }
    }
}

extension SQLiteGrantStore {
    /// Everything the store decides by, confirmed to be what its last change left.
    package func snapshot() throws(CaptureError) -> StoreSnapshot {
        let chain = AuditChain(headPath: folder.headPath)
        return try read { db in
            let version = try AuditChain.extent(db).last.number
            let state = try chain.confirmed(db)
            return StoreSnapshot(
                decisions: state.decisions, killSwitches: state.killSwitches,
                latestSinceEpoch: .nanoseconds(state.latestWallNanoseconds), consumed: state.consumed, version: version)
        }
    }

    /// Number of the audit log's last line; every change writes one.
    package var version: Int64? { try? read { try AuditChain.extent($0).last.number } }

    /// Program files named in decisions, as they were when the decisions were made.
    ///
    /// - Throws: `.store`.
    package func executables() throws(CaptureError) -> [Executable] {
        try snapshot().decisions.map(\.subject.executable)
    }
}

/// Reports changes of a store by any process.
///
/// inotify reports that a file of the store was written; `PRAGMA data_version` of a separate connection tells if that was a
/// commit. The write to the WAL comes before its commit can be seen, so the watch relies on what follows the commit: the audit
/// head is closed (`announce`) and written (`settle`). If the writer was killed before that, its commit is found a second
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

/// The state of a store as the watch last saw it.
final class WatchedState: Sendable {
    private struct Seen {
        var connection: StoreDatabase?
        var status: FileStatus?
        var version: Int64 = -1
        /// The write-ahead log's inode: without this file, changes by others are not seen.
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

    /// Checks again in a second, for a commit that was not announced; several calls in that second make one check.
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

    /// Opens the file that is now at the path.
    ///
    /// - Returns: true if it is a different file.
    private func follow(_ seen: inout Seen) -> Bool {
        // Opens only a regular file: anything else at the path is refused by its readers.
        let found = try? FileStatus.ofLink(path).get()
        let status = found?.kind == .file ? found : nil
        guard status?.inode != seen.status?.inode || status?.device != seen.status?.device else { return false }
        seen.status = status
        seen.connection = status.flatMap { _ in
            // Without the switch to WAL: this connection must not interfere while another one creates the file.
            try? StoreDatabase(path: path)
        }
        return true
    }

    /// A number that changes with each commit of another connection; `nil` if the file can't be read.
    private static func version(_ database: StoreDatabase) -> Int64? {
        try? database.perform { try $0.value("PRAGMA data_version")?.integer }
    }
}
