import CaptureGate

/// A JSON value on its way to text (RFC 8259): this module writes a few lines of JSON and reads none.
indirect enum JSONText {
    case string(String)
    case integer(Int64)
    case number(Double)
    case null
    case array([JSONText])
    case object([(String, JSONText)])

    var rendered: String {
        switch self {
        case .string(let text): JSONString.quoted(text)
        case .integer(let value): String(value)
        case .number(let value): value.isFinite ? String(value) : "null"
        case .null: "null"
        case .array(let values): "[" + values.map(\.rendered).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { JSONString.quoted($0) + ":" + $1.rendered }.joined(separator: ",") + "}"
        }
    }

    static func count(_ value: UInt64) -> JSONText { .integer(Int64(clamping: value)) }

    /// `nil` members are left out, as `Codable` leaves them out.
    static func members(_ members: [(String, JSONText?)]) -> JSONText {
        .object(members.compactMap { name, value in value.map { (name, $0) } })
    }
}
