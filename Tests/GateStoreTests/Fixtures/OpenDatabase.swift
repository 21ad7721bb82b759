import GateStore
import LinuxSystem

/// Opens the database of a store as any other program may.
func openDatabase(in folder: String, creates: Bool = false) throws -> SQLiteConnection {
    try SQLiteConnection(path: folder + "/grants.sqlite", creates: creates, busyTimeout: 2000)
}

/// Changes a store without the program, as an intruder would.
func tamper(in folder: String, _ sql: String...) throws {
    let database = try openDatabase(in: folder, creates: true)
    for statement in sql { try database.execute(statement) }
}
