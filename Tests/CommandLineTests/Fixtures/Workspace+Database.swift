import GRDB

extension Workspace {
    /// Changes the store behind the program's back, as somebody would who may write its files.
    func tamper(_ sql: String) throws {
        let database = try DatabaseQueue(path: store + "/grants.sqlite")
        try database.writeWithoutTransaction { try $0.execute(sql: sql) }
    }
}
