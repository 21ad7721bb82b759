import CSystem

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

    /// The value of a column by its position in the query; NULL if there is none. There is no access by name: the names come
    /// from the file, not from the query.
    package subscript(index: Int) -> SQLiteValue { values.indices.contains(index) ? values[index] : .null }
}

/// One use of a prepared statement; the end of its owner's life resets it, so that no read lock remains.
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
        // Up to a NUL, as in C: indexes and comparisons then see exactly what is stored, and nothing hides behind it.
        let count = text.firstIndex(of: 0) ?? text.count
        return text.withMemoryRebound(to: CChar.self) { text in
            withUnsafePointer(to: CChar(0)) { cs_sqlite_bind_text(handle, index, text.baseAddress ?? $0, count) }
        }
    }

    /// Advances to the next row; `false` if there is none.
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
