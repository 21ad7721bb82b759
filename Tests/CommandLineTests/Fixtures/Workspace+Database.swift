import GRDB

extension Workspace {
    /// Changes the store behind the program's back, as somebody would who may write its files.
    func tamper(_ sql: String...) throws {
        let database = try DatabaseQueue(path: store + "/grants.sqlite")
        try database.writeWithoutTransaction { db in
            for statement in sql { try db.execute(sql: statement) }
        }
    }

    /// Keeps everybody else from writing, as long as the lock lives.
    func lock() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let database = try DatabaseQueue(path: store + "/grants.sqlite", configuration: configuration)
        try database.writeWithoutTransaction { try $0.beginTransaction(.exclusive) }
        return database
    }
}
