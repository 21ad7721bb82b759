import Gate
import LinuxSystem

/// A database file on a separate connection, used by one thread at a time.
///
/// *thread-safe*
final class StoreDatabase: Sendable {
    /// Longest wait of a call for another process, in milliseconds.
    static let patience = 2000

    private let connection: Locked<SQLiteConnection>

    /// Opens a database and reads from it: a file that is no database fails here.
    ///
    /// - Parameters:
    ///   - path: path of the file, which must exist.
    ///   - prepare: sets the connection up.
    init(path: String, _ prepare: (borrowing SQLiteConnection) throws -> Void = { _ in }) throws {
        let opened = try SQLiteConnection(path: path, busyTimeout: StoreDatabase.patience)
        // A trigger or view that somebody added to the file can't call dangerous functions.
        try opened.execute("PRAGMA trusted_schema = OFF")
        try prepare(opened)
        _ = try opened.row("SELECT * FROM sqlite_schema LIMIT 1")
        connection = Locked(opened)
    }

    /// Runs `body` on the connection, while other threads wait.
    func perform<Result: Sendable>(
        _ body: @Sendable (borrowing SQLiteConnection) throws -> Result
    ) throws -> Result {
        try connection.withLock { connection in try body(connection) }
    }
}

/// The open database of a store, and the status of its file when it was opened.
struct StoreConnection: Sendable {
    /// Purpose for which a store is opened.
    enum Purpose: Sendable {
        /// Opened to decide and to change it: it must be in the state after its last change.
        case deciding
        /// Read the log of a store that may have lost something.
        case inspecting
    }

    let database: StoreDatabase
    private let device: UInt64
    private let inode: UInt64
    /// The inode of the write-ahead log, which exists as long as anybody has the database open.
    private let log: UInt64

    /// Opens and checks the database of a directory; creates it if it is missing.
    init(in directory: StateDirectory, for purpose: Purpose) throws(CaptureError) {
        let path = directory.databasePath
        let chain = AuditChain(headPath: directory.headPath)
        let lock = try StoreConnection.lock(directory)
        try StoreConnection.create(path, chain, for: purpose)
        do {
            database = try StoreDatabase(path: path, StoreConnection.setUp)
            try database.perform { db in
                try StoreSchema.migrate(db, at: path, chain, for: purpose)
                try StoreConnection.readBack(db, at: path)
                guard purpose == .deciding else { return }
                _ = try chain.confirmed(db)
                try chain.heal(db)
            }
        } catch {
            throw StoreFailure.error(from: error, at: path)
        }
        guard case .success(let status) = FileStatus.of(path),
            case .success(let log) = FileStatus.ofLink(StoreConnection.log(of: path))
        else {
            throw StoreFailure.damaged(path, "it was removed while it was opened")
        }
        (device, inode, self.log) = (status.device, status.inode, log.inode)
        // The compiler may end a value's life after its last use; this keeps the lock until here.
        _ = consume lock
    }

    /// False once a different file, or none, is at the path: somebody restored or removed it.
    func isStill(at path: String) -> Bool {
        guard case .success(let status) = FileStatus.of(path) else { return false }
        return isOf(status)
    }

    /// True for the status of the file that was opened.
    func isOf(_ status: FileStatus) -> Bool {
        status.device == device && status.inode == inode
    }

    /// Checks that the write-ahead log is still the one that was opened. If it was removed, this process would read it alone,
    /// and not see what others decide from then on.
    ///
    /// - Throws: `.store`.
    func checkLog(at path: String) throws(CaptureError) {
        if case .success(let status) = FileStatus.ofLink(StoreConnection.log(of: path)), status.inode == log { return }
        throw StoreFailure.lost(path, "its write-ahead log was removed or replaced while it was open")
    }

    /// The write-ahead log's path, as SQLite names it.
    private static func log(of path: String) -> String { path + "-wal" }
}

// MARK: - Opening

extension StoreConnection {
    /// Locks the directory until the descriptor ends. Two processes must not create the same store at once: only one may switch
    /// a new file to WAL.
    ///
    /// - Throws: `.store` if another process holds the lock for 2 s.
    private static func lock(_ directory: StateDirectory) throws(CaptureError) -> FileDescriptor {
        let folder: FileDescriptor
        do throws(Errno) {
            folder = try FileDescriptor(opening: directory.path, [.directory, .noFollow])
        } catch {
            throw StoreFailure.error(
                "The directory of the permission database, \(directory.path), can't be opened: \(error.text).",
                errno: error.number,
                "Give this user access to it.", command: ["chmod", "700", directory.path])
        }
        do throws(Errno) {
            try FileLock.take(folder, patience: .milliseconds(StoreDatabase.patience))
        } catch {
            throw StoreFailure.locked(directory.databasePath)
        }
        return folder
    }

    /// Creates an empty file with mode 0600, if none exists; SQLite gives its other files the same mode.
    ///
    /// A head file with lines proves that there was a database: it is then missing, and none is created in its place.
    private static func create(
        _ path: String, _ chain: AuditChain, for purpose: Purpose
    ) throws(CaptureError) {
        if purpose == .deciding, case .failure(let failure) = FileStatus.ofLink(path),
            failure == .noSuchFileOrDirectory,
            let known = try chain.head.read()?.after.last.number, known > 0
        {
            throw StoreFailure.lost(path, "audit.head has line \(known), but the database is missing")
        }
        do throws(Errno) {
            _ = try FileDescriptor(opening: path, [.readWrite, .create, .exclusive, .noFollow], mode: 0o600)
        } catch {
            guard error != .fileExists else { return }
            throw StoreFailure.error(
                "The permission database \(path) can't be created: \(error.text).", errno: error.number,
                "Make its directory writable for this user, or choose another one with XDG_STATE_HOME.",
                command: ["ls", "-la", StoreFailure.folder(of: path)])
        }
    }

    /// Switches the file to WAL, so that readers don't wait for a writer's disk, and makes each commit durable.
    private static func setUp(_ db: borrowing SQLiteConnection) throws {
        guard try db.value("PRAGMA journal_mode = WAL")?.text == "wal" else {
            throw SQLiteError.closed("its file system does not support SQLite's write-ahead log")
        }
        // FULL: otherwise a commit in WAL mode is not yet on the disk when it returns.
        try db.execute("PRAGMA synchronous = FULL")
        // The first process to open the store reads the whole write-ahead log. By default SQLite lets it grow to 4 MB. Reading
        // that would be more work than everything else in a short recording; a change writes about five pages.
        try db.execute("PRAGMA wal_autocheckpoint = 64")
    }

    /// Checks every page of the tables that decide. The log is checked with its chain: opening must not take longer as it
    /// grows.
    static func readBack(_ db: borrowing SQLiteConnection, at path: String) throws {
        // For the schema's own table it also checks the free pages: one that is in use would be overwritten.
        for table in ["decision", "kill_switch", "state", "sqlite_schema"] {
            try check(db, "integrity_check(\(table))", at: path)
        }
    }

    /// Runs one of SQLite's own checks.
    ///
    /// - Parameters:
    ///   - db: the database.
    ///   - pragma: `integrity_check`, which also compares the rows with the indexes, or `quick_check`, which does not; both
    ///     accept a table in parentheses.
    ///   - path: path of the file, for the error.
    static func check(_ db: borrowing SQLiteConnection, _ pragma: String, at path: String) throws {
        let finding = try db.value("PRAGMA \(pragma)")?.text ?? "it can't be checked"
        guard finding == "ok" else { throw StoreFailure.damaged(path, finding) }
    }
}
