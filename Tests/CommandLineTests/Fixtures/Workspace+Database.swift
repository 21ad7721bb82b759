import GateStore
import LinuxSystem

extension Workspace {
    private func openDatabase() throws -> SQLiteConnection {
        try SQLiteConnection(path: store + "/grants.sqlite", busyTimeout: 2000)
    }

    /// Changes the store without the program, like an attacker who may write its files.
    func tamper(_ sql: String...) throws {
        let database = try openDatabase()
        for statement in sql { try database.execute(statement) }
    }

    /// Replaces the database with text.
    func damageDatabase() async throws {
        _ = try await run(["rm", "-f", store + "/grants.sqlite-wal"])
        try write(String(repeating: "nonsense", count: 2000), to: "state/capturegate/grants.sqlite")
    }

    /// Keeps everybody else from writing, as long as the lock lives or until it is closed.
    func lock() throws -> DatabaseLock { try DatabaseLock(openDatabase()) }
}

/// An exclusive lock on a database.
final class DatabaseLock {
    private let database: SQLiteConnection

    init(_ database: consuming SQLiteConnection) throws {
        try database.execute("BEGIN EXCLUSIVE")
        self.database = database
    }

    func close() throws { try database.execute("ROLLBACK") }
}
