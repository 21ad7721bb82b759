import Gate
import Testing

@Suite("Words for shells, people and files")
struct TextToolTests {
    @Test(
        "A word is quoted where a shell could take anything in it for its own",
        arguments: [
            ("/a/b-1.c", "/a/b-1.c"), ("", "''"), ("a b", "'a b'"), ("it's $(x)", #"'it'\''s $(x)'"#), ("~", "'~'"),
            ("a\nb", "'a\nb'"), ("ü", "'ü'"), ("a=1,b:2@c%d+e", "a=1,b:2@c%d+e"),
        ])
    func quoting(word: String, written: String) {
        #expect(ShellQuote.word(word) == written)
        #expect(ShellQuote.command(["ls", word]) == "ls \(written)")
        #expect(ShellQuote.quoted(word).hasPrefix("'"))
    }

    @Test(
        "A slip of the finger is one step away",
        arguments: [
            ("record", "recrod", 1), ("", "abc", 3), ("grant", "grant", 0), ("kitten", "sitting", 3), ("ab", "ba", 1),
        ])
    func distance(first: String, second: String, steps: Int) {
        #expect(EditDistance.between(first, second) == steps)
        #expect(EditDistance.between(second, first) == steps)
    }

    @Test("Numbers are stored with the least byte first, and read back")
    func littleEndian() {
        #expect(LittleEndian.bytes(0x0102_0304, 4) == [4, 3, 2, 1])
        #expect(LittleEndian.bytes(-2, 2) == [0xFE, 0xFF])
        #expect(LittleEndian.number([9, 4, 3, 2, 1], at: 1, 4) == 0x0102_0304)
        #expect(LittleEndian.number([UInt8](repeating: 0xFF, count: 8), at: 0, 8) == .max)
    }

    @Test(
        "Keys are written in snake case, and what strings say stays",
        arguments: [
            (#"{"bootID":"bootID","at":{"wallNanoseconds":1}}"#, #"{"boot_id":"bootID","at":{"wall_nanoseconds":1}}"#),
            (
                #"{"groupIDs" : ["aB\":", "cD\\"], "sha256":null}"#,
                #"{"group_ids" : ["aB\":", "cD\\"], "sha256":null}"#
            ),
            (#"{"a\u0042C":"\u00Aa"}"#, #"{"a\u0042C":"\u00Aa"}"#), (#"["aB"]"#, #"["aB"]"#), ("", ""),
            (#"{"aB"#, #"{"aB"#),
        ])
    func snakeCase(document: String, written: String) {
        #expect(JSONString.withSnakeCasedKeys(document: document) == written)
    }

    @Test("An object leaves out members that are nothing, and what is no number is null")
    func json() {
        let value = JSONValue.members([("a", 1), ("b", nil), ("c", .number(.nan)), ("d", .rendered("[1]"))])
        #expect(value.text == #"{"a":1,"c":null,"d":[1]}"#)
    }
}
