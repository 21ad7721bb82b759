import GRDB
import Gate

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
