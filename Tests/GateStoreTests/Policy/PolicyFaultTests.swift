import Gate
import Testing

@testable import GateStore

@Suite("faults of policy files")
struct PolicyFaultTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func isRefused(_ policy: PolicyDirectory) -> Bool {
        let query = PolicyQuery(
            capability: .camera, level: .still, device: DeviceID(rawValue: "x"), at: Samples.instant())
        guard case .deny(let restriction) = policy.verdict(for: Samples.subject(), on: query),
            case .policyUnreadable = restriction.cause
        else { return false }
        return restriction.remedies.contains { $0.action == .checkPolicy }
    }

    @Test(
        "Each is found with its line and column, and then nothing is allowed",
        arguments: [
            ("", 0, 0, "empty"), ("# only a comment\n", 0, 0, "empty"), ("version: 1\n", 1, 1, "`rules` is missing"),
            ("rules: []\n", 1, 1, "`version: 1` is missing"), ("version: 2\nrules: []\n", 1, 10, "not supported"),
            ("version: 1\nrules: none\n", 2, 8, "must be a list"), ("- 1\n", 1, 1, "mapping"),
            ("version: 1\nrule: []\nrules: []\n", 2, 1, "`rule` is not a key here"),
            ("version: 1\nrules:\n  - allow any\n", 3, 5, "mapping"),
            ("version: 1\nrules:\n  - user: 0\n", 3, 5, "one of `allow`"),
            ("version: 1\nrules:\n  - allow: any\n    deny: any\n", 3, 5, "has 2"),
            ("version: 1\nrules:\n  - allow: micro\n", 3, 12, "not a capability"),
            ("version: 1\nrules:\n  - allow: []\n", 3, 12, "empty list"),
            ("version: 1\nrules:\n  - allow:\n", 3, 11, "missing"),
            ("version: 1\nrules:\n  - allow: {camera: still}\n", 3, 12, "Write one word"),
            ("version: 1\nrules:\n  - allow: any\n    until: tomorrow\n", 4, 12, "not a date"),
            ("version: 1\nrules:\n  - allow: any\n    until: 2027-02-29T00:00:00Z\n", 4, 12, "not a date"),
            ("version: 1\nrules:\n  - allow: any\n    until: 2027-02-28T00:00:00\n", 4, 12, "not a date"),
            ("version: 1\nrules:\n  - allow: any\n    until: 9999-01-01T00:00:00Z\n", 4, 12, "not a date"),
            ("version: 1\nrules:\n  - allow: any\n    level: still\n", 4, 12, "one capability"),
            ("version: 1\nrules:\n  - allow: microphone\n    level: still\n", 4, 12, "meter or record"),
            ("version: 1\nrules:\n  - allow: location\n    level: still\n", 4, 12, "country or city"),
            ("version: 1\nrules:\n  - deny: photos\n    level: exact\n", 4, 12, "read or write"),
            ("version: 1\nrules:\n  - allow: any\n    user: no-such-user-here\n", 4, 11, "does not exist"),
            ("version: 1\nrules:\n  - allow: any\n    group: [0, no-such-group]\n", 4, 16, "does not exist"),
            ("version: 1\nrules:\n  - allow: any\n    executable: memo\n", 4, 17, "Write an absolute path"),
            ("version: 1\nrules:\n  - allow: any\n    unit: a\n    snap: b\n", 3, 5, "Write a rule for each"),
            ("version: 1\nrules:\n  - allow: any\n    devise: x\n", 4, 5, "`devise`"),
            ("version: 1\nrules:\n  - allow: any\n    allow: camera\n", 4, 5, "repeated"),
            ("version: 1\nversion: 1\nrules: []\n", 2, 1, "repeated"),
            ("version: 1\nrules: [\n", 3, 1, "not YAML"), ("version: 1\nrules: {a: 1, a: 2}\n", 2, 9, "repeated"),
            ("version: 1\n\trules: []\n", 2, 1, "not YAML"),
            ("version: 1\nrules: []\n---\nversion: 1\nrules: []\n", 3, 1, "not YAML"),
        ])
    func malformed(text: String, line: Int, column: Int, message: String) throws {
        let file = try folder.write(text, to: "a.yaml")
        try folder.write("version: 1\nrules:\n  - allow: any\n", to: "b.yaml")
        let policy = PolicyDirectory(path: folder.path)
        let found = try #require(policy.check().first)
        #expect(found.file == file)
        #expect(found.line == line && found.column == column, "\(found)")
        #expect(found.message.contains(message), "\(found)")
        #expect(isRefused(policy))
    }

    @Test("All faults of all files are reported at once")
    func all() throws {
        try folder.write("version: 3\nrules:\n  - allow: x\n  - deny: y\n", to: "a.yaml")
        try folder.write("{", to: "b.yaml")
        #expect(PolicyDirectory(path: folder.path).check().count == 4)
    }

    @Test("Nesting without end and bytes that are no text are faults, not crashes")
    func hostile() throws {
        for text in [String(repeating: "[", count: 200_000), String(repeating: "{a: ", count: 200_000), "a: \u{0}"] {
            try folder.write(text, to: "a.yaml")
            #expect(isRefused(PolicyDirectory(path: folder.path)))
        }
        try folder.write(bytes: [0xff, 0xfe, 0x80], to: "a.yaml")
        #expect(isRefused(PolicyDirectory(path: folder.path)))
        try folder.write(String(repeating: "#\n", count: 600_000), to: "a.yaml")
        #expect(isRefused(PolicyDirectory(path: folder.path)))
    }

    @Test("A file with another ending that looks like a policy is a fault", arguments: ["a.yml"])
    func ending(name: String) throws {
        try folder.write("version: 1\nrules: []\n", to: name)
        #expect(isRefused(PolicyDirectory(path: folder.path)))
    }

    @Test("What others may write, or somebody else owns, allows nobody anything")
    func trust() throws {
        let good = "version: 1\nrules:\n  - allow: any\n"
        try folder.write(good, to: "a.yaml", mode: 0o664)
        #expect(isRefused(PolicyDirectory(path: folder.path)))
        try folder.write(good, to: "a.yaml")
        #expect(!isRefused(PolicyDirectory(path: folder.path)))
        try folder.setMode(0o777)
        #expect(isRefused(PolicyDirectory(path: folder.path)))
        try folder.setMode(0o755)
        #expect(!isRefused(PolicyDirectory(path: folder.path)))
        #expect(isRefused(PolicyDirectory(path: folder.path, owners: [4242])))
    }

    @Test("A folder where a file should be, and a file where the folder should be, are faults")
    func kinds() throws {
        try makeFolder(folder.path + "/a.yaml")
        #expect(isRefused(PolicyDirectory(path: folder.path)))
        try folder.write("", to: "file")
        #expect(isRefused(PolicyDirectory(path: folder.path + "/file")))
        #expect(isRefused(PolicyDirectory(path: folder.path + "/file/policy.d")))
    }

    @Test("A pipe named like a policy file does not block")
    func pipe() throws {
        try makePipe(folder.path + "/a.yaml")
        #expect(isRefused(PolicyDirectory(path: folder.path)))
    }
}
