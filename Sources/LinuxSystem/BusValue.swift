/// A value of a D-Bus message.
///
/// Standard: D-Bus Specification 0.43 (2024), "Type System". *thread-safe*
package indirect enum BusValue: Hashable, Sendable {
    /// A text, type `s`.
    case text(String)
    /// Path of an object, type `o`; also a signature, type `g`, in received values.
    case path(String)
    /// Type `b`.
    case flag(Bool)
    /// Type `u`; any other whole number in received values.
    case number(Int64)
    /// Type `i`; only sent.
    case signed(Int32)
    /// Type `t`; only sent.
    case wide(UInt64)
    /// Type `d`; only received.
    case real(Double)
    /// Type `as`; an array of anything in received values.
    case list([BusValue])
    /// A dictionary of texts and variants, type `a{sv}`.
    case options([Option])
    /// A dictionary of texts, type `a{ss}`; only sent.
    case entries([Option])
    /// Pairs of texts, type `a(ss)`; only sent.
    case pairs([Option])
    /// A variant, type `v`. Only for sending: received variants are replaced by their value.
    case variant(BusValue)
    /// Values of a structure; also of any received type without a case here.
    case group([BusValue])

    /// An entry of a dictionary.
    package struct Option: Hashable, Sendable {
        package let key: String
        package let value: BusValue

        package init(_ key: String, _ value: BusValue) { (self.key, self.value) = (key, value) }
    }

    /// Its signature.
    var signature: String {
        switch self {
        case .text: "s"
        case .path: "o"
        case .flag: "b"
        case .number: "u"
        case .signed: "i"
        case .wide: "t"
        case .real: "d"
        case .list: "as"
        case .options: "a{sv}"
        case .entries: "a{ss}"
        case .pairs: "a(ss)"
        case .variant: "v"
        case .group(let values): "(" + values.map(\.signature).joined() + ")"
        }
    }
}

extension BusValue {
    /// The text; `nil` for anything else.
    package var text: String? { if case .text(let text) = self { text } else { nil } }
    /// The path; `nil` for anything else.
    package var path: String? { if case .path(let path) = self { path } else { nil } }
    /// The whole number; `nil` for anything else.
    package var number: Int64? { if case .number(let number) = self { number } else { nil } }
    /// The fraction; `nil` for anything else.
    package var real: Double? { if case .real(let real) = self { real } else { nil } }
    /// The values of an array; `nil` for anything else.
    package var list: [BusValue]? { if case .list(let values) = self { values } else { nil } }

    /// The first entry of a dictionary under a key; `nil` if none exists, and for anything else.
    package subscript(key: String) -> BusValue? {
        guard case .options(let options) = self else { return nil }
        return options.first { $0.key == key }?.value
    }
}

/// A message that came over a bus: an answer, a signal, or a call to an object of this program.
///
/// *thread-safe*
package struct BusMessage: Hashable, Sendable {
    /// The number of the connection it came from, which the bus gives and no other one ever has.
    package let sender: String
    package let path: String
    package let interface: String
    package let member: String
    package let values: [BusValue]
}
