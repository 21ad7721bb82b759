import Glibc
import Testing

@Suite("nonsense about decisions", .serialized, .fewAtOnce)
struct NonsenseTests {
    /// Words of a command line, and a part of the error message.
    struct Nonsense: Sendable, CustomTestStringConvertible {
        let words: [String]
        let cause: String
        let code: Int32
        var testDescription: String { words.joined(separator: " ") }

        init(_ words: [String], _ cause: String, code: Int32 = 64) {
            (self.words, self.cause, self.code) = (words, cause, code)
        }
    }

    static let nonsense = [
        Nonsense(["grant", "camera", "--to", "", "--once"], "path of a program"),
        Nonsense(["grant", "camera", "--to", "/tmp", "--once"], "not a program file"),
        Nonsense(["grant", "camera", "--to", "/dev/null", "--once"], "not a program file"),
        Nonsense(["grant", "camera", "--to", "gone", "--once"], "No such file"),
        Nonsense(["grant", "camera", "--to", "/tmp/\u{1B}[2J\u{7}\u{202E}x", "--once"], "\\u{1b}[2J\\u{7}\\u{202e}x"),
        Nonsense(["grant", "camera", "--device", "", "--once"], "No camera matches \"\"", code: 66),
        Nonsense(["grant", "camera", "--device", "camera:", "--once"], "No camera matches \"camera:\"", code: 66),
        Nonsense(["grant", "camera", "--device", "camera:\u{1B}[31m", "--once"], "camera:\\u{1b}[31m", code: 66),
        Nonsense(["grant", "camera", "--device", "microphone:usb", "--once"], "No camera matches", code: 66),
        Nonsense(["revoke", "camera", "--device", "nonsense"], "No camera matches", code: 66),
        Nonsense(["grant", "camera", "--for", ""], "a time such as"),
        Nonsense(["grant", "camera", "--for", "0.0000001s"], "from 1ms to ten years"),
        Nonsense(["grant", "camera", "--for", "99999999d"], "from 1ms to ten years"),
        Nonsense(["grant", "camera", "--for", "nan"], "a time such as"),
        Nonsense(["grant", "camera", "--for", "1e3s"], "a time such as"),
        Nonsense(["grant", "camera", "--until", ""], "moment"),
        Nonsense(["grant", "camera", "--until", "24:00"], "not between 1970 and 2200"),
        Nonsense(["grant", "camera", "--until", "18:60"], "not between 1970 and 2200"),
        Nonsense(["grant", "camera", "--until", "2027-02-29"], "not between 1970 and 2200"),
        Nonsense(["grant", "camera", "--until", "2027-13-01T00:00"], "not between 1970 and 2200"),
        Nonsense(["grant", "camera", "--until", "9999-01-01"], "not between 1970 and 2200"),
        Nonsense(["grant", "camera", "--until", "1999-12-31"], "is in the past"),
        Nonsense(["grant", "camera", "--until", "2027-01-31T18:00+01:00"], "moment"),
        Nonsense(["grant", "camera", "--level", "LOUD", "--once"], "still or video"),
        Nonsense(["revoke", "camera", "--to", "gone"], "No such file"),
        Nonsense(["camera", "off", "camera"], "Unexpected argument"), Nonsense(["camera", "off", "--on"], "--on"),
        Nonsense(["policy", "check", ""], "name is empty"), Nonsense(["reset", "--yes", "please"], "please"),
    ]

    @Test("decides nothing, writes no line, and says what is wrong", arguments: nonsense)
    func refused(nonsense: Nonsense) async throws {
        let workspace = try Workspace()
        let ending = try await workspace.capturegate(nonsense.words)
        #expect(ending.code == nonsense.code)
        #expect(ending.output.isEmpty)
        #expect(ending.errors.contains(nonsense.cause), "\(ending.errors)")
        #expect(!ending.errors.contains("\u{1B}") && !ending.errors.contains("\u{202E}"))
        let log = try Document(try await workspace.capturegate("log", "--json").output)
        #expect(log["entries"] == .array([]))
    }

    @Test("a program's name can't draw on the terminal, wherever it is shown")
    func controls() async throws {
        let workspace = try Workspace()
        let name = "memo\u{1B}[2J\u{7}"
        _ = try await workspace.run(["cp", "/bin/true", name])
        let grant = try await workspace.capturegate("grant", "camera", "--to", name, "--always")
        #expect(grant.code == 0)
        for command in [["status"], ["log"], ["log", "--last", "1"], ["revoke", "camera", "--to", name]] {
            let ending = try await workspace.capturegate(command)
            #expect(ending.code == 0)
            #expect(ending.output.contains("memo\\u{1b}[2J\\u{7}"), "\(command)")
            #expect(!(ending.output + grant.output).contains("\u{1B}"), "\(command)")
        }
        let json = try Document(try await workspace.capturegate("log", "--json").output)
        #expect(json["entries"].elements[0]["event"]["subject"]["executable"]["path"].string?.hasSuffix(name) == true)
    }

    @Test("a script or a file that can't be executed is granted with a note that it will not help")
    func notes() async throws {
        let workspace = try Workspace()
        try workspace.write("#!/bin/sh\n", to: "script")
        _ = try await workspace.run(["chmod", "644", "script"])
        let ending = try await workspace.capturegate("grant", "camera", "--to", "script", "--always")
        #expect(ending.code == 0)
        #expect(ending.errors.contains("is not executable"))
        #expect(ending.errors.contains("interpreter"))
        let json = try await workspace.capturegate("grant", "camera", "--to", "script", "--always", "--json")
        #expect(try Document(json.output)["notes"].elements.count == 2)
    }

    @Test("a program that was replaced since is asked about again")
    func replaced() async throws {
        let workspace = try Workspace()
        _ = try await workspace.run(["cp", Executable.capturegate, "memo"])
        _ = try await workspace.run(["./memo", "grant", "microphone", "--always"])
        let record = ["./memo", "record", "null:", "--microphone", "test:tone", "--for", "100ms"]
        #expect(try await workspace.run(record).code == 0)
        _ = try await workspace.run(["sh", "-c", "printf x >> memo"])
        let ending = try await workspace.run(record)
        #expect(ending.code == 77)
        #expect(ending.errors.contains("has changed since"))
    }
}
