import GRDB
import Gate

/// Decisions as rows of the table `decision`.
enum DecisionRow {
    /// All columns, by their names: one that has lost its name is an error, not an absent value.
    static let columns = """
        id, verdict, uid, gids, executable, inode, sha256, application_kind, application, session_leader, session_start,
        session_boot, capability, level, rank, device, lifetime, lifetime_leader, lifetime_start, lifetime_wall,
        lifetime_boot, lifetime_boot_id, decider, decider_name, decider_line, decided_wall, decided_boot,
        decided_boot_id, consumed_boot_id, stamp
        """

    /// Whether it was for one capture, and that has begun.
    static func isConsumed(_ row: Row) -> Bool {
        let boot: DatabaseValue? = row["consumed_boot_id"]
        return boot?.isNull == false
    }

    /// Those that exist, used up or not.
    static func fetchAll(_ db: Database, ids: [Int64]) throws -> [Decision] {
        try Set(ids).sorted().compactMap { id in
            try db.row("SELECT * FROM decision WHERE id = ?", [id]).map(decode)
        }
    }

    /// Removes what a new decision replaces: all of the same key, but a permission for one capture stands beside the
    /// lasting decision, which holds again when it is used up.
    ///
    /// A denial also removes what was used up and speaks of a device it covers, so that a capture resting on that
    /// ends. A new permission leaves it: two clips, each allowed once, may run side by side.
    static func clearWay(for decision: Decision, _ db: Database) throws {
        let isOnce = decision.verdict == .allow && decision.lifetime == .once
        let key: StatementArguments = [
            decision.subject.userID, decision.subject.executable.path, decision.capability.rawValue,
            decision.device.stored,
        ]
        try db.execute(
            sql: """
                DELETE FROM decision WHERE uid = ?1 AND executable = ?2 AND capability = ?3 AND device IS ?4
                AND consumed_boot_id IS NULL \(isOnce ? "AND verdict = 'allow' AND lifetime = 'once'" : "")
                """, arguments: key)
        guard decision.verdict == .deny else { return }
        try db.execute(
            sql: """
                DELETE FROM decision WHERE uid = ?1 AND executable = ?2 AND capability = ?3
                AND (?4 IS NULL OR device IS NULL OR device = ?4) AND consumed_boot_id IS NOT NULL
                """, arguments: key)
    }

    /// Forgets what captures of an earlier boot used up: none rests on it any more.
    static func forgetConsumed(butOf bootID: String, _ db: Database) throws {
        try db.run("DELETE FROM decision WHERE consumed_boot_id <> ?", [bootID])
    }

    /// Marks a `once` decision as used up.
    static func consume(_ id: Int64, bootID: String, _ db: Database) throws -> Decision {
        let row = try Row.fetchOne(
            db, sql: "SELECT * FROM decision WHERE id = ? AND lifetime = 'once' AND consumed_boot_id IS NULL",
            arguments: [id])
        guard let row else {
            throw CaptureError(
                .notAuthorized, "The permission for one capture (decision \(id)) is used up or was taken back.",
                remedies: [Remedy("Ask again for another capture.")])
        }
        try db.execute(sql: "UPDATE decision SET consumed_boot_id = ? WHERE id = ?", arguments: [bootID, id])
        return try decode(row)
    }
}

extension DeviceSelector {
    /// The column `device`: NULL for any.
    var stored: String? {
        switch self {
        case .any: nil
        case .id(let id): id.rawValue
        }
    }
}
