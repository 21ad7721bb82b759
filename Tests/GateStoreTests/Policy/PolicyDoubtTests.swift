import Foundation
import Gate
import LinuxSystem
import Testing

@testable import GateStore

/// If it is in doubt what the rules are, or whether one applies, they deny.
@Suite("doubts about a policy")
struct PolicyDoubtTests {
    let folder: TemporaryFolder
    private var policy: PolicyDirectory { PolicyDirectory(path: folder.path) }
    private static let rule = "version: 1\nrules:\n  - allow: any\n"

    init() throws {
        folder = try TemporaryFolder()
    }

    fileprivate enum Word {
        case ask, allow, deny, broken
    }

    fileprivate func verdict(_ policy: PolicyDirectory, at seconds: Int64 = 1_800_000_000, latest: Int64 = 0) -> Word {
        let query = PolicyQuery(
            capability: .camera, level: .still, device: DeviceID(rawValue: "x"), at: Samples.instant(seconds),
            latestSinceEpoch: .nanoseconds(latest * 1_000_000_000))
        switch policy.verdict(for: Samples.subject(), on: query) {
        case .ask: return .ask
        case .allow: return .allow
        case .deny(let restriction):
            if case .policy = restriction.cause { return .deny }
            return .broken
        }
    }

    private func isRefused(at path: String) -> Bool { verdict(PolicyDirectory(path: path)) == .broken }

    // MARK: Dates

    /// The rules end at 1,800,000,001 s; the clock is before it, at it, and before it with a later time seen.
    @Test(
        "A denial's end is judged by the clock as it is, an allow's also by the latest time seen",
        arguments: [
            ("deny: any", [Word.deny, .ask, .deny]), ("allow: any", [.allow, .ask, .ask]),
            ("ask: any", [.ask, .ask, .ask]),
        ])
    fileprivate func ends(rule: String, expected: [Word]) throws {
        let until = "{\(rule), until: \"2027-01-15T08:00:01Z\"}"
        try folder.write("version: 1\nrules: [\(until)]\n", to: "a.yaml")
        let found = [(1_800_000_000, 0), (1_800_000_001, 0), (1_800_000_000, 1_800_000_002)].map { now, latest in
            verdict(policy, at: now, latest: latest)
        }
        #expect(found == expected)
        // What a question kept from being allowed stays so in doubt, and what it kept from being denied does not.
        try folder.write("version: 1\nrules: [\(until), {allow: any}]\n", to: "a.yaml")
        #expect(verdict(policy, latest: 1_800_000_002) == (rule == "allow: any" ? .allow : expected[2]))
        try folder.write("version: 1\nrules: [\(until), {deny: any}]\n", to: "a.yaml")
        #expect(verdict(policy, latest: 1_800_000_002) == .deny)
    }

    // MARK: Places

    @Test(
        "A link that leads nowhere, a loop, or a file in the place of any part of the path denies; a name that nobody has is no rule",
        arguments: [
            "nowhere", "loop", "file", "over/policy.d", "link/policy.d", "loop/policy.d", "file/policy.d",
            "aside/dangling",
        ])
    func places(part: String) throws {
        let files = FileManager.default
        try files.createSymbolicLink(atPath: folder.path + "/nowhere", withDestinationPath: "/mnt/not-mounted-here")
        try files.createSymbolicLink(atPath: folder.path + "/loop", withDestinationPath: "loop")
        try files.createSymbolicLink(atPath: folder.path + "/over", withDestinationPath: "nowhere")
        try files.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: "nowhere/deeper")
        try makeFolder(folder.path + "/aside")
        try files.createSymbolicLink(atPath: folder.path + "/aside/dangling", withDestinationPath: "../link/x")
        try folder.write("", to: "file")
        #expect(isRefused(at: "\(folder.path)/\(part)"))
        #expect(!PolicyDirectory(path: "\(folder.path)/\(part)").check().isEmpty)
        #expect(PolicyDirectory(path: "\(folder.path)/none/policy.d").summary == .none)
        #expect(verdict(PolicyDirectory(path: "\(folder.path)/aside/none")) == .ask)
    }

    @Test("A folder that a link leads to is read, also by way of a parent that is one")
    func followed() throws {
        try makeFolder(folder.path + "/real")
        try makeFolder(folder.path + "/real/policy.d")
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/etc", withDestinationPath: "real")
        try folder.write(Self.rule, to: "real/policy.d/a.yaml")
        #expect(verdict(PolicyDirectory(path: folder.path + "/etc/policy.d")) == .allow)
    }

    // MARK: Names

    @Test(
        "A file of another ending may be a rule that somebody believes in",
        arguments: [
            "deny.YAML", "deny.Yml", "deny.yml", "deny.json", "deny.conf", "deny", "deny.yaml.bak", "deny.yaml ",
            "deny.yaml.disabled", "README.yaml.txt", "rules", "deny.yaml\n", "sedan.conf", "x;y",
        ])
    func endings(name: String) throws {
        try folder.write(Self.rule, to: "a.yaml")
        try folder.write("version: 1\nrules:\n  - deny: any\n", to: name)
        #expect(verdict(policy) == .broken)
        #expect(policy.check().first?.file == "\(folder.path)/\(name)")
    }

    @Test("What editors and packages leave is passed over, and named")
    func leftovers() throws {
        let names = [
            "#a.yaml#", ".a.yaml.swp", ".hidden", "4913", "README", "a.yaml.dpkg-dist", "a.yaml.dpkg-old",
            "a.yaml.rpmsave", "a.yaml.ucf-dist", "a.yaml;5f3a2b1c", "a.yaml~", "sedAbC123",
        ]
        for name in names { try folder.write("{[", to: name) }
        try folder.write(Self.rule, to: "a.yaml")
        #expect(verdict(policy) == .allow)
        #expect(policy.passedOver == names)
    }

    @Test("More names than anybody keeps are a fault, and are not all looked at")
    func crowd() throws {
        for number in 0...1000 { try folder.write("", to: ".\(number)") }
        #expect(policy.check().first?.message.contains("more than 1000") == true)
    }

    // MARK: Bytes

    @Test(
        "Line breaks of Unicode, and characters that do not show, are refused with their place",
        arguments: [
            ("\u{85}", "line break"), ("\u{2028}", "line break"), ("\u{2029}", "line break"),
            ("\u{200B}", "invisible character"), ("\u{A0}", "invisible character"), ("\u{202E}", "invisible character"),
            ("\u{3164}", "invisible character"), ("\u{AD}", "invisible character"),
        ])
    func breaks(scalar: String, message: String) throws {
        try folder.write("version: 1\nrules:\n  - deny\(scalar): any\n", to: "a.yaml")
        let fault = try #require(policy.check().first)
        #expect(fault.line == 3 && fault.column == 9 && fault.message.contains(message), "\(fault)")
    }

    @Test("Reasons may be of any language")
    func languages() throws {
        let reason = "q\u{308}\u{301}\u{302} 録音禁止 हिन्दी Übung"
        try folder.write("version: 1\nrules:\n  - deny: any\n    reason: \(reason)\n", to: "a.yaml")
        #expect(verdict(policy) == .deny)
    }

    @Test(
        "Anchors and aliases are refused, wherever they stand",
        arguments: [
            "version: &a 1\nrules: []\n", "version: 1\nrules: &a []\n", "version: 1\nrules:\n  - deny: &a any\n",
            "version: 1\nrules:\n  - &a deny: any\n", "version: 1\nrules:\n  - deny: [&a camera, *a]\n",
            "&a version: 1\nrules: []\n",
        ])
    func anchors(text: String) throws {
        try folder.write(text, to: "a.yaml")
        #expect(policy.check().first?.message.contains("nchor") == true)
        #expect(verdict(policy) == .broken)
    }

    @Test(
        "What makes work for a reader is refused at once",
        arguments: [
            "[\u{2028}*z0,\u{2028}*z0]", "[\u{85}*z0,\u{85}*z0]", "[!!str *z0,\"\"*z0]", "{? *z0 : *z0}", "[*z0,*z0]",
        ])
    func bombs(word: String) throws {
        var text = "z0: &z0 [x,x]\n"
        for level in 1...24 {
            text += "z\(level): &z\(level) " + word.replacingOccurrences(of: "z0", with: "z\(level - 1)") + "\n"
        }
        text += "? *z24\n: 1\n"
        try folder.write(text, to: "a.yaml")
        // Resolved, the aliases would be millions of nodes.
        #expect(verdict(policy) == .broken)
        #expect(try cost() < 100 * costOfRules())
    }

    @Test("The deepest and the widest files of the largest size cost little more than one with rules")
    func largest() throws {
        let room = 128 << 10
        let texts = [
            String(repeating: "[", count: room), String(repeating: "[\"]\",", count: room / 5),
            String(repeating: "- ", count: room / 2), String(repeating: "? ", count: room / 2),
            String(repeating: "[", count: 900) + "&a x" + String(repeating: "]", count: 900),
            String(repeating: "[", count: 900) + String(repeating: "a,", count: room / 2 - 1000),
            "version: 1\nrules:\n" + String(repeating: "- deny: any\n", count: room / 12 - 2),
            "version: 1\nrules: [" + String(repeating: "{},", count: room / 3 - 10) + "]\n",
        ]
        let usual = try costOfRules()
        for text in texts {
            try folder.write(text, to: "a.yaml")
            #expect(cost() < 100 * usual, "\(text.prefix(30))")
        }
    }

    @Test("Odd files are faults, and are not waited for")
    func oddFiles() throws {
        let good = Array(Self.rule.utf8)
        let utf16 = Self.rule.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
        for bytes in [[0xEF, 0xBB, 0xBF] + good, [0xFF, 0xFE] + utf16, utf16, good + [0], good + [0xC3]] {
            try folder.write(bytes: bytes, to: "a.yaml")
            #expect(verdict(policy) == .broken)
        }
        for text in [Self.rule + "    user: 0\n\tgroup: 0\n", Self.rule + Self.rule, Self.rule + "--- x\n"] {
            try folder.write(text, to: "a.yaml")
            #expect(verdict(policy) == .broken)
        }
        try folder.write(Self.rule.replacingOccurrences(of: "\n", with: "\r\n"), to: "a.yaml")
        #expect(verdict(policy) == .allow)
        try folder.remove("a.yaml")
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/a.yaml", withDestinationPath: "/dev/zero")
        #expect(verdict(policy) == .broken)
        try folder.remove("a.yaml")
        try folder.write("", to: "a.yaml")
        let handle = try #require(FileHandle(forWritingAtPath: folder.path + "/a.yaml"))
        try handle.truncate(atOffset: 1 << 40)
        // 1 TiB, which nobody reads.
        #expect(verdict(policy) == .broken)
        #expect(policy.check().first?.message.contains("longer than 128 KiB") == true)
    }

    @Test("A file that is another one by the time it is read, or is being written, is a fault")
    func changing() throws {
        try folder.write(Self.rule, to: "a.yaml")
        let look = PolicyListing(at: folder.path, owners: [geteuid()])
        #expect(PolicyReading(of: look, at: folder.path, wasThere: false).diagnostics.isEmpty)
        try folder.overwrite(Self.rule + "\n", in: "a.yaml")
        let read = PolicyReading(of: look, at: folder.path, wasThere: false)
        #expect(read.rules.isEmpty && read.diagnostics.first?.message.contains("changed while it was read") == true)
    }

    @Test("All files together have a bound as well")
    func together() throws {
        let text = Self.rule + String(repeating: "#\n", count: 60_000)
        for number in 0..<9 { try folder.write(text, to: "\(number).yaml") }
        #expect(policy.check().first?.message.contains("larger than 1 MiB") == true)
        #expect(verdict(policy) == .broken)
    }

    @Test("2,000 files with random mistakes are read or refused, and none costs more than the largest that is allowed")
    func random() throws {
        var random = SeededRandom(seed: 4711)
        let seeds = [
            "version: 1\nrules:\n  - allow: microphone\n    level: meter\n    user: [root, 0]\n    until: 2027-01-31T18:00:00Z\n",
            "version: 1\nrules: [{deny: [camera, microphone], reason: \"No: 'not' *here*\"}, {ask: any}]\n",
            "# rules\nversion: 1\nrules:\n  - deny: any\n    reason: |\n      Two\n      lines\n",
        ].map { Array($0.utf8) }
        let pieces = [
            "*a", "&a ", "\u{2028}", "? ", "[", "{", "]", "- ", "\"", "'", "!!", "|\n", "\t", "\r", "%", "<<: ",
        ]
        .map { Array($0.utf8) }
        let most = try costOfRules()
        for _ in 0..<2_000 {
            var bytes = seeds[Int.random(in: 0..<seeds.count, using: &random)]
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: place)
                default: bytes.append(contentsOf: bytes[place...].prefix(40))
                }
                if bytes.isEmpty { bytes = [0x41] }
            }
            let text = YAMLText(bytes[...])
            guard text.fault == nil else { continue }
            let cost = processorTime { _ = PolicyParser(text.text, file: "a.yaml") }
            #expect(cost < most, "\(text.text)")
        }
    }

    /// Cost of reading the present rules.
    private func cost() -> Int64 { processorTime { _ = verdict(policy) } }

    /// Cost of reading the largest file with good rules. Other costs are compared with it.
    private func costOfRules() throws -> Int64 {
        let rules = String(repeating: "- deny: any\n", count: (128 << 10) / 12 - 2)
        let other = try TemporaryFolder()
        try other.write("version: 1\nrules:\n" + rules, to: "a.yaml")
        return processorTime { _ = verdict(PolicyDirectory(path: other.path)) }
    }

    /// Processor time of this thread, in ns: other programs do not change it much.
    private func processorTime(of work: () -> Void) -> Int64 {
        let begun = SystemClock.thread.now
        work()
        return SystemClock.thread.now - begun
    }
}

/// The same numbers each time (SplitMix64).
private struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
