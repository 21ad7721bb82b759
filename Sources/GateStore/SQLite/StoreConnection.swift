import CSystem
import GRDB
import Gate

/// One open database, and which file it was when it was opened.
struct StoreConnection: Sendable {
    /// How long a call waits for another process, milliseconds.
    static let patience = 2000

    /// What a store is opened for.
    enum Purpose: Sendable {
        /// To decide by it and to change it: it must be what its last change left.
        case deciding
        /// To read the log of one that may have lost something.
        case inspecting
    }

    let queue: DatabaseQueue
    private let device: UInt64
    private let inode: UInt64
    /// The write-ahead log, which is there as long as anybody has the database open.
    private let log: UInt64

    /// Opens and checks the database of a folder; makes it if it is missing.
    init(in directory: StateDirectory, for purpose: Purpose) throws(CaptureError) {
        let path = directory.databasePath
        let chain = AuditChain(headPath: directory.headPath)
        let lock = try FolderLock.take(on: directory)
        try StoreConnection.create(path, chain, for: purpose)
        do {
            queue = try DatabaseQueue(path: path, configuration: StoreConnection.configuration())
            try queue.writeWithoutTransaction { db in
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
            throw StoreFailure.damaged(path, "it vanished while it was opened")
        }
        (device, inode, self.log) = (status.device, status.inode, log.inode)
        // The compiler may end a value after its last use; this is the lock's.
        _ = consume lock
    }

    /// Whether `path` still is the file that was opened: it may have been restored or removed meanwhile.
    func isStill(at path: String) -> Bool {
        guard case .success(let status) = FileStatus.of(path) else { return false }
        return isOf(status)
    }

    /// Checks that the write-ahead log still is the one that was opened. From one that was taken away this process would go
    /// on reading, and nobody else would: what others decide from then on would not be seen here.
    ///
    /// - Throws: `.store`.
    func checkLog(at path: String) throws(CaptureError) {
        if case .success(let status) = FileStatus.ofLink(StoreConnection.log(of: path)), status.inode == log { return }
        throw StoreFailure.lost(path, "its write-ahead log was taken away or replaced while it was open")
    }

    private static func log(of path: String) -> String { path + "-wal" }

    /// Whether that is the file that was opened.
    func isOf(_ status: FileStatus) -> Bool {
        status.device == device && status.inode == inode
    }

    /// An empty file of the right mode, if there is none; SQLite gives its other files the same mode.
    ///
    /// Where the head knows of lines, there was one: it is missed, and none is made in its place.
    private static func create(
        _ path: String, _ chain: AuditChain, for purpose: Purpose
    ) throws(CaptureError) {
        if purpose == .deciding, case .failure(let failure) = FileStatus.ofLink(path), failure.errno == ENOENT,
            let known = try chain.head.read()?.after.last.number, known > 0
        {
            throw StoreFailure.lost(path, "audit.head knows of line \(known), and the database is missing")
        }
        let file = cs_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
        guard file >= 0 else {
            guard file != -EEXIST else { return }
            let failure = SystemFailure(result: file)
            throw StoreFailure.error(
                "The grant store \(path) can't be made: \(failure.text).", errno: failure.errno,
                "Make its folder writable for this user, or name another with XDG_STATE_HOME.",
                command: ["ls", "-la", StoreFailure.folder(of: path)])
        }
        _ = cs_close(file)
    }

    static func configuration() -> Configuration {
        var configuration = Configuration()
        configuration.label = "capturegate.store"
        configuration.busyMode = .timeout(Double(patience) / 1000)
        configuration.prepareDatabase { db in
            let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
            guard mode == "wal" else {
                throw DatabaseError(
                    resultCode: .SQLITE_CANTOPEN, message: "its file system has no shared memory for a WAL")
            }
            // FULL: a commit in WAL mode is otherwise not on the disk when it returns.
            try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF")
        }
        return configuration
    }

    /// Checks every page of what decides. The log is checked with its chain: opening must not take longer as it grows.
    static func readBack(_ db: Database, at path: String) throws {
        // Of the schema's own table it also goes through the free pages: one that is in use would be written over.
        for table in ["decision", "kill_switch", "state", "sqlite_schema"] {
            try check(db, "integrity_check(\(table))", at: path)
        }
    }

    /// - Parameter pragma: `integrity_check` also compares the rows with the indexes, which `quick_check` does not; both may
    ///   be of one table, in parentheses.
    static func check(_ db: Database, _ pragma: String, at path: String) throws {
        let finding = try String.fetchOne(db, sql: "PRAGMA \(pragma)") ?? "it can't be checked"
        guard finding == "ok" else { throw StoreFailure.damaged(path, finding) }
    }
}

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
