import GRDB
import Gate

extension SQLiteGrantStore {
    package func snapshot() throws(CaptureError) -> StoreSnapshot {
        let chain = AuditChain(headPath: folder.headPath)
        return try read { db in
            let state = try chain.confirmed(db)
            return StoreSnapshot(
                decisions: state.decisions, killSwitches: state.killSwitches,
                latestWallNanoseconds: state.latestWallNanoseconds, consumed: state.consumed)
        }
    }

    /// The program files that decisions speak of, as they were when they were decided about.
    ///
    /// - Throws: `.store`.
    package func executables() throws(CaptureError) -> [Executable] {
        try snapshot().decisions.map(\.subject.executable)
    }
}

extension Database {
    /// Several readings of one moment.
    func inSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try reading(.deferred, body)
    }

    /// Several readings while nobody writes.
    func inStandstill<Result>(_ body: () throws -> Result) throws -> Result {
        try reading(.immediate, body)
    }

    private func reading<Result>(_ kind: TransactionKind, _ body: () throws -> Result) throws -> Result {
        var result: Result?
        try inTransaction(kind) {
            result = try body()
            return .rollback
        }
        guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
        return result
    }
}
