import CaptureBase

/// The text of a YAML file, or the first forbidden character with its position.
///
/// libyaml reports neither line nor column of an invalid byte, and treats invisible characters and Unicode's own line breaks as
/// parts of a word.
///
/// *thread-safe*
package struct YAMLText {
    /// First character that is not allowed in its place; positions begin at 1.
    package private(set) var fault: (line: Int, column: Int, message: String)?
    /// The whole text; empty if there is a fault.
    package private(set) var text = ""

    private var line = 1
    private var column = 1
    private var scan = VisibleScan()
    private var previous: Unicode.Scalar = "\n"

    /// Decodes the bytes of a file up to the first mistake.
    package init(_ bytes: ArraySlice<UInt8>) {
        var iterator = bytes.makeIterator()
        var decoder = UTF8()
        reading: while fault == nil {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): read(scalar)
            case .emptyInput: break reading
            case .error: report("This byte is not valid UTF-8. Save the file as UTF-8.")
            }
        }
        if fault == nil { text = String(decoding: bytes, as: UTF8.self) }
    }

    /// Judges one character: refuses all characters that a person can't see, or that editors and libyaml count differently.
    private mutating func read(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\u{FEFF}": return report("The file starts with a byte order mark. Save it as UTF-8 without one.")
        case "\t", "\n", "\r": break
        case "\u{85}", "\u{2028}", "\u{2029}":
            return report("This is a Unicode line break (\(hexadecimal(scalar))). Use a normal line break.")
        case _ where scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value):
            return report("This is a control character (\(hexadecimal(scalar))). Remove it.")
        default: break
        }
        // A word with such a character looks like another word, and would silently match nothing.
        guard scalar.isASCII || scalar.isMark || scan.shows(scalar) else {
            return report("This is an invisible character (\(hexadecimal(scalar))). Remove it.")
        }
        advance(over: scalar)
    }

    /// Counts lines as editors do: a carriage return ends one, too, unless a line feed follows.
    private mutating func advance(over scalar: Unicode.Scalar) {
        if scalar == "\n" || (previous == "\r" && scalar != "\n") {
            line += 1
            column = scalar == "\n" ? 1 : 2
        } else {
            column += 1
        }
        previous = scalar
    }

    /// Records a mistake at the current character.
    private mutating func report(_ message: String) {
        fault = (line, column, message)
    }

    private func hexadecimal(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}

extension Unicode.Scalar {
    /// An accent: several on one letter are odd but harmless.
    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: !properties.isDefaultIgnorableCodePoint
        default: false
        }
    }
}
