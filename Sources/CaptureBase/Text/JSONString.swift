/// Text inside a JSON document (RFC 8259).
///
/// Characters that ``VisibleText`` hides are written as `\uXXXX`: the value is the same once it is parsed, and a
/// terminal that shows the document obeys nothing in it. Spaces stay as they are.
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

    /// A valid document from elsewhere, on one line and with the same characters escaped. Control characters can only
    /// stand between its tokens, all other hidden ones only inside its strings.
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

    /// Escapes each UTF-16 unit of the scalar.
    private static func escape(_ scalar: Unicode.Scalar) -> String {
        UTF16.encode(scalar).map { units in
            units.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        } ?? ""
    }
}
