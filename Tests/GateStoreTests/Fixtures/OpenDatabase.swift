import CSystem
import GRDB

/// Changes a store behind its back, as an intruder would.
func tamper(in folder: String, _ sql: String...) throws {
    let database = try DatabaseQueue(path: folder + "/grants.sqlite")
    try database.writeWithoutTransaction { db in
        for statement in sql { try db.execute(sql: statement) }
    }
}
