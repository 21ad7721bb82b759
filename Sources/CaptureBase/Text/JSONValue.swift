/// A JSON value on its way to text, with its members in the order they are written in: the one writer of JSON.
///
/// Standard: RFC 8259 (2017). *thread-safe*
package indirect enum JSONValue: Sendable {
    case string(String)
    case integer(Int64)
    case number(Double)
    case bool(Bool)
    case null
    case array([JSONValue])
    case object([(String, JSONValue)])
    /// Text that is JSON already.
    case rendered(String)

    /// The document, on one line.
    package var text: String {
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

    /// Count of any width; the largest 64-bit number if it is larger.
    package static func count(_ value: some BinaryInteger) -> JSONValue { .integer(Int64(clamping: value)) }

    /// A time as whole nanoseconds.
    package static func nanoseconds(_ duration: Duration) -> JSONValue { .integer(duration.exactNanoseconds) }

    /// An object without the members that are `nil`, as `Codable` leaves them out.
    package static func members(_ members: [(String, JSONValue?)]) -> JSONValue {
        .object(members.compactMap { name, value in value.map { (name, $0) } })
    }

    package static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    package static func strings(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map { .string($0) }) }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(elements) }
}

/// Text inside a JSON document (RFC 8259).
///
/// Characters hidden by ``VisibleText`` are written as `\uXXXX`: the parsed value is the same, and a terminal that shows the
/// document obeys nothing in it. Spaces are not changed.
///
/// *thread-safe*
package enum JSONString {
    /// A string with its quotation marks.
    package static func quoted(_ text: String) -> String {
        var scan = VisibleScan()
        return text.unicodeScalars.reduce(into: "\"") { result, scalar in
            let isShown = scan.shows(scalar)
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case _ where isShown: result.unicodeScalars.append(scalar)
            default: result += escape(scalar)
            }
        } + "\""
    }

    /// Valid document from another source, on one line and with the same scalars escaped. Control characters can only be between
    /// its tokens, all other hidden characters only inside its strings.
    package static func escaped(document: String) -> String {
        var scan = VisibleScan()
        return document.unicodeScalars.reduce(into: "") { result, scalar in
            if scan.shows(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                result += scalar.value < 0x20 ? " " : escape(scalar)
            }
        }
    }

    /// Each UTF-16 unit of the scalar.
    private static func escape(_ scalar: Unicode.Scalar) -> String {
        UTF16.encode(scalar).map { units in
            units.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        } ?? ""
    }
}
