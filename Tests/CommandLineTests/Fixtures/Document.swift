import FoundationEssentials

/// A JSON document whose members are read by name.
enum Document: Decodable, Equatable {
    case object([String: Document])
    case array([Document])
    case string(String)
    case number(Double)
    case bool(Bool)
    case null

    init(_ text: some StringProtocol) throws {
        self = try JSONDecoder().decode(Document.self, from: Data(text.utf8))
    }

    /// One document a line.
    static func lines(_ text: String) throws -> [Document] {
        try text.split(separator: "\n").map { try Document($0) }
    }

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else if let array = try? value.decode([Document].self) {
            self = .array(array)
        } else {
            self = .object(try value.decode([String: Document].self))
        }
    }

    subscript(_ name: String) -> Document {
        if case .object(let members) = self { members[name] ?? .null } else { .null }
    }

    /// The same without a member.
    func without(_ name: String) -> Document {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.key != name })
    }

    var elements: [Document] { if case .array(let values) = self { values } else { [] } }
    var string: String? { if case .string(let text) = self { text } else { nil } }
    var number: Double? { if case .number(let value) = self { value } else { nil } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
}
