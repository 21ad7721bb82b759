/// Names of Swift as the keys that programs read: `bootID` is `boot_id`.
extension JSONString {
    /// A valid document that somebody else wrote, with the keys of its objects in snake case; what its strings say stays.
    package static func withSnakeCasedKeys(document: String) -> String {
        var result = ""
        var rest = Substring(document).utf8
        while let start = rest.firstIndex(of: quote) {
            result += String(rest[..<start]) ?? ""
            let string = rest[start...].prefix(through: end(ofStringAt: start, in: rest))
            rest = rest[string.endIndex...]
            let text = String(string) ?? ""
            // In a valid document only a key has a colon after it.
            result += rest.first { !blanks.contains($0) } == UInt8(ascii: ":") ? snakeCased(text) : text
        }
        return result + (String(rest) ?? "")
    }

    /// A name in lower case, with `_` before each word that began with a capital. A name with escapes is not from Swift, and is
    /// not changed.
    private static func snakeCased(_ name: String) -> String {
        guard !name.contains("\\") else { return name }
        var isInsideWord = false
        return name.reduce(into: "") { result, character in
            if character.isUppercase, isInsideWord { result += "_" }
            isInsideWord = character.isLowercase || character.isNumber
            result += character.lowercased()
        }
    }

    private static let quote = UInt8(ascii: "\"")
    private static let blanks = Set(" \t\r\n".utf8)

    /// Position of the quotation mark that closes a string, or the last one of the document if none does.
    private static func end(ofStringAt start: String.Index, in text: Substring.UTF8View) -> String.Index {
        var index = start
        var isEscaped = false
        while case let next = text.index(after: index), next < text.endIndex {
            index = next
            if !isEscaped, text[index] == quote { break }
            isEscaped = !isEscaped && text[index] == UInt8(ascii: "\\")
        }
        return index
    }
}
