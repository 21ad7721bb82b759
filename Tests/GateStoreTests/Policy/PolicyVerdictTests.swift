import Gate
import GateStore
import Testing

@Suite("policy verdicts")
struct PolicyVerdictTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func verdict(
        _ rules: String, _ subject: Subject = Samples.subject(), _ capability: CapabilityName = .microphone,
        _ level: AccessLevel = .record, device: String = "usb-1", aliases: [String] = [],
        at seconds: Int64 = 1_800_000_000
    ) throws -> Word {
        try folder.write("version: 1\nrules:\n\(rules)\n", to: "a.yaml")
        let query = PolicyQuery(
            capability: capability, level: level, device: DeviceID(rawValue: device),
            aliases: aliases.map { DeviceID(rawValue: $0) }, at: Samples.instant(seconds))
        return Word(PolicyDirectory(path: folder.path).verdict(for: subject, on: query))
    }

    /// A verdict without its origin; `broken` is a denial because the policy can't be followed.
    enum Word: Hashable {
        case ask, allow, deny, broken

        init(_ verdict: PolicyVerdict) {
            switch verdict {
            case .ask: self = .ask
            case .allow: self = .allow
            case .deny(let restriction):
                if case .policy = restriction.cause { self = .deny } else { self = .broken }
            }
        }
    }

    @Test("No rule, no folder: the person decides")
    func nothing() throws {
        #expect(try verdict("  []") == .ask)
        let none = PolicyDirectory(path: folder.path + "/none")
        let query = PolicyQuery(
            capability: .camera, level: .still, device: DeviceID(rawValue: "x"), at: Samples.instant())
        #expect(none.verdict(for: Samples.subject(), on: query) == .ask)
        #expect(none.summary == .none)
    }

    @Test(
        "The first rule that matches decides",
        arguments: [
            ("  - allow: microphone\n  - deny: any", Word.allow), ("  - deny: any\n  - allow: microphone", .deny),
            ("  - ask: microphone\n  - deny: any", .ask), ("  - allow: camera\n  - deny: any", .deny),
            ("  - allow: camera", .ask), ("  - allow: any", .allow), ("  - deny: [camera, microphone]", .deny),
            ("  - deny: [camera, any]", .deny),
        ])
    func order(rules: String, expected: Word) throws {
        #expect(try verdict(rules) == expected)
    }

    @Test(
        "A rule that denies a device denies it under its other ids too; one that allows or asks speaks of the id alone",
        arguments: [
            ("  - deny: microphone\n    device: other", Word.deny), ("  - allow: microphone\n    device: other", .ask),
            ("  - ask: microphone\n    device: other\n  - deny: any", .deny),
            ("  - allow: microphone\n    device: x\n  - deny: microphone\n    device: other", .allow),
            ("  - allow: microphone\n    device: x\n  - deny: any", .allow),
            ("  - deny: microphone\n    device: third", .ask),
        ])
    func aliases(rules: String, expected: Word) throws {
        #expect(try verdict(rules, device: "x", aliases: ["other"]) == expected)
    }

    @Test(
        "Everything a rule names must match, any word of a list will do",
        arguments: [
            ("user: 1000", true), ("user: 1001", false), ("user: [1001, 1000]", true), ("user: root", false),
            ("group: 44", true), ("group: [45, 46]", false), ("device: usb-1", true), ("device: usb-2", false),
            ("device: any", true), ("device: [usb-2, usb-1]", true), ("executable: /usr/bin/memo", true),
            ("executable: /usr/bin/mem", false), ("unit: memo.service", true), ("flatpak: memo.service", false),
            ("snap: memo.service", false), ("unit: [a, memo.service]", true),
            ("user: 1000\n    group: 45", false), ("user: 1000\n    device: usb-1", true),
            ("until: 2027-01-15T08:00:00Z", false), ("until: 2027-01-15T08:00:01Z", true),
            ("until: 2027-01-15T10:00:00+02:00", false), ("until: \"2027-01-15 08:00:00.5Z\"", true),
            ("reason: no", true),
        ])
    func matching(selector: String, matches: Bool) throws {
        let subject = Samples.subject(application: ApplicationID(kind: .unit, name: "memo.service"))
        for (word, expected) in [("allow", Word.allow), ("deny", .deny)] {
            #expect(try verdict("  - \(word): microphone\n    \(selector)", subject) == (matches ? expected : .ask))
        }
    }

    @Test(
        "A level allows the lower ones too, and denies the higher ones too",
        arguments: [
            ("allow: microphone", "meter", AccessLevel.meter, Word.allow),
            ("allow: microphone", "meter", .record, .ask), ("allow: microphone", "record", .meter, .allow),
            ("deny: microphone", "record", .meter, .ask), ("deny: microphone", "meter", .record, .deny),
            ("deny: microphone", "record", .record, .deny),
            ("deny: microphone", "record", AccessLevel(name: "record", rank: 1), .deny),
            ("deny: microphone", "meter", AccessLevel(name: "meter", rank: 0), .deny),
            ("deny: microphone", "record", .still, .deny), ("ask: microphone", "record", .still, .ask),
            ("allow: microphone", "record", AccessLevel(name: "record", rank: 1), .ask),
            ("allow: microphone", "meter", AccessLevel(name: "record", rank: 0), .ask),
        ])
    func levels(rule: String, named: String, asked: AccessLevel, expected: Word) throws {
        #expect(try verdict("  - \(rule)\n    level: \(named)", Samples.subject(), .microphone, asked) == expected)
    }

    @Test("A verdict says which file and line it is from, and until when it holds")
    func origin() throws {
        let file = try folder.write(
            "version: 1\nrules:\n  - deny: camera\n    reason: No pictures here.\n  - allow: any\n"
                + "    until: 2027-01-31T18:00:00Z\n", to: "a.yaml")
        let policy = PolicyDirectory(path: folder.path)
        func ask(_ capability: CapabilityName) -> PolicyVerdict {
            policy.verdict(
                for: Samples.subject(),
                on: PolicyQuery(
                    capability: capability, level: .meter, device: DeviceID(rawValue: "x"), at: Samples.instant()))
        }
        let end = Duration.seconds(1_801_418_400)
        #expect(ask(.microphone) == .allow(PolicyOrigin(file: file, line: 5), until: end))
        guard case .deny(let restriction) = ask(.camera) else {
            Issue.record("the camera is not denied")
            return
        }
        #expect(restriction.cause == .policy(PolicyOrigin(file: file, line: 3)))
        #expect(restriction.reason.contains("No pictures here."))
        #expect(restriction.remedies.contains { $0.text.contains("line 3 of \(file)") })
    }

    @Test("Files are read in the order of their names, and only those that end in .yaml")
    func files() throws {
        try folder.write("version: 1\nrules:\n  - deny: any\n", to: "20-b.yaml")
        try folder.write("version: 1\nrules:\n  - allow: camera\n", to: "10-a.yaml")
        for name in ["README", "05.yaml~", ".05.yaml", "05.yaml.dpkg-old"] { try folder.write("{[", to: name) }
        let policy = PolicyDirectory(path: folder.path)
        #expect(policy.summary == .rules(2, files: ["\(folder.path)/10-a.yaml", "\(folder.path)/20-b.yaml"]))
        let query = PolicyQuery(
            capability: .camera, level: .video, device: DeviceID(rawValue: "x"), at: Samples.instant())
        #expect(Word(policy.verdict(for: Samples.subject(), on: query)) == .allow)
    }

    @Test("A rule for a capability of somebody's own matches `any` alone")
    func ownCapability() throws {
        let screen = CapabilityName(rawValue: "screen")
        let level = AccessLevel(name: "view", rank: 1)
        #expect(try verdict("  - deny: any", Samples.subject(), screen, level) == .deny)
        #expect(try verdict("  - deny: [camera, microphone]", Samples.subject(), screen, level) == .ask)
    }
}
