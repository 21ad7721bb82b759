import CaptureGate

/// A JSON value on its way to text (RFC 8259), with its members in the order they are written in.
indirect enum JSONValue: Sendable {
    case string(String)
    case integer(Int64)
    case number(Double)
    case bool(Bool)
    case null
    case array([JSONValue])
    case object([(String, JSONValue)])
    /// Text that is JSON already.
    case rendered(String)

    var text: String {
        switch self {
        case .string(let text): JSONString.quoted(text)
        case .integer(let value): String(value)
        case .number(let value): value.isFinite ? String(value) : "null"
        case .bool(let value): value ? "true" : "false"
        case .null: "null"
        case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { JSONString.quoted($0) + ":" + $1.text }.joined(separator: ",") + "}"
        case .rendered(let text): JSONString.escaped(document: text)
        }
    }

    static func count(_ value: some BinaryInteger) -> JSONValue { .integer(Int64(clamping: value)) }

    /// With so many digits after the point as mean something.
    static func rounded(_ value: Double, _ digits: Int) -> JSONValue {
        value.isFinite ? .rendered(NumberText.fixed(value, digits)) : .null
    }

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
