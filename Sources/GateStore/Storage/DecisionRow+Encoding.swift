import GRDB
import Gate

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
