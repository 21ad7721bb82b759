import Gate
import LinuxSystem

/// Everything that a store decides by, read at one moment, with a digest over every value.
///
/// Each line of the audit log has the digest of the state it leaves. So a row changed by somebody else, or by a failing disk,
/// is found at the next read, and decides nothing.
struct DecisionState: Sendable {
    let decisions: [Decision]
    /// Permissions used up by a capture that has begun.
    let consumed: [Decision]
    let killSwitches: Set<CapabilityName>
    let latestWallNanoseconds: Int64
    /// 64 lower-case hexadecimal digits.
    let digest: String

    /// Reads the state. Call it in a transaction, so that the digest is over the decoded rows.
    init(_ db: borrowing SQLiteConnection) throws {
        let rows = try StateRows(db)
        let all = try rows.decisions.map { (try DecisionTable.decode($0), DecisionTable.isConsumed($0)) }
        decisions = all.filter { !$0.1 }.map(\.0)
        consumed = all.filter(\.1).map(\.0)
        killSwitches = Set(try rows.switches.map(DecisionState.capability))
        guard rows.settings.count == 1, let latest = rows.settings[0][0].integer else {
            throw SQLiteError.corrupt("it has no record of the latest clock time")
        }
        latestWallNanoseconds = latest
        digest = try rows.digest()
    }

    /// The digest alone.
    static func digest(_ db: borrowing SQLiteConnection) throws -> String { try StateRows(db).digest() }

    /// True until the first decision.
    var isInitial: Bool {
        decisions.isEmpty && consumed.isEmpty && killSwitches.isEmpty && latestWallNanoseconds == 0
    }

    /// Capabilities that can be switched off. No other name was ever written: a switch under it would have no effect.
    static let switchable: Set<CapabilityName> = [.microphone, .camera]

    /// The capability of a kill switch's row.
    private static func capability(of row: SQLiteRow) throws -> CapabilityName {
        let word = row[0].text ?? ""
        guard let name = switchable.first(where: { $0.rawValue == word }) else {
            throw SQLiteError.corrupt("it has a kill switch of an unknown capability, \"\(word)\"")
        }
        return name
    }
}

/// The rows of everything that decides.
private struct StateRows {
    let decisions: [SQLiteRow]
    let switches: [SQLiteRow]
    let settings: [SQLiteRow]
    private let sequence: [SQLiteRow]

    init(_ db: borrowing SQLiteConnection) throws {
        // Reads the tables themselves: an index is a second copy, which is compared with them when the store is opened.
        decisions = try db.rows("SELECT \(DecisionTable.columns) FROM decision NOT INDEXED ORDER BY id")
        switches = try db.rows("SELECT capability FROM kill_switch NOT INDEXED ORDER BY capability")
        settings = try db.rows("SELECT latest_wall, kept_lines FROM state ORDER BY id")
        // The next number: a reused number would give an old permit a new decision.
        sequence = try db.rows("SELECT seq FROM sqlite_sequence WHERE name = 'decision'")
    }

    /// Adds the tables one after the other, each with its name and number of rows.
    func digest() throws -> String {
        var digest = StateDigest()
        digest.add("decision", decisions)
        digest.add("kill_switch", switches)
        digest.add("state", settings)
        digest.add("sequence", sequence)
        return try digest.end()
    }
}

/// A digest over rows: each value with its type and length, so that different contents never give the same bytes.
private struct StateDigest {
    private var bytes = Array("capturegate-state-1\n".utf8)

    /// Adds the rows of a table in order, each ended by a newline.
    mutating func add(_ table: String, _ rows: [SQLiteRow]) {
        bytes += "\(table) \(rows.count)\n".utf8
        for row in rows {
            for value in row.values { add(value) }
            bytes.append(UInt8(ascii: "\n"))
        }
    }

    private mutating func add(_ value: SQLiteValue) {
        switch value {
        case .null: bytes += "n ".utf8
        case .integer(let number): bytes += "i\(number) ".utf8
        case .float(let number): bytes += "d\(number.bitPattern) ".utf8
        case .text(let text): bytes += "s\(text.utf8.count):\(text) ".utf8
        case .blob(let data):
            bytes += "b\(data.count):".utf8
            bytes += data
        }
    }

    func end() throws(CaptureError) -> String { try SHA256.digest(of: bytes) }
}
