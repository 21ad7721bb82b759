import CaptureBase

/// A piece of HTML whose syntax is from this program and whose text may be from anyone.
///
/// A literal is used unchanged; interpolated text is escaped unless it is markup itself. So a text can't become syntax by mistake:
/// that takes ``init(verbatim:)``. All tags are closed and all attributes quoted, so that a page is well-formed XML as well, and a
/// strict parser can check it.
///
/// *thread-safe*
struct Markup: ExpressibleByStringInterpolation, Sendable {
    /// Syntax and text, as a browser reads them.
    fileprivate(set) var html: String

    init(stringLiteral value: String) { html = value }

    init(stringInterpolation: StringInterpolation) { html = stringInterpolation.html }

    /// Markup from a string that is known to be harmless, such as a style sheet of this program.
    init(verbatim: String) { html = verbatim }

    /// Pieces one after the other.
    init(_ pieces: some Sequence<Markup>) { html = pieces.reduce(into: "") { $0 += $1.html } }

    static func + (one: Markup, other: Markup) -> Markup { Markup(verbatim: one.html + other.html) }

    static func += (one: inout Markup, other: Markup) { one.html += other.html }

    var isEmpty: Bool { html.isEmpty }

    /// Size of the piece in a file.
    var bytes: Int { html.utf8.count }

    /// Collector of the parts of an interpolated literal.
    struct StringInterpolation: StringInterpolationProtocol, Sendable {
        fileprivate var html = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            html.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: String) { html += literal }

        mutating func appendInterpolation(_ markup: Markup) { html += markup.html }

        mutating func appendInterpolation(_ number: Int) { html += String(number) }

        /// - Parameter limit: maximum columns of text; the middle of a longer one is omitted.
        mutating func appendInterpolation(_ text: String, limit: Int = Markup.mostColumns) {
            html += Markup.escaped(text, limit: limit)
        }
    }

    /// Columns of a text that has no other limit: no name of a device or a plan is as long unless it means harm.
    static let mostColumns = 240

    /// Text in which nothing is syntax, neither between tags nor in a quoted attribute, and all invisible characters are shown.
    static func escaped(_ text: String, limit: Int) -> String {
        // Only a text that may be too long has its characters counted, and not all of a very long one.
        let visible =
            text.utf8.count <= limit
            ? VisibleText.of(text) : VisibleText.of(String(text.prefix(8 * limit)), limit: limit)
        guard visible.utf8.contains(where: isSyntax) else { return visible }
        return visible.unicodeScalars.reduce(into: "") { result, scalar in
            if let entity = entity(scalar) { result += entity } else { result.unicodeScalars.append(scalar) }
        }
    }

    private static func isSyntax(_ byte: UInt8) -> Bool {
        byte < 0x40 && entity(Unicode.Scalar(byte)) != nil
    }

    /// Name of a character that is syntax; `nil` for all others.
    static func entity(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\"": "&quot;"
        // The name of this one is unknown to older HTML.
        case "'": "&#39;"
        default: nil
        }
    }
}

extension Markup {
    /// Cell of a table; one without a text has a dash, and is omitted when rows become lists.
    ///
    /// Roles are explicit: on a narrow page that shows lists instead of a table, browsers would forget that it is one.
    static func cell(_ text: String?, limit: Int = mostColumns) -> Markup {
        text.map { "<td role=\"cell\">\($0, limit: limit)</td>" } ?? "<td role=\"cell\" class=\"n\">–</td>"
    }
}

extension [String] {
    /// Cells of a table's head.
    var headers: Markup { markup { "<th scope=\"col\" role=\"columnheader\">\($0)</th>" } }
}

extension Sequence {
    /// Markup for each element, one after the other.
    func markup(_ piece: (Element) -> Markup) -> Markup { Markup(map(piece)) }
}
