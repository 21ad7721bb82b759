import LinuxSystem
import Testing

@Suite("trees of YAML texts")
struct YAMLDocumentTests {
    @Test("have words, lists and mappings at their positions")
    func tree() throws {
        let root = try #require(try YAMLDocument.root(of: "a: 1\nb:\n  - \"x y\"\n  - {c: }\n"))
        guard case .mapping(let entries) = root.content, entries.count == 2,
            case .list(let nodes) = entries[1].value.content, nodes.count == 2,
            case .word(let word, let isPlain) = nodes[0].content, case .mapping(let inner) = nodes[1].content
        else {
            Issue.record("The tree has another shape.")
            return
        }
        #expect(entries.map(\.key.word) == ["a", "b"] && entries[0].value.word == "1")
        #expect(word == "x y" && !isPlain && nodes[0].position == YAMLPosition(line: 3, column: 5))
        #expect(inner.map(\.key.word) == ["c"] && inner[0].value.word == "")
    }

    @Test("are none of an empty text")
    func empty() throws { #expect(try YAMLDocument.root(of: "# nothing\n")?.word == nil) }

    @Test(
        "are refused at the first mistake",
        arguments: [
            ("a: &x 1\nb: *x\n", 1, 4, "Anchors and aliases are not supported"),
            ("a: 1\na: 2\n", 2, 1, "These keys are repeated: a."),
            ("a: 1\n---\nb: 2\n", 2, 1, "This is not YAML: but found another document"),
            (String(repeating: "[", count: 101), 1, 101, "Lists and mappings are nested more than 100"),
        ])
    func mistakes(_ text: String, _ line: Int, _ column: Int, _ message: String) {
        do {
            _ = try YAMLDocument.root(of: text)
            Issue.record("A tree was made.")
        } catch {
            #expect(error.message.hasPrefix(message), "\(error.message)")
            #expect(error.position == YAMLPosition(line: line, column: column))
        }
    }

    @Test("are not made of characters that people can't see, which are told at their positions")
    func characters() {
        let text = YAMLText(Array("a: b\nc: d\u{200B}e\n".utf8)[...])
        #expect(text.text.isEmpty && text.fault?.line == 2 && text.fault?.column == 5)
        #expect(YAMLText(Array("a: é\n".utf8)[...]).text == "a: é\n")
    }

    @Test("have mistakes in the form that editors follow")
    func form() {
        let position = YAMLPosition(line: 2, column: 7)
        #expect(YAMLDiagnostic(file: "a.yaml", at: position, message: "So.").description == "a.yaml:2:7: So.")
        #expect(YAMLDiagnostic(file: "a.yaml", at: nil, message: "So.").description == "a.yaml: So.")
    }
}
