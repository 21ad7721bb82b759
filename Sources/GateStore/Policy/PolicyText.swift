import Gate

/// What of a policy file can be said to be wrong before it is read as YAML, with its place.
///
/// The reader behind it says nothing of where a byte that is no text stands, and expands aliases of aliases as often as
/// they are written: a file of one page can keep it busy for ever.
struct PolicyText {
    private(set) var fault: (line: Int, column: Int, message: String)?
    private(set) var text = ""

    /// Words that begin with a star: more aliases than rules need, too few to multiply.
    private static let mostStars = 16

    private var line = 1
    private var column = 1
    private var stars = 0
    private var scan = VisibleScan()
    private var previous: Unicode.Scalar = "\n"

    init(_ bytes: ArraySlice<UInt8>) {
        var iterator = bytes.makeIterator()
        var decoder = UTF8()
        reading: while fault == nil {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): read(scalar)
            case .emptyInput: break reading
            case .error: report("This byte is no text in UTF-8: save the file as UTF-8.")
            }
        }
        if fault == nil { text = String(decoding: bytes, as: UTF8.self) }
    }

    private mutating func read(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\u{FEFF}": return report("A byte order mark stands here: save the file as UTF-8 without it.")
        case "\t", "\n", "\r": break
        case "\u{85}", "\u{2028}", "\u{2029}":
            return report("A line break of Unicode stands here (\(hexadecimal(scalar))): break the line as others are.")
        case _ where scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value):
            return report("A control character stands here (\(hexadecimal(scalar))): remove it.")
        case "*" where startsWord: stars += 1
        default: break
        }
        // A word with such a character in it looks like another one, and would match nothing in silence.
        guard scalar.isASCII || scalar.isMark || scan.shows(scalar) else {
            return report("A character that does not show stands here (\(hexadecimal(scalar))): remove it.")
        }
        guard stars <= PolicyText.mostStars else {
            return report("More than \(PolicyText.mostStars) words begin with a star: write what aliases stand for.")
        }
        advance(over: scalar)
    }

    /// Whether an alias could begin here: to the reader a word goes on behind a letter or a digit alone, whatever else it
    /// takes for a break.
    private var startsWord: Bool {
        !(previous.isASCII && (previous.properties.isAlphabetic || previous.properties.numericType != nil))
    }

    private mutating func advance(over scalar: Unicode.Scalar) {
        if scalar == "\n" || (previous == "\r" && scalar != "\n") {
            line += 1
            column = scalar == "\n" ? 1 : 2
        } else {
            column += 1
        }
        previous = scalar
    }

    private mutating func report(_ message: String) {
        fault = (line, column, message)
    }

    private func hexadecimal(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}

extension Unicode.Scalar {
    /// An accent: several of one letter are no more than odd.
    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: !properties.isDefaultIgnorableCodePoint
        default: false
        }
    }
}
