import CSystem

/// A failure that SQLite reports.
package struct SQLiteError: Error, Hashable, Sendable {
    /// SQLite's extended result code, positive (https://www.sqlite.org/rescode.html).
    package let code: Int
    /// SQLite's own sentence without a full stop: "database disk image is malformed".
    package let message: String

    /// Kinds of failures that call for different actions.
    package enum Kind: Hashable, Sendable {
        /// Another connection has the lock, and the busy timeout is over.
        case locked
        /// The disk or the quota is full.
        case full
        /// The file can't be opened, or only for reading.
        case closed
        /// A read, a write or a lock failed.
        case inputOutput
        /// The file is no database, or not one that this program wrote.
        case damaged
    }

    /// The kind, by the primary code; an extended code does not change the remedy.
    package var kind: Kind {
        switch code & 0xff {
        case CS_SQLITE_BUSY, CS_SQLITE_LOCKED: .locked
        case CS_SQLITE_FULL: .full
        case CS_SQLITE_READONLY, CS_SQLITE_PERM, CS_SQLITE_CANTOPEN, CS_SQLITE_AUTH: .closed
        case CS_SQLITE_IOERR: .inputOutput
        default: .damaged
        }
    }

    /// - Parameters:
    ///   - code: a primary or an extended result code; a shim's negative result will do.
    ///   - message: the cause; SQLite's words for the code where it is not said.
    package init(code: some BinaryInteger, message: String? = nil) {
        self.code = Int(code.magnitude)
        self.message = message ?? String(cString: cs_sqlite_code_text(Int32(clamping: code.magnitude)))
    }

    /// A file that can't be opened as is needed.
    package static func closed(_ message: String) -> SQLiteError {
        SQLiteError(code: CS_SQLITE_CANTOPEN, message: message)
    }

    /// A row that is not what this program writes.
    package static func corrupt(_ message: String) -> SQLiteError {
        SQLiteError(code: CS_SQLITE_CORRUPT, message: message)
    }
}

/// One connection to a database file, closed with its owner.
///
/// Statements are prepared once a connection: to prepare a short one takes SQLite longer than to run it.
///
/// Standard: sqlite3_open_v2 of libsqlite3, without a mutex of its own. *session-bound*
package struct SQLiteConnection: ~Copyable {
    private let database: UnsafeMutableRawPointer
    private let statements: StatementCache

    /// Opens the file to read and write. Nothing is read yet: a file that is no database fails at the first statement.
    ///
    /// - Parameters:
    ///   - path: path of the file.
    ///   - creates: true to create an empty database if there is none.
    ///   - busyTimeout: longest wait of a call for another connection, in milliseconds.
    package init(path: String, creates: Bool = false, busyTimeout: Int) throws(SQLiteError) {
        var opened: UnsafeMutableRawPointer?
        let result = cs_sqlite_open(path, Int32(creates ? CS_SQLITE_CREATE : 0), &opened)
        guard result >= 0, let opened else {
            let failure = SQLiteError(code: result, message: opened.map { String(cString: cs_sqlite_message($0)) })
            // After a failure SQLite still returns a connection, only for its message.
            if let opened { _ = cs_sqlite_close(opened) }
            throw failure
        }
        database = opened
        statements = StatementCache()
        setBusyTimeout(busyTimeout)
        _ = cs_sqlite_refuse_double_quoted_text(opened)
    }

    deinit {
        // Before the connection: while it has statements, it stays open, with its locks.
        statements.removeAll()
        _ = cs_sqlite_close(database)
    }

    /// Sets the longest wait of a call for another connection, in milliseconds; 0 does not wait.
    package func setBusyTimeout(_ milliseconds: Int) {
        _ = cs_sqlite_busy_timeout(database, Int32(clamping: milliseconds))
    }

    /// Runs one or more statements without parameters, and ignores their rows.
    package func execute(_ sql: String) throws(SQLiteError) {
        try checked(cs_sqlite_execute(database, sql))
    }

    /// Runs one statement with values for its parameters.
    package func run(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) {
        var statement = try prepared(sql, values)
        while try statement.step() {}
    }

    /// All rows of a query.
    package func rows(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) -> [SQLiteRow] {
        var statement = try prepared(sql, values)
        var rows: [SQLiteRow] = []
        while try statement.step() { rows.append(statement.row) }
        return rows
    }

    /// The first row of a query, if it has any.
    package func row(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) -> SQLiteRow? {
        var statement = try prepared(sql, values)
        return try statement.step() ? statement.row : nil
    }

    /// The first column of the first row; `nil` also if that is NULL.
    package func value(_ sql: String) throws(SQLiteError) -> SQLiteValue? {
        guard let value = try row(sql)?.values.first, value != .null else { return nil }
        return value
    }

    /// A statement with values for its parameters, to step through. Its text may be requested again while it is in use.
    package func prepared(
        _ sql: String, _ values: [SQLiteValue] = []
    ) throws(SQLiteError) -> SQLiteStatement {
        let statement = SQLiteStatement(try idle(sql), sql, of: database, statements)
        try statement.bind(values)
        return statement
    }

    /// An unused statement: from the cache, or prepared.
    private func idle(_ sql: String) throws(SQLiteError) -> UnsafeMutableRawPointer {
        if let statement = statements.take(sql) { return statement }
        var made: UnsafeMutableRawPointer?
        try checked(cs_sqlite_prepare(database, sql, &made))
        guard let made else { throw SQLiteError(code: CS_SQLITE_ERROR, message: "there is no statement in the text") }
        return made
    }

    /// The row number of the last INSERT.
    package var lastRow: Int64 { cs_sqlite_last_row(database) }

    /// Number of rows changed by the last INSERT, UPDATE or DELETE.
    package var changes: Int { Int(cs_sqlite_changes(database)) }

    /// Throws for a failed call, with SQLite's message.
    private func checked(_ result: Int32) throws(SQLiteError) {
        guard result < 0 else { return }
        throw SQLiteError(code: result, message: String(cString: cs_sqlite_message(database)))
    }
}

// MARK: - Transactions

extension SQLiteConnection {
    /// Moment at which a transaction takes its lock.
    package enum TransactionKind: String, Sendable {
        /// At its first statement: a read of one moment, while others may write.
        case deferred = "DEFERRED"
        /// Immediately, against other writers.
        case immediate = "IMMEDIATE"
        /// Immediately, against everybody outside of WAL mode.
        case exclusive = "EXCLUSIVE"
    }

    /// End of a transaction without an error.
    package enum TransactionEnd: Sendable {
        case commit, rollback
    }

    /// Runs `body` in a transaction, which is rolled back if it throws. Transactions do not nest.
    package func inTransaction(_ kind: TransactionKind, _ body: () throws -> TransactionEnd) throws {
        try execute("BEGIN \(kind.rawValue)")
        do {
            let end = try body()
            if end == .commit { return try commit() }
        } catch {
            // The first failure is the one that tells the reason.
            try? rollBack()
            throw error
        }
        try rollBack()
    }

    /// Several reads of one moment.
    package func inSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try reading(.deferred, body)
    }

    /// Several reads while nobody else writes.
    package func inStandstill<Result>(_ body: () throws -> Result) throws -> Result {
        try reading(.immediate, body)
    }

    private func reading<Result>(_ kind: TransactionKind, _ body: () throws -> Result) throws -> Result {
        var result: Result?
        try inTransaction(kind) {
            result = try body()
            return .rollback
        }
        guard let result else { throw SQLiteError(code: CS_SQLITE_ABORT) }
        return result
    }

    /// Commits, if the transaction still exists.
    private func commit() throws(SQLiteError) {
        // A full disk or a failed write ends a transaction by itself; later statements of `body` ran outside of it.
        guard isInTransaction else { throw SQLiteError(code: CS_SQLITE_ABORT) }
        try execute("COMMIT")
    }

    /// Rolls back, unless SQLite did so itself.
    private func rollBack() throws(SQLiteError) {
        if isInTransaction { try execute("ROLLBACK") }
    }

    private var isInTransaction: Bool { cs_sqlite_autocommit(database) == 0 }
}
