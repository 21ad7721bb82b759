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
    ///   - code: a primary or an extended result code, or a shim's negative result.
    ///   - message: the cause; by default SQLite's text for the code.
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
/// Statements are prepared once per connection: preparing a short one takes SQLite longer than running it.
///
/// Standard: sqlite3_open_v2 of libsqlite3, without a mutex. *session-bound*
package struct SQLiteConnection: ~Copyable {
    private let database: UnsafeMutableRawPointer
    private let statements: StatementCache

    /// Opens the file to read and write. Nothing is read yet: a file that is not a database fails at the first statement.
    ///
    /// - Parameters:
    ///   - path: path of the file.
    ///   - creates: true to create an empty database if none exists.
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

/// A value of a column or of a statement's parameter.
package enum SQLiteValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case float(Double)
    case text(String)
    case blob([UInt8])

    /// NULL for `nil`.
    package init(_ text: String?) { self = text.map(SQLiteValue.text) ?? .null }

    /// NULL for `nil`; a number beyond 64 signed bits is clamped.
    package init(_ number: (some BinaryInteger)?) { self = number.map { .integer(Int64(clamping: $0)) } ?? .null }

    /// The number; `nil` for a value of another kind.
    package var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    /// The text; `nil` for a value of another kind.
    package var text: String? {
        if case .text(let text) = self { text } else { nil }
    }
}

/// A row of a query, copied.
package struct SQLiteRow: Hashable, Sendable {
    package let values: [SQLiteValue]

    /// Value of a column by its position in the query; NULL if none exists. There is no access by name, since the names come
    /// from the file, not from the query.
    package subscript(index: Int) -> SQLiteValue { values.indices.contains(index) ? values[index] : .null }
}

/// One use of a prepared statement; when its owner is destroyed, the statement is reset, so that no read lock remains.
///
/// Standard: sqlite3_stmt of libsqlite3. *session-bound*
package struct SQLiteStatement: ~Copyable {
    private let handle: UnsafeMutableRawPointer
    private let database: UnsafeMutableRawPointer
    private let sql: String
    private let cache: StatementCache

    init(
        _ handle: UnsafeMutableRawPointer, _ sql: String, of database: UnsafeMutableRawPointer, _ cache: StatementCache
    ) {
        self.handle = handle
        self.sql = sql
        self.database = database
        self.cache = cache
    }

    deinit {
        cs_sqlite_reset(handle)
        cache.put(handle, sql)
    }

    /// Sets the parameters from the first on.
    func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
        for (index, value) in values.enumerated() {
            let result = bind(value, at: Int32(index + 1))
            guard result >= 0 else { throw failure(result) }
        }
    }

    private func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
        switch value {
        case .integer(let number): cs_sqlite_bind_integer(handle, index, number)
        case .text(var text): text.withUTF8 { bind($0, at: index) }
        case .null: cs_sqlite_bind_null(handle, index)
        // No table of this program has columns of these kinds; they are read for digests, and never written.
        case .float, .blob: -Int32(CS_SQLITE_MISMATCH)
        }
    }

    private func bind(_ text: UnsafeBufferPointer<UInt8>, at index: Int32) -> Int32 {
        // Up to a NUL, as in C: indexes and comparisons then see exactly the stored text, and nothing is hidden after it.
        let count = text.firstIndex(of: 0) ?? text.count
        return text.withMemoryRebound(to: CChar.self) { text in
            withUnsafePointer(to: CChar(0)) { cs_sqlite_bind_text(handle, index, text.baseAddress ?? $0, count) }
        }
    }

    /// Advances to the next row; `false` if none exists.
    package mutating func step() throws(SQLiteError) -> Bool {
        let result = cs_sqlite_step(handle)
        guard result >= 0 else { throw failure(result) }
        return result > 0
    }

    /// The row of the last step.
    package var row: SQLiteRow { SQLiteRow(values: columns.map { value($0) }) }

    private var columns: Range<Int32> { 0..<cs_sqlite_columns(handle) }

    /// Copies a column's value. The kind is read first: any other call may convert the value, and change its kind.
    private func value(_ column: Int32) -> SQLiteValue {
        switch Int(cs_sqlite_column_kind(handle, column)) {
        case CS_SQLITE_INTEGER: .integer(cs_sqlite_column_integer(handle, column))
        case CS_SQLITE_FLOAT: .float(cs_sqlite_column_float(handle, column))
        case CS_SQLITE_TEXT: .text(String(decoding: bytes(column), as: UTF8.self))
        case CS_SQLITE_BLOB: .blob(Array(bytes(column)))
        default: .null
        }
    }

    /// The bytes of a text or a blob in SQLite's memory, until the next step.
    private func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        var count = 0
        let start = cs_sqlite_column_bytes(handle, column, &count)
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    }

    private func failure(_ result: Int32) -> SQLiteError {
        SQLiteError(code: result, message: String(cString: cs_sqlite_message(database)))
    }
}

/// A connection's unused statements, by their text.
///
/// A statement in use is taken out: a second request for it meanwhile prepares a new one, instead of resetting the one being
/// stepped through.
final class StatementCache {
    private var idle: [String: UnsafeMutableRawPointer] = [:]

    /// Takes a statement out for use.
    func take(_ sql: String) -> UnsafeMutableRawPointer? { idle.removeValue(forKey: sql) }

    /// Puts a statement back. If its text is already there, it is finalized.
    func put(_ statement: UnsafeMutableRawPointer, _ sql: String) {
        if let spare = idle.updateValue(statement, forKey: sql) { _ = cs_sqlite_finalize(spare) }
    }

    func removeAll() {
        for statement in idle.values { _ = cs_sqlite_finalize(statement) }
        idle = [:]
    }

    deinit { removeAll() }
}
