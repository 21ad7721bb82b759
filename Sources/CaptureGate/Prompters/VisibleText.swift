/// Text from outside, such as a device's name or a program's path, for a person to read: what is in it is shown, never
/// obeyed. Else a name could move the cursor and rewrite the question, or turn its letters round.
enum VisibleText {
    /// `text` with all that does not show as itself written as `\u{…}`: control and formatting characters, spaces that
    /// are not the space, what a font leaves out, and accents in heaps.
    static func of(_ text: String) -> String {
        var accents = 0
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            accents = isAccent(scalar) ? accents + 1 : 0
            if isHidden(scalar) || accents > 2 {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
    }

    /// The same, with the middle left out where it is longer than `limit` characters: the beginning says where it is
    /// from and the end what it is.
    static func of(_ text: String, limit: Int) -> String {
        let shown = of(text)
        guard shown.count > limit else { return shown }
        let tail = (limit - 1) / 2
        return "\(shown.prefix(limit - 1 - tail))…\(shown.suffix(tail))"
    }

    private static func isHidden(_ scalar: UnicodeScalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        case .spaceSeparator: scalar != " "
        // U+2800 is a letter of Braille without a dot.
        default: scalar.properties.isDefaultIgnorableCodePoint || scalar.value == 0x2800
        }
    }

    private static func isAccent(_ scalar: UnicodeScalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }
}
