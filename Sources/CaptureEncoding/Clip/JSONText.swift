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
        case .string(let text): Self.quoted(text)
        case .integer(let value): String(value)
        case .number(let value): value.isFinite ? String(value) : "null"
        case .null: "null"
        case .array(let values): "[" + values.map(\.rendered).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0) + ":" + $1.rendered }.joined(separator: ",") + "}"
        }
    }

    static func count(_ value: UInt64) -> JSONText { .integer(Int64(clamping: value)) }

    /// `nil` members are left out, as `Codable` leaves them out.
    static func members(_ members: [(String, JSONText?)]) -> JSONText {
        .object(members.compactMap { name, value in value.map { (name, $0) } })
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.unicodeScalars.map(escaped).joined() + "\""
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"": "\\\""
        case "\\": "\\\\"
        case "\n": "\\n"
        case "\t": "\\t"
        case "\r": "\\r"
        case "\u{0}"..<"\u{20}":
            "\\u" + String(repeating: "0", count: scalar.value < 16 ? 3 : 2) + String(scalar.value, radix: 16)
        default: String(scalar)
        }
    }
}
