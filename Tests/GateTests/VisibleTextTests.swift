import Foundation
import Testing

@testable import Gate

@Suite("Visible text")
struct VisibleTextTests {
    @Test(
        "What does not show as itself is written out",
        arguments: [
            ("\u{1B}[2J", "\\u{1b}[2J"), ("a\u{202E}b", "a\\u{202e}b"), ("a\u{2066}b", "a\\u{2066}b"),
            ("a\u{200B}b", "a\\u{200b}b"), ("a\u{200D}b", "a\\u{200d}b"), ("a\u{FEFF}b", "a\\u{feff}b"),
            ("a\u{A0}b", "a\\u{a0}b"), ("a\u{3000}b", "a\\u{3000}b"), ("\u{3164}", "\\u{3164}"),
            ("\u{2800}", "\\u{2800}"), ("a\u{FE0F}", "a\\u{fe0f}"), ("\u{E0041}", "\\u{e0041}"),
            ("\u{E000}", "\\u{e000}"), ("\n", "\\u{a}"), ("\u{9B}", "\\u{9b}"), ("\u{115F}", "\\u{115f}"),
            ("\u{1160}", "\\u{1160}"), ("\u{FFA0}", "\\u{ffa0}"), ("a\u{AD}b", "a\\u{ad}b"), ("\u{180E}", "\\u{180e}"),
            ("\u{2028}", "\\u{2028}"), ("\u{85}", "\\u{85}"), ("\u{1D159}", "\\u{1d159}"), ("\u{FFFF}", "\\u{ffff}"),
            ("a\u{34F}b", "a\\u{34f}b"), ("\u{FFFC}", "\\u{fffc}"),
        ])
    func hidden(text: String, shown: String) {
        #expect(VisibleText.of(text) == shown)
    }

    @Test(
        "Names of all languages stay as they are",
        arguments: ["Kamera für Müller", "カメラ", "Камера", "מצלמה", "q\u{308}", "हिन्दी", "ก็", "±5 €, 100 %"])
    func plain(text: String) {
        #expect(VisibleText.of(text) == text)
    }

    @Test("Blanks in a row are one and a mark, so that nothing is pushed to where a line of ours begins")
    func blanks() {
        let purpose = "Scan" + String(repeating: " ", count: 300) + "/usr/bin/firefox wants to use:"
        #expect(VisibleText.of(purpose) == "Scan \\u{20}/usr/bin/firefox wants to use:")
        #expect(VisibleText.of("my  app") != VisibleText.of("my app"))
        #expect(VisibleText.of(VisibleText.of(purpose)) == VisibleText.of(purpose))
    }

    @Test("Accents do not pile up over other lines, and stand on a letter of the same text")
    func accents() {
        let heap = "a" + String(repeating: "\u{301}", count: 50)
        #expect(VisibleText.of(heap).unicodeScalars.filter { $0.value == 0x301 }.count == 2)
        #expect(VisibleText.of("\u{338}") == "\\u{338}")
        #expect(VisibleText.of("a \u{338}") == "a \\u{338}")
    }

    @Test("The middle is left out, and never more than needed", arguments: [5, 6, 9])
    func limit(limit: Int) {
        #expect(VisibleText.of("0123456789", limit: limit).count == limit)
        #expect(VisibleText.of("0123456789", limit: limit).first == "0")
        #expect(VisibleText.of("0123456789", limit: limit).last == "9")
        #expect(VisibleText.of("01234", limit: limit) == "01234")
    }

    @Test("A limit counts columns, of which an ideograph takes two")
    func width() {
        let name = String(repeating: "漢", count: 40)
        #expect(VisibleText.columns(of: VisibleText.of(name, limit: 41)) <= 41)
        #expect(VisibleText.of(name, limit: 80) == name)
        #expect(VisibleText.prefix(of: name, columns: 7) == "漢漢漢")
    }

    /// By the standard's own categories: letters, numbers, punctuation and symbols show, and the one blank.
    private static func mayShow(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .nonspacingMark, .spacingMark, .enclosingMark:
            false
        case .spaceSeparator: scalar == " "
        default: !scalar.properties.isDefaultIgnorableCodePoint && scalar.value != 0x2800
        }
    }

    @Test("Of all scalars of Unicode, those alone show that are letters, numbers, punctuation, symbols or the space")
    func everyScalar() {
        var wrong: [UInt32] = []
        for scalar in (0...0x10FFFF as ClosedRange<UInt32>).lazy.compactMap(Unicode.Scalar.init) {
            var scan = VisibleScan()
            let shows = scan.shows(scalar)
            if shows && !Self.mayShow(scalar) { wrong.append(scalar.value) }
            // What a font draws as nothing is the only other exception.
            if !shows && Self.mayShow(scalar), ![0xFFFC, 0x1D159, 0x13441, 0x13442].contains(scalar.value) {
                wrong.append(scalar.value)
            }
        }
        #expect(wrong.isEmpty)
    }

    @Test("In JSON the same are escaped, blanks stay, and the value is the same once it is parsed")
    func json() throws {
        let texts = [
            "a\u{9B}31m\u{202E}\u{200B}b", "x    y", "\u{1F600}\u{E0041}", "\"\\\n\t\r\u{1}\u{7F}", "q\u{308}",
            "\u{3164}\u{2028}\u{10FFFF}", "漢字",
        ]
        for text in texts {
            let written = JSONString.quoted(text)
            #expect(try JSONDecoder().decode([String].self, from: Data("[\(written)]".utf8)) == [text])
            #expect(written.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.properties.generalCategory != .format })
            #expect(JSONString.escaped(document: "[\(written)]") == "[\(written)]")
        }
        #expect(JSONString.quoted("x    y") == "\"x    y\"")
        #expect(JSONString.escaped(document: "{\"a\":\n\"\u{9B}\u{E0041}\"}") == "{\"a\": \"\\u009b\\udb40\\udc41\"}")
    }

    @Test("An error says what it says without obeying it")
    func errors() {
        #expect(CaptureError(.usage, "There is no \u{1B}]0;x\u{7}.").message == "There is no \\u{1b}]0;x\\u{7}.")
    }
}
