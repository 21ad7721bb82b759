import Gate
import LinuxSystem

/// The table `decision`: one row a stored decision.
enum DecisionTable {
    /// The columns, in the order of reading.
    enum Column: String, CaseIterable {
        case id, verdict, uid, gids, executable, inode, sha256
        case applicationKind = "application_kind"
        case application
        case sessionLeader = "session_leader"
        case sessionStart = "session_start"
        case sessionBoot = "session_boot"
        case capability, level, rank, device, lifetime
        case lifetimeLeader = "lifetime_leader"
        case lifetimeStart = "lifetime_start"
        case lifetimeWall = "lifetime_wall"
        case lifetimeBoot = "lifetime_boot"
        case lifetimeBootID = "lifetime_boot_id"
        case decider
        case deciderName = "decider_name"
        case deciderLine = "decider_line"
        case decidedWall = "decided_wall"
        case decidedBoot = "decided_boot"
        case decidedBootID = "decided_boot_id"
        case consumedBootID = "consumed_boot_id"
        case stamp

        /// Positions in the query. Columns are read by position, never by the file's names: SQLite matches a column name in any
        /// case, and one flipped bit in it would make a value look absent.
        fileprivate static let positions = Dictionary(
            uniqueKeysWithValues: allCases.enumerated().map { ($0.element, $0.offset) })
    }

    /// All columns by name. A column that lost its name is then an error, not an absent value.
    static let columns = Column.allCases.map(\.rawValue).joined(separator: ", ")

    /// True for a permission used up by a capture that has begun.
    static func isConsumed(_ row: SQLiteRow) -> Bool { row[.consumedBootID] != .null }

    /// The existing decisions with these numbers, consumed or not, in the order of their numbers.
    static func fetchAll(_ db: borrowing SQLiteConnection, ids: [Int64]) throws -> [Decision] {
        var found: [Decision] = []
        for id in Set(ids).sorted() {
            let row = try db.row("SELECT \(columns) FROM decision WHERE id = ?", [.integer(id)])
            if let row { found.append(try decode(row)) }
        }
        return found
    }

    /// Removes the decisions that a new one replaces: all with the same key. A permission for one capture coexists with the
    /// lasting decision, which applies again once it is consumed. One for a session leaves those for other sessions: each holds
    /// there alone.
    ///
    /// A denial also removes consumed permissions for a device it covers, so that a capture based on one ends. A new permission
    /// leaves them: two clips, each allowed once, may run side by side.
    static func clearWay(for decision: Decision, _ db: borrowing SQLiteConnection) throws {
        let isOnce = decision.verdict == .allow && decision.lifetime == .once
        let key: [SQLiteValue] = [
            .integer(Int64(decision.subject.userID)), .text(decision.subject.executable.path),
            .text(decision.capability.rawValue), SQLiteValue(decision.device.stored),
        ]
        let session = decision.lifetime.session.map(SQLiteValue.text)
        try db.run(
            """
            DELETE FROM decision WHERE uid = ?1 AND executable = ?2 AND capability = ?3 AND device IS ?4
            AND consumed_boot_id IS NULL \(isOnce ? "AND verdict = 'allow' AND lifetime = 'once'" : "")
            \(session == nil ? "" : "AND \(StoreSchema.session) IN ('', ?5)")
            """, key + (session.map { [$0] } ?? []))
        guard decision.verdict == .deny else { return }
        try db.run(
            """
            DELETE FROM decision WHERE uid = ?1 AND executable = ?2 AND capability = ?3
            AND (?4 IS NULL OR device IS NULL OR device = ?4) AND consumed_boot_id IS NOT NULL
            """, key)
    }

    /// Inserts a decision and returns it with its number.
    static func insert(_ decision: Decision, _ db: borrowing SQLiteConnection) throws -> Decision {
        let fields = fields(of: decision)
        let names = fields.map(\.column.rawValue).joined(separator: ", ")
        let marks = fields.map { _ in "?" }.joined(separator: ", ")
        try db.run("INSERT INTO decision (\(names)) VALUES (\(marks))", fields.map(\.value))
        return decision.numbered(db.lastRow)
    }

    /// Removes the decisions with these numbers and returns them.
    static func remove(_ ids: [Int64], _ db: borrowing SQLiteConnection) throws -> [Decision] {
        let removed = try fetchAll(db, ids: ids)
        for decision in removed { try db.run("DELETE FROM decision WHERE id = ?", [SQLiteValue(decision.id)]) }
        return removed
    }

    /// Removes what belongs to an earlier boot: permissions that its captures consumed, and decisions for its sessions. No
    /// running capture depends on them.
    static func forgetEarlier(butOf bootID: String, _ db: borrowing SQLiteConnection) throws {
        try db.run(
            """
            DELETE FROM decision
            WHERE consumed_boot_id <> ?1 OR (lifetime = 'session' AND lifetime_boot_id <> ?1)
            """, [.text(bootID)])
    }

    /// Marks a `once` decision as consumed.
    static func consume(_ id: Int64, bootID: String, _ db: borrowing SQLiteConnection) throws -> Decision {
        let row = try db.row(
            "SELECT \(columns) FROM decision WHERE id = ? AND lifetime = 'once' AND consumed_boot_id IS NULL",
            [.integer(id)])
        guard let row else {
            throw CaptureError(
                .notAuthorized, "The permission for one capture (decision \(id)) was used or revoked.",
                remedies: [Remedy("Ask for permission again.")])
        }
        try db.run("UPDATE decision SET consumed_boot_id = ? WHERE id = ?", [.text(bootID), .integer(id)])
        return try decode(row)
    }
}

extension DeviceSelector {
    /// The column `device`: NULL for any.
    fileprivate var stored: String? {
        switch self {
        case .any: nil
        case .id(let id): id.rawValue
        }
    }
}

extension Lifetime {
    /// Session that the decision ends with, in the form of `StoreSchema.session`; `nil` for another end.
    fileprivate var session: String? {
        guard case .session(let session) = self else { return nil }
        return "\(session.leader) \(Int64(bitPattern: session.startTicks)) \(session.bootID)"
    }
}

extension Decision {
    /// The same decision with the number that the table gave it.
    fileprivate func numbered(_ id: Int64) -> Decision {
        Decision(
            id: id, verdict: verdict, subject: subject, capability: capability, level: level, device: device,
            lifetime: lifetime, decidedBy: decidedBy, decidedAt: decidedAt)
    }
}

// MARK: - Encoding

extension DecisionTable {
    private typealias Field = (column: Column, value: SQLiteValue)

    /// Only fields that have a value: a column that this kind of decision lacks stays NULL.
    private static func fields(of decision: Decision) -> [Field] {
        let own: [Field] = [
            (.verdict, .text(decision.verdict.rawValue)), (.capability, .text(decision.capability.rawValue)),
            (.level, .text(decision.level.name)), (.rank, SQLiteValue(decision.level.rank)),
            (.device, SQLiteValue(decision.device.stored)),
            (.decidedWall, .integer(decision.decidedAt.wallNanoseconds)),
            (.decidedBoot, .integer(decision.decidedAt.bootNanoseconds)),
            (.decidedBootID, .text(decision.decidedAt.bootID)),
        ]
        return own + fields(of: decision.subject) + fields(of: decision.lifetime) + fields(of: decision.decidedBy)
    }

    private static func fields(of subject: Subject) -> [Field] {
        [
            (.uid, .integer(Int64(subject.userID))),
            (.gids, .text(subject.groupIDs.map(String.init).joined(separator: " "))),
            (.executable, .text(subject.executable.path)), (.inode, .bits(subject.executable.inode)),
            (.sha256, .text(subject.executable.sha256)), (.stamp, SQLiteValue(subject.executable.stamp)),
            (.applicationKind, SQLiteValue(subject.application?.kind.rawValue)),
            (.application, SQLiteValue(subject.application?.name)),
            (.sessionLeader, SQLiteValue(subject.session.leader)),
            (.sessionStart, .bits(subject.session.startTicks)), (.sessionBoot, .text(subject.session.bootID)),
        ]
    }

    /// A session and a moment share no column but the boot: both are void after it.
    private static func fields(of lifetime: Lifetime) -> [Field] {
        switch lifetime {
        case .once: [(.lifetime, .text("once"))]
        case .always: [(.lifetime, .text("always"))]
        case .session(let session):
            [
                (.lifetime, .text("session")), (.lifetimeLeader, SQLiteValue(session.leader)),
                (.lifetimeStart, .bits(session.startTicks)), (.lifetimeBootID, .text(session.bootID)),
            ]
        case .until(let end):
            [
                (.lifetime, .text("until")), (.lifetimeWall, .integer(end.wallNanoseconds)),
                (.lifetimeBoot, .integer(end.bootNanoseconds)), (.lifetimeBootID, .text(end.bootID)),
            ]
        }
    }

    /// Columns that name the decider, for the status and the log; nothing is decided by them.
    private static func fields(of decider: Decider) -> [Field] {
        switch decider {
        case .person(let prompter): [(.decider, .text("person")), (.deciderName, .text(prompter))]
        case .command: [(.decider, .text("command"))]
        case .policy(let origin):
            [
                (.decider, .text("policy")), (.deciderName, .text(origin.file)),
                (.deciderLine, SQLiteValue(origin.line)),
            ]
        // The table refuses such a row: the system's own permissions are read from the system each time.
        case .system: [(.decider, .text("system"))]
        }
    }
}

extension SQLiteValue {
    /// 64 unsigned bits as SQLite's signed number of the same pattern.
    fileprivate static func bits(_ number: UInt64) -> SQLiteValue { .integer(Int64(bitPattern: number)) }
}

// MARK: - Decoding

extension DecisionTable {
    /// - Throws: `SQLiteError` for a column that this program would not have written: a row that somebody changed must not decide
    ///   anything.
    static func decode(_ row: SQLiteRow) throws(SQLiteError) -> Decision {
        Decision(
            id: try row.number(.id), verdict: try verdict(of: row), subject: try subject(of: row),
            capability: CapabilityName(rawValue: try row.text(.capability)),
            level: AccessLevel(name: try row.text(.level), rank: try row.number(.rank)),
            device: try row.optionalText(.device).map { .id(DeviceID(rawValue: $0)) } ?? .any,
            lifetime: try lifetime(of: row), decidedBy: try decider(of: row),
            decidedAt: GateInstant(
                wallNanoseconds: try row.number(.decidedWall), bootNanoseconds: try row.number(.decidedBoot),
                bootID: try row.text(.decidedBootID)))
    }

    /// Checks the word: the table's own check does not notice a flipped bit.
    private static func verdict(of row: SQLiteRow) throws(SQLiteError) -> Decision.Verdict {
        guard let verdict = Decision.Verdict(rawValue: try row.text(.verdict)) else { throw row.fault(.verdict) }
        return verdict
    }

    /// The subject, by the columns that every decision has; group numbers are separated by blanks.
    private static func subject(of row: SQLiteRow) throws(SQLiteError) -> Subject {
        let groups = try row.text(.gids)
        return Subject(
            userID: try row.number(.uid), groupIDs: groups.split(separator: " ").compactMap { UInt32($0) },
            executable: Executable(
                path: try row.text(.executable), inode: UInt64(bitPattern: try row.number(.inode)),
                sha256: try row.text(.sha256), stamp: try row.optionalText(.stamp)),
            application: try application(of: row),
            session: LoginSession(
                leader: try row.number(.sessionLeader),
                startTicks: UInt64(bitPattern: try row.number(.sessionStart)),
                bootID: try row.text(.sessionBoot)))
    }

    /// The unit, Flatpak or snap that the program ran in; a name without a kind is an error.
    private static func application(of row: SQLiteRow) throws(SQLiteError) -> ApplicationID? {
        guard let name = try row.optionalText(.application) else { return nil }
        guard let kind = ApplicationID.Kind(rawValue: try row.text(.applicationKind)) else {
            throw row.fault(.applicationKind)
        }
        return ApplicationID(kind: kind, name: name)
    }

    private static func lifetime(of row: SQLiteRow) throws(SQLiteError) -> Lifetime {
        switch try row.text(.lifetime) {
        case "once": return .once
        case "always": return .always
        case "session":
            return .session(
                LoginSession(
                    leader: try row.number(.lifetimeLeader),
                    startTicks: UInt64(bitPattern: try row.number(.lifetimeStart)),
                    bootID: try row.text(.lifetimeBootID)))
        case "until":
            return .until(
                GateInstant(
                    wallNanoseconds: try row.number(.lifetimeWall), bootNanoseconds: try row.number(.lifetimeBoot),
                    bootID: try row.text(.lifetimeBootID)))
        default: throw row.fault(.lifetime)
        }
    }

    private static func decider(of row: SQLiteRow) throws(SQLiteError) -> Decider {
        switch try row.text(.decider) {
        case "person": return .person(prompter: try row.text(.deciderName))
        case "command": return .command
        case "policy":
            return .policy(PolicyOrigin(file: try row.text(.deciderName), line: try row.number(.deciderLine)))
        default: throw row.fault(.decider)
        }
    }
}

extension SQLiteRow {
    fileprivate subscript(column: DecisionTable.Column) -> SQLiteValue {
        DecisionTable.Column.positions[column].map { self[$0] } ?? .null
    }

    /// - Throws: `SQLiteError` for NULL, and for a value of another kind: text with a flipped bit may come back as a blob.
    fileprivate func text(_ column: DecisionTable.Column) throws(SQLiteError) -> String {
        guard let text = self[column].text else { throw fault(column) }
        return text
    }

    /// - Returns: `nil` for NULL alone.
    fileprivate func optionalText(_ column: DecisionTable.Column) throws(SQLiteError) -> String? {
        self[column] == .null ? nil : try text(column)
    }

    /// - Throws: `SQLiteError` for a number that does not fit; a conversion would change it.
    fileprivate func number<Number: FixedWidthInteger>(_ column: DecisionTable.Column) throws(SQLiteError) -> Number {
        guard let stored = self[column].integer, let number = Number(exactly: stored) else { throw fault(column) }
        return number
    }

    /// The error for a column, with the decision's number if it can be read.
    fileprivate func fault(_ column: DecisionTable.Column) -> SQLiteError {
        let number = self[.id].integer.map(String.init) ?? "NULL"
        return .corrupt("decision \(number) has no valid \(column.rawValue)")
    }
}
