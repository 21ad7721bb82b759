import GRDB
import Gate

/// Everything a store decides by, read at one moment, with a digest over every value of it.
///
/// Each line of the audit log names the digest of the state it leaves: a row that was changed behind the store's back, by
/// somebody or by a disk, is found at the next reading, and decides nothing.
struct DecisionState: Sendable {
    let decisions: [Decision]
    /// `once` grants that were used up.
    let consumed: [Decision]
    let killSwitches: Set<CapabilityName>
    let latestWallNanoseconds: Int64
    /// 64 lower-case hexadecimal digits.
    let digest: String

    /// To be called in a transaction: what is digested is what is decoded.
    init(_ db: Database) throws {
        let rows = try StateRows(db)
        let all = try rows.decisions.map { (try DecisionRow.decode($0), DecisionRow.isConsumed($0)) }
        decisions = all.filter { !$0.1 }.map(\.0)
        consumed = all.filter(\.1).map(\.0)
        killSwitches = Set(try rows.switches.map(DecisionState.capability))
        guard rows.settings.count == 1, let latest = Int64.fromDatabaseValue(rows.settings[0][0]) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "it does not say which wall time it saw last")
        }
        latestWallNanoseconds = latest
        digest = try rows.digest()
    }

    /// The digest alone.
    static func digest(_ db: Database) throws -> String { try StateRows(db).digest() }

    /// Whether nobody has decided anything yet.
    var isInitial: Bool {
        decisions.isEmpty && consumed.isEmpty && killSwitches.isEmpty && latestWallNanoseconds == 0
    }

    /// The capabilities that can be switched off. Another name was never written here: a switch under it would switch
    /// nothing off.
    static let switchable: Set<CapabilityName> = [.microphone, .camera]

    private static func capability(of row: Row) throws -> CapabilityName {
        let word = String.fromDatabaseValue(row[0]) ?? ""
        guard let name = switchable.first(where: { $0.rawValue == word }) else {
            throw DatabaseError(
                resultCode: .SQLITE_CORRUPT, message: "it has a kill switch of an unknown capability, \"\(word)\"")
        }
        return name
    }
}

/// The rows of everything that decides.
private struct StateRows {
    let decisions: [Row]
    let switches: [Row]
    let settings: [Row]
    private let sequence: [Row]

    init(_ db: Database) throws {
        // By the tables themselves: an index is a second copy, which opening compares with them.
        decisions = try db.rows("SELECT \(DecisionRow.columns) FROM decision NOT INDEXED ORDER BY id")
        switches = try db.rows("SELECT capability FROM kill_switch NOT INDEXED ORDER BY capability")
        settings = try db.rows("SELECT latest_wall, kept_lines FROM state ORDER BY id")
        // The next number: one that came back would give an old permit a new decision.
        sequence = try db.rows("SELECT seq FROM sqlite_sequence WHERE name = 'decision'")
    }

    func digest() throws -> String {
        var digest = StateDigest()
        digest.add("decision", decisions)
        digest.add("kill_switch", switches)
        digest.add("state", settings)
        digest.add("sequence", sequence)
        return try digest.end()
    }
}

/// A digest over rows: each value with its type and its length, so that no two contents have one spelling.
private struct StateDigest {
    private var bytes = Array("capturegate-state-1\n".utf8)

    mutating func add(_ table: String, _ rows: [Row]) {
        bytes += "\(table) \(rows.count)\n".utf8
        for row in rows {
            for value in row.databaseValues { add(value) }
            bytes.append(UInt8(ascii: "\n"))
        }
    }

    private mutating func add(_ value: DatabaseValue) {
        switch value.storage {
        case .null: bytes += "n ".utf8
        case .int64(let number): bytes += "i\(number) ".utf8
        case .double(let number): bytes += "d\(number.bitPattern) ".utf8
        case .string(let text): bytes += "s\(text.utf8.count):\(text) ".utf8
        case .blob(let data):
            bytes += "b\(data.count):".utf8
            bytes += data
        }
    }

    func end() throws(CaptureError) -> String { try SHA256.hex(of: bytes) }
}
