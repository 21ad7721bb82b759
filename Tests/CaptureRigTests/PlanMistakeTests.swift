import CaptureRig
import Testing

/// A plan with one mistake, and the expected place and message.
struct Slip: Sendable, CustomTestStringConvertible {
    let text: String
    let position: String
    let message: String

    /// - Parameters:
    ///   - checks: steps of the plan. Its devices come before, so the first line is 7.
    ///   - position: `LINE:COLUMN`.
    ///   - message: beginning of the sentence.
    init(_ checks: String, _ position: String, _ message: String) {
        text = Self.head + "checks:\n" + checks + "\n"
        self.position = position
        self.message = message
    }

    init(plan: String, _ position: String, _ message: String) {
        text = plan
        self.position = position
        self.message = message
    }

    var testDescription: String { message }

    static let head = """
        version: 1
        devices:
          cam: {kind: camera, id: a}
          same: {kind: camera, id: a}
          mic: {kind: microphone, id: c}

        """
    /// A short text that would be ten thousand words if aliases were followed.
    static let bomb =
        "version: 1\na: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
        + "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nchecks: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
    static let check = "checks: [{check: camera.stream, device: cam}]\n"
}

@Suite("mistakes in plans")
struct PlanMistakeTests {
    private let folder: PlanFolder

    init() throws {
        folder = try PlanFolder()
    }

    private func expect(_ slip: Slip) throws {
        try folder.write("no directory", to: "file")
        let (plan, mistakes) = try folder.read(text: slip.text)
        #expect(plan == nil)
        let wanted = "plan.yaml:\(slip.position): \(slip.message)"
        #expect(mistakes.count == 1 && mistakes[0].hasPrefix(wanted), "\(mistakes)")
        #expect(mistakes.allSatisfy { $0.hasSuffix(".") })
    }

    @Test(
        "of the head are told with their line and column",
        arguments: [
            Slip(plan: Slip.head, "1:1", "The list of `checks` is missing"),
            Slip(plan: Slip.head + "checks: []\n", "6:9", "`checks` is an empty list"),
            Slip(plan: Slip.head + "checks: {check: camera.rate}\n", "6:9", "`checks` must be a list"),
            Slip(plan: Slip.head + "checks:\n", "6:8", "`checks` must be a list"),
            Slip(plan: Slip.head + "chekcs: 1\n" + Slip.check, "6:1", "`chekcs` is not a key here: write `checks`."),
            Slip(
                plan: Slip.head + "colour: 1\n" + Slip.check, "6:1", "`colour` is not a key here: use"),
            Slip(plan: Slip.head + "profile: bnech\n" + Slip.check, "6:10", "`bnech` is not a profile: write `bench`."),
            Slip(plan: Slip.head + "name: [a]\n" + Slip.check, "6:7", "Write one word or text here"),
            Slip(plan: Slip.head + "name: ~\n" + Slip.check, "6:7", "A value is missing here"),
            Slip(plan: Slip.head + "name: \"a\\0b\"\n" + Slip.check, "6:7", "This word contains a control character"),
            Slip(plan: Slip.head + "golden: file\n" + Slip.check, "6:9", "`"),
            Slip(plan: Slip.head + "include: []\n" + Slip.check, "6:10", "`include` is an empty list"),
            Slip(
                plan: "version: 1.0\n" + Slip.head.dropFirst(11) + Slip.check, "1:10",
                "This version is not supported"),
            Slip(plan: Slip.head + "name: &a b\n" + Slip.check, "6:7", "Anchors and aliases are not supported"),
            Slip(plan: Slip.bomb, "2:4", "Anchors and aliases are not supported. Write the value again."),
            Slip(plan: Slip.head + Slip.check + Slip.check, "7:1", "These keys are repeated: checks."),
            Slip(plan: Slip.head + "checks: [\n", "7:1", "This is not YAML"),
        ])
    func head(_ slip: Slip) throws { try expect(slip) }

    @Test(
        "of devices are told with their line and column",
        arguments: [
            ("{id: a}", "3:6", "The device's kind is missing"),
            ("{kind: camra, id: a}", "3:13", "`camra` is not a kind"),
            ("{kind: camera}", "3:6", "The device's selector is missing"),
            ("camera", "3:6", "A device must be a mapping"),
            ("{kind: camera, id: a, match: {}}", "3:35", "A device takes `id` or `match`, not both"),
            ("{kind: camera, id: }", "3:25", "A value is missing"),
            ("{kind: camera, ids: a}", "3:21", "`ids` is not a key"),
            ("{kind: camera, match: {nmae: a}}", "3:29", "`nmae` is not a key here: write `name`."),
            ("{kind: camera, match: {index: -1}}", "3:36", "`index` must be a whole number"),
            ("{kind: camera, match: {index: 1.5}}", "3:36", "`index` must be a whole number"),
        ])
    func devices(_ device: String, _ position: String, _ message: String) throws {
        let plan = "version: 1\ndevices:\n  x: \(device)\n" + "checks: [{check: camera.stream, device: x}]\n"
        let mistakes = try folder.read(text: plan).mistakes
        // Consequences of the first mistake may be reported as well, but not that the check's device is unknown.
        #expect(mistakes.contains { $0.hasPrefix("plan.yaml:\(position): \(message)") }, "\(mistakes)")
        #expect(!mistakes.contains { $0.contains("device of the plan") })
    }

    @Test(
        "of limits are told with their line and column",
        arguments: [
            ("{camera.rat: {}}", "6:10", "`camera.rat` is not a check: write `camera.rate`."),
            ("{camera.rate: {jiter: none}}", "6:24", "`jiter` is not a measure of `camera.rate`: write `jitter`."),
            ("{camera.rate: [jitter]}", "6:23", "The limits of a check must be a mapping"),
            ("{camera.rate: {jitter: 5}}", "6:32", "A limit, if it is not `none`, must be a mapping"),
            ("{camera.rate: {jitter: {max: 5}}}", "6:33", "`max` is not a key here"),
            ("{camera.rate: {jitter: {marginal: 5}}}", "6:32", "A limit needs `least`, `most` or both"),
            ("{camera.rate: {jitter: {most: five}}}", "6:39", "`five` is not a number. Write one such as `5 ms`."),
            (
                "{camera.rate: {jitter: {most: 5 kHz}}}", "6:39",
                "`5 kHz` can't be converted: `jitter` is measured in `ms`."
            ),
            ("{camera.rate: {lost: {most: 5 %}}}", "6:37", "`5 %` can't be converted"),
            ("{camera.rate: {lost: {most: .inf}}}", "6:37", "`.inf` is not a number"),
            ("{camera.rate: {lost: {most: 1e400}}}", "6:37", "`1e400` is not a number"),
            ("{camera.rate: {jitter: {least: 2, most: 1}}}", "6:40", "`least` is above `most`"),
            (
                "{camera.rate: {jitter: {most: 1, marginal: 2}}}", "6:52",
                "The marginal bounds must rise and be inside"
            ),
            ("{camera.rate: {jitter: {most: 1, marginal: [0, 1]}}}", "6:52", "A limit with one bound takes one number"),
            ("{camera.rate: {jitter: {least: 0, most: 1, marginal: 1}}}", "6:62", "A limit with two bounds takes two"),
            ("{camera.rate: {jitter: {least: 0, most: 9, marginal: [5, 4]}}}", "6:62", "The marginal bounds must rise"),
            (
                "{camera.rate: {jitter: {least: 0, most: 9, marginal: [-1, 4]}}}", "6:62",
                "The marginal bounds must rise"
            ),
        ])
    func limits(_ limits: String, _ position: String, _ message: String) throws {
        try expect(Slip(plan: Slip.head + "limits: \(limits)\n" + Slip.check, position, message))
    }

    @Test(
        "of checks are told with their line and column",
        arguments: [
            Slip("  - camera.rate", "7:5", "A step must be a mapping"),
            Slip("  - {device: cam}", "7:5", "A step needs `check: NAME`"),
            Slip("  - {check: camera.rat, device: cam}", "7:13", "`camera.rat` is not a check: write `camera.rate`."),
            Slip(
                "  - {check: xylophone}", "7:13",
                "`xylophone` is not a check: use `camera.rate`, `camera.stream`,"),
            Slip("  - {check: camera.rate, device: cam, fro: 3 s}", "7:39", "`fro` is not a key here: write `for`."),
            Slip("  - {check: camera.rate, device: cma}", "7:34", "`cma` is not a device of the plan: write `cam`."),
            Slip(
                plan: "version: 1\nchecks: [{check: camera.rate, device: cam}]\n", "2:39",
                "The plan has no device `cam`. Add it to `devices`."),
            Slip("  - {check: camera.rate}", "7:5", "The device is missing. `camera.rate` takes one camera"),
            Slip(
                "  - {check: camera.rate, device: mic}", "7:34",
                "`mic` is a microphone, and `camera.rate` takes a camera"),
            Slip("  - {check: camera.rate, device: [cam, cam]}", "7:40", "`cam` is repeated"),
            Slip(
                "  - {check: camera.rate, devices: [cam]}", "7:35",
                "`camera.rate` takes one camera. Write `device: NAME`"),
            Slip("  - {check: sync.offset, device: cam}", "7:34", "`sync.offset` takes a camera and a microphone"),
            Slip("  - {check: sync.offset, devices: [cam]}", "7:35", "`sync.offset` takes a camera and a microphone"),
            Slip("  - {check: machine.scheduling, devices: cam}", "7:42", "`machine.scheduling` takes no device"),
            Slip("  - {check: machine.scheduling, device: cam}", "7:41", "`machine.scheduling` takes no device"),
            Slip("  - {check: camera.rate, device: cam, label: }", "7:46", "A value is missing here"),
            Slip(
                "  - {check: camera.rate, device: cam, repeat: 0}", "7:47", "`repeat` must be a whole number from 1"),
            Slip(
                "  - {check: camera.rate, device: cam, repeat: 1e9}", "7:47", "`repeat` must be a whole number from 1"),
            Slip("  - {check: camera.rate, device: cam, limits: {lots: none}}", "7:48", "`lots` is not a measure of"),
        ])
    func checks(_ slip: Slip) throws { try expect(slip) }

    @Test(
        "of parameters are told with their line and column",
        arguments: [
            ("for: 3", "`for` must be a time such as `3 s`"), ("for: -1 s", "`for` must be a time"),
            ("for: 3 d", "`for` must be a time"), ("for: 1001 h", "`for` must be a time"),
            ("tries: 1.5", "`tries` must be a whole number"), ("tries: -1", "`tries` must be a whole number"),
            ("tries: 99999999999999999999", "`tries` must be a whole number"),
            ("share: 5 s", "`share` must be a number"),
            ("share: 1_000", "`share` must be a number"), ("size: 640", "`size` must be a size such as `1280x720`"),
            ("size: 0x1", "`size` must be a size"), ("size: 640x480x1", "`size` must be a size"),
            ("rate: 29.97", "`rate` must be a rate such as `30` or `30000/1001`"),
            ("rate: 1/0", "`rate` must be a rate"),
            ("format: [a]", "Write one word or text here"), ("modes: []", "`modes` is an empty list"),
            ("chart: {}", "Write one word or text here"),
            ("light: on", "Write the program and its arguments as a list"),
        ])
    func parameters(_ parameter: String, _ message: String) throws {
        let column = 6 + (parameter.firstIndex(of: " ")?.utf16Offset(in: parameter) ?? 0)
        try expect(Slip("  - check: camera.rate\n    device: cam\n    \(parameter)", "9:\(column)", message))
    }

    @Test(
        "of matrices are told with their line and column",
        arguments: [
            ("matrix: [a]", "9:13", "`matrix` must be a mapping"),
            ("matrix: {foramt: [a]}", "9:14", "`foramt` is not a parameter of `camera.rate`: write `format`."),
            ("matrix: {format: []}", "9:22", "`format` is an empty list"),
            ("matrix: {size: [640x480, 64]}", "9:30", "`size` must be a size"),
            ("matrix: {format: [a, b, a]}", "9:29", "The matrix has this value twice"),
            ("matrix: {light: [[a]]}", "9:14", "A matrix can't contain a command"),
            ("for: 3 s\n    matrix: {for: [1 s]}", "10:14", "`for` is also in the check"),
            ("except: [{format: a}]", "9:13", "`except` needs a `matrix`"),
            ("matrix: {format: [a, b]}\n    except: [{size: 1x1}]", "10:15", "`size` is not in the matrix"),
            ("matrix: {format: [aaa, b]}\n    except: [{format: aab}]", "10:23", "`aab` is not a value of `format` in"),
            (
                "matrix: {format: [a, b]}\n    except: [{}]", "10:14",
                "An empty exception would exclude everything"
            ),
            ("matrix: {format: [a, b]}\n    except: {format: a}", "10:13", "`except` must be a list"),
            ("matrix: {format: [a]}\n    except: [{format: a}]", "10:13", "The exceptions exclude the whole matrix"),
        ])
    func matrices(_ lines: String, _ position: String, _ message: String) throws {
        try expect(Slip("  - check: camera.rate\n    device: cam\n    \(lines)", position, message))
    }

    @Test(
        "of commands are told with their line and column",
        arguments: [
            Slip("  - {run: light on}", "7:11", "Write the program and its arguments as a list"),
            Slip("  - {run: []}", "7:11", "Write the program and its arguments as a list"),
            Slip("  - {run: [\"\", a]}", "7:12", "The program's name is empty"),
            Slip("  - {run: [a, [b]]}", "7:15", "Write one word or text here"),
            Slip("  - {run: [a], within: 5}", "7:24", "`within` must be a time above zero"),
            Slip("  - {run: [a], within: 0 s}", "7:24", "`within` must be a time above zero"),
            Slip("  - {run: [a], wihtin: 5 s}", "7:16", "`wihtin` is not a key here: write `within`."),
            Slip("  - {check: camera.rate, device: cam, before: [{within: 1 s}]}", "7:48", "The command is missing"),
            Slip("  - {check: camera.rate, device: cam, after: []}", "7:46", "`after` is an empty list"),
        ])
    func commands(_ slip: Slip) throws { try expect(slip) }

    @Test(
        "of parallel groups are told with their line and column",
        arguments: [
            Slip("  - parallel: []", "7:15", "`parallel` is an empty list"),
            Slip(
                "  - {parallel: [{check: camera.stream, device: cam}], after: []}", "7:55", "`after` is not a key"),
            Slip(
                "  - parallel:\n    - {check: camera.rate, device: cam}\n    - {check: camera.stream, device: cam}",
                "9:7",
                "The device `cam` is also used in line 8 of the same parallel group"),
            Slip(
                "  - parallel:\n    - {check: camera.rate, device: cam}\n    - {check: camera.stream, device: same}",
                "9:7",
                "The device `same` is also used in line 8"),
            Slip(
                "  - parallel: [{check: camera.rate, device: cam, repeat: 2}]", "7:16",
                "A parallel group can't use a device twice at a time, so each check runs once. Write "
                    + "`repeat` next to"),
            Slip(
                "  - parallel: [{check: camera.rate, device: cam, matrix: {tries: [1, 2]}}]", "7:16",
                "A parallel group can't use a device twice at a time, so each check runs once"),
        ])
    func groups(_ slip: Slip) throws { try expect(slip) }

    @Test(
        "of names are told with their line and column",
        arguments: [
            Slip(
                "  - {check: camera.rate, device: cam}\n  - {check: camera.rate, device: cam}", "8:5",
                "The result `camera.rate.cam` would exist twice (see line 7). Give one check a `label: WORD`."),
            Slip(
                "  - {check: camera.rate, device: cam, repeat: 2}\n  - {check: camera.rate, device: cam, label: 2}",
                "8:5",
                "The result `camera.rate.cam.2` would exist twice"),
            Slip(
                "  - {check: camera.rate, device: cam, matrix: {format: [a/b, a b]}}", "7:5",
                "The result `camera.rate.cam.a_b` would exist twice"),
            Slip(
                "  - {check: camera.rate, device: cam, label: \(String(repeating: "a", count: 200))}", "7:5",
                "The name of this check's result would be longer than 200 characters"),
        ])
    func names(_ slip: Slip) throws { try expect(slip) }

    @Test(
        "of size: more than 10,000 checks in all are refused, however they come about",
        arguments: [
            Slip(
                "  - {check: camera.rate, device: cam, repeat: 10000}\n  - {check: camera.stream, device: cam}", "8:5",
                "With this check there are 10001, but a plan can have up to 10000 checks"),
            Slip(
                "  - {check: camera.rate, device: cam, repeat: 5001, matrix: {tries: [1, 2]}}", "7:5",
                "With this check there are 10002"),
            Slip(
                "  - {check: camera.rate, device: cam, matrix: {tries: [\(Self.numbers)], share: [\(Self.numbers)]}}",
                "7:5",
                "This matrix has more than 10000 variants"),
        ])
    func size(_ slip: Slip) throws { try expect(slip) }

    private static let numbers = (1...101).map(String.init).joined(separator: ", ")

    @Test("are all told at once, in the order in which they stand")
    func all() throws {
        let (plan, mistakes) = try folder.read(
            text: """
                version: 2
                nme: a
                devices:
                  cam: {kind: camera}
                limits: {camera.rate: {lsot: none}}
                checks:
                  - {check: camera.rat, repeat: 0, before: [{run: a}]}
                  - {check: camera.rate, device: cam, for: 1, tries: -1, limits: {jitter: {}}}
                  - {run: [], within: 0}
                """)
        #expect(plan == nil)
        let positions = mistakes.map { $0.split(separator: ":")[1...2].joined(separator: ":") }
        #expect(
            positions == [
                "1:10", "2:1", "4:8", "5:24", "7:13", "7:33", "7:51", "8:44", "8:54", "8:75", "9:11", "9:23",
            ])
    }

    @Test("end after 200 in a file that is something else")
    func flood() throws {
        let keys = (0..<5000).map { "key\($0): 1\n" }.joined()
        let mistakes = try folder.read(text: keys).mistakes
        #expect(
            mistakes.count == 201 && mistakes.contains { $0.contains("More mistakes than these 200 are not shown") })
    }

    @Test("show nothing that a terminal would obey, and not the whole of a long word")
    func hostile() throws {
        let word = "\\e[2J" + String(repeating: "x", count: 5000)
        let mistakes = try folder.read(text: Slip.head + "profile: \"\(word)\"\n" + Slip.check).mistakes
        #expect(mistakes.allSatisfy { $0.count < 300 && !$0.contains("\u{1B}") } && mistakes.count == 1)
    }

    @Test("in 2,000 damaged plans are told or leave a plan that holds together")
    func random() throws {
        try folder.write(PlanFolder.board, to: "boards/bench.yaml")
        var random = SeededGenerator(seed: 17)
        var (refused, read) = (0, 0)
        for _ in 0..<2_000 {
            let bytes = Self.damaged(Array(PlanFolder.example.utf8), &random)
            try folder.write(bytes, to: "plan.yaml")
            let (plan, mistakes) = folder.read()
            #expect((plan == nil) == !mistakes.isEmpty)
            if let plan {
                read += 1
                #expect(Set(plan.checks.map(\.name)).count == plan.checks.count)
            } else {
                refused += 1
            }
        }
        #expect(refused > 500 && read > 50)
    }

    private static let pieces = [
        "*a", "&a ", "\u{2028}", "? ", "[", "{", "]", "}", "- ", "\"", "'", "!!", "|\n", "\t", "\r", "%", "<<: ", "~",
        "99999999999999999999", "-1", "1e999", "ms", ", ", ": ", "\n", "  ", "camera", "\u{0}", "repeat: 9999",
    ].map { Array($0.utf8) }

    /// A text with one to four changes: a byte, a missing byte, something put in, something said twice.
    private static func damaged(_ text: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = text
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[index] = UInt8.random(in: 0x20...0x7E, using: &random)
            case 1: bytes.remove(at: index)
            case 2: bytes.removeSubrange(index..<min(index + Int.random(in: 1...20, using: &random), bytes.count))
            case 3: bytes.insert(contentsOf: bytes[index...].prefix(40), at: index)
            default: bytes.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: index)
            }
            if bytes.isEmpty { bytes = [0x41] }
        }
        return bytes
    }
}
