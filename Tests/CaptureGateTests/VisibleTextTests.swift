import Testing

@testable import CaptureGate

@Suite("Visible text")
struct VisibleTextTests {
    @Test(
        "What does not show as itself is written out",
        arguments: [
            ("\u{1B}[2J", "\\u{1b}[2J"), ("a\u{202E}b", "a\\u{202e}b"), ("a\u{2066}b", "a\\u{2066}b"),
            ("a\u{200B}b", "a\\u{200b}b"), ("a\u{200D}b", "a\\u{200d}b"), ("a\u{FEFF}b", "a\\u{feff}b"),
            ("a\u{A0}b", "a\\u{a0}b"), ("a\u{3000}b", "a\\u{3000}b"), ("\u{3164}", "\\u{3164}"),
            ("\u{2800}", "\\u{2800}"), ("a\u{FE0F}", "a\\u{fe0f}"), ("\u{E0041}", "\\u{e0041}"),
            ("\u{E000}", "\\u{e000}"), ("\n", "\\u{a}"), ("\u{9B}", "\\u{9b}"),
        ])
    func hidden(text: String, shown: String) {
        #expect(VisibleText.of(text) == shown)
    }

    @Test(
        "Names of all languages stay as they are",
        arguments: ["Kamera für Müller", "カメラ", "Камера", "מצלמה", "q\u{308}"])
    func plain(text: String) {
        #expect(VisibleText.of(text) == text)
    }

    @Test("Accents do not pile up over other lines")
    func accents() {
        let heap = "a" + String(repeating: "\u{301}", count: 50)
        #expect(VisibleText.of(heap).unicodeScalars.filter { $0.value == 0x301 }.count == 2)
    }

    @Test("The middle is left out, and never more than needed", arguments: [5, 6, 9])
    func limit(limit: Int) {
        #expect(VisibleText.of("0123456789", limit: limit).count == limit)
        #expect(VisibleText.of("0123456789", limit: limit).first == "0")
        #expect(VisibleText.of("0123456789", limit: limit).last == "9")
        #expect(VisibleText.of("01234", limit: limit) == "01234")
    }
}
