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

extension DecisionRow {
    /// Inserts a decision and gives it back with its number.
    static func insert(_ decision: Decision, _ db: Database) throws -> Decision {
        let columns = columns(of: decision)
        let names = columns.map(\.name).joined(separator: ", ")
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        try db.execute(
            sql: "INSERT INTO decision (\(names)) VALUES (\(marks))",
            arguments: StatementArguments(columns.map(\.value)))
        return decision.numbered(db.lastInsertedRowID)
    }

    private typealias Column = (name: String, value: (any DatabaseValueConvertible)?)

    private static func columns(of decision: Decision) -> [Column] {
        let what: [Column] = [
            ("verdict", decision.verdict.rawValue), ("capability", decision.capability.rawValue),
            ("level", decision.level.name), ("rank", decision.level.rank), ("device", decision.device.stored),
            ("decided_wall", decision.decidedAt.wallNanoseconds), ("decided_boot", decision.decidedAt.bootNanoseconds),
            ("decided_boot_id", decision.decidedAt.bootID),
        ]
        return what + columns(of: decision.subject) + columns(of: decision.lifetime) + columns(of: decision.decidedBy)
    }

    private static func columns(of subject: Subject) -> [Column] {
        [
            ("uid", subject.userID), ("gids", subject.groupIDs.map(String.init).joined(separator: " ")),
            ("executable", subject.executable.path), ("inode", Int64(bitPattern: subject.executable.inode)),
            ("sha256", subject.executable.sha256), ("stamp", subject.executable.stamp),
            ("application_kind", subject.application?.kind.rawValue), ("application", subject.application?.name),
            ("session_leader", subject.session.leader),
            ("session_start", Int64(bitPattern: subject.session.startTicks)),
            ("session_boot", subject.session.bootID),
        ]
    }

    private static func columns(of lifetime: Lifetime) -> [Column] {
        switch lifetime {
        case .once: [("lifetime", "once")]
        case .always: [("lifetime", "always")]
        case .session(let session):
            [
                ("lifetime", "session"), ("lifetime_leader", session.leader),
                ("lifetime_start", Int64(bitPattern: session.startTicks)), ("lifetime_boot_id", session.bootID),
            ]
        case .until(let end):
            [
                ("lifetime", "until"), ("lifetime_wall", end.wallNanoseconds),
                ("lifetime_boot", end.bootNanoseconds), ("lifetime_boot_id", end.bootID),
            ]
        }
    }

    private static func columns(of decider: Decider) -> [Column] {
        switch decider {
        case .person(let prompter): [("decider", "person"), ("decider_name", prompter)]
        case .command: [("decider", "command")]
        case .policy(let origin):
            [("decider", "policy"), ("decider_name", origin.file), ("decider_line", origin.line)]
        // The table takes no such row: what the system allows is read from the system.
        case .system: [("decider", "system")]
        }
    }
}

extension Decision {
    fileprivate func numbered(_ id: Int64) -> Decision {
        Decision(
            id: id, verdict: verdict, subject: subject, capability: capability, level: level, device: device,
            lifetime: lifetime, decidedBy: decidedBy, decidedAt: decidedAt)
    }
}

extension DecisionRow {
    /// - Throws: a `DatabaseError` if a column is not what this program writes: whoever changed the row by hand, it
    ///   must not decide anything.
    static func decode(_ row: Row) throws -> Decision {
        Decision(
            id: try row.value("id"), verdict: try verdict(of: row), subject: try subject(of: row),
            capability: CapabilityName(rawValue: try row.value("capability")),
            level: AccessLevel(name: try row.value("level"), rank: try row.value("rank")),
            device: try row.optional("device").map { .id(DeviceID(rawValue: $0)) } ?? .any,
            lifetime: try lifetime(of: row), decidedBy: try decider(of: row),
            decidedAt: GateInstant(
                wallNanoseconds: try row.value("decided_wall"), bootNanoseconds: try row.value("decided_boot"),
                bootID: try row.value("decided_boot_id")))
    }

    private static func verdict(of row: Row) throws -> Decision.Verdict {
        guard let verdict = Decision.Verdict(rawValue: try row.value("verdict")) else { throw row.fault("verdict") }
        return verdict
    }

    private static func subject(of row: Row) throws -> Subject {
        let groups: String = try row.value("gids")
        return Subject(
            userID: try row.value("uid"), groupIDs: groups.split(separator: " ").compactMap { UInt32($0) },
            executable: Executable(
                path: try row.value("executable"), inode: UInt64(bitPattern: try row.value("inode")),
                sha256: try row.value("sha256"), stamp: try row.optional("stamp")),
            application: try application(of: row),
            session: LoginSession(
                leader: try row.value("session_leader"), startTicks: UInt64(bitPattern: try row.value("session_start")),
                bootID: try row.value("session_boot")))
    }

    private static func application(of row: Row) throws -> ApplicationID? {
        guard let name: String = try row.optional("application") else { return nil }
        guard let kind = ApplicationID.Kind(rawValue: try row.value("application_kind")) else {
            throw row.fault("application_kind")
        }
        return ApplicationID(kind: kind, name: name)
    }

    private static func lifetime(of row: Row) throws -> Lifetime {
        let word: String = try row.value("lifetime")
        switch word {
        case "once": return .once
        case "always": return .always
        case "session":
            return .session(
                LoginSession(
                    leader: try row.value("lifetime_leader"),
                    startTicks: UInt64(bitPattern: try row.value("lifetime_start")),
                    bootID: try row.value("lifetime_boot_id")))
        case "until":
            return .until(
                GateInstant(
                    wallNanoseconds: try row.value("lifetime_wall"), bootNanoseconds: try row.value("lifetime_boot"),
                    bootID: try row.value("lifetime_boot_id")))
        default: throw row.fault("lifetime")
        }
    }

    private static func decider(of row: Row) throws -> Decider {
        let word: String = try row.value("decider")
        switch word {
        case "person": return .person(prompter: try row.value("decider_name"))
        case "command": return .command
        case "policy":
            return .policy(PolicyOrigin(file: try row.value("decider_name"), line: try row.value("decider_line")))
        default: throw row.fault("decider")
        }
    }
}

extension Row {
    /// A column that must be there and of the type: GRDB's own subscript would trap on what it can't convert.
    fileprivate func value<Value: DatabaseValueConvertible>(_ column: String) throws -> Value {
        guard let value: Value = try optional(column) else { throw fault(column) }
        return value
    }

    fileprivate func optional<Value: DatabaseValueConvertible>(_ column: String) throws -> Value? {
        let stored: DatabaseValue? = self[column]
        guard let stored, !stored.isNull else { return nil }
        guard let value = Value.fromDatabaseValue(stored) else { throw fault(column) }
        return value
    }

    fileprivate func fault(_ column: String) -> DatabaseError {
        let number: DatabaseValue? = self["id"]
        return DatabaseError(
            resultCode: .SQLITE_CORRUPT, message: "decision \(number ?? .null) has no valid \(column)")
    }
}
