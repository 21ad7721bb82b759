import CaptureGate

/// JSON value to be written (RFC 8259), with its members in the order they are given.
///
/// Not `JSONEncoder`: its members have no order, and people read this output, too. `JSONString` escapes what
/// a terminal would obey, so a document is safe to look at.
indirect enum JSONValue: Sendable {
    case string(String)
    case integer(Int64)
    case number(Double)
    case bool(Bool)
    case null
    case array([JSONValue])
    /// Members as pairs: a dictionary would lose their order.
    case object([(String, JSONValue)])
    /// Text that is JSON already, such as a stored event or a ledger.
    case rendered(String)

    /// The value on one line, without spaces, as NDJSON requires.
    var text: String {
        switch self {
        case .string(let text): JSONString.quoted(text)
        case .integer(let value): String(value)
        // JSON has no infinity and no NaN (RFC 8259, section 6).
        case .number(let value): value.isFinite ? String(value) : "null"
        case .bool(let value): value ? "true" : "false"
        case .null: "null"
        case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { JSONString.quoted($0) + ":" + $1.text }.joined(separator: ",") + "}"
        case .rendered(let text): JSONString.escaped(document: text)
        }
    }

    /// Count of any width; clamped, since most readers hold 64 signed bits.
    static func count(_ value: some BinaryInteger) -> JSONValue { .integer(Int64(clamping: value)) }

    /// Number with as many digits behind the point as are meaningful; `null` for infinity and NaN.
    ///
    /// `String(Double)` would write -20.100000000000001 for a level that is known to two digits.
    static func rounded(_ value: Double, _ digits: Int) -> JSONValue {
        value.isFinite ? .rendered(NumberText.fixed(value, digits)) : .null
    }

    /// String, or `null`: a member that is always there is easier to query than one that may be missing.
    static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    static func strings(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map { .string($0) }) }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int64) { self = .integer(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(elements) }
}
