import GRDB
import Gate

extension SQLiteGrantStore {
    package func snapshot() throws(CaptureError) -> StoreSnapshot {
        try read { db in
            try db.inSnapshot {
                StoreSnapshot(
                    decisions: try DecisionRow.fetchAll(db, where: "consumed_boot_id IS NULL"),
                    killSwitches: try SQLiteGrantStore.killSwitches(db),
                    latestWallNanoseconds: try SQLiteGrantStore.latestWall(db),
                    consumed: try DecisionRow.fetchAll(db, where: "consumed_boot_id IS NOT NULL"))
            }
        }
    }

    /// The program files that decisions speak of, as they were when they were decided about.
    ///
    /// - Throws: `.store`.
    package func executables() throws(CaptureError) -> [Executable] {
        try snapshot().decisions.map(\.subject.executable)
    }

    private static func latestWall(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(try db.cachedStatement(sql: "SELECT latest_wall FROM state")) ?? 0
    }

    private static func killSwitches(_ db: Database) throws -> Set<CapabilityName> {
        let names = try String.fetchAll(try db.cachedStatement(sql: "SELECT capability FROM kill_switch"))
        return Set(names.map(CapabilityName.init(rawValue:)))
    }
}

extension Database {
    /// Several readings of one moment.
    func inSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
        var result: Result?
        try inTransaction(.deferred) {
            result = try body()
            return .commit
        }
        guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
        return result
    }
}
