import CaptureRig
import Foundation
import Testing

@Suite("plans of a bench rig")
struct PlanReaderTests {
    private let folder: PlanFolder

    init() throws {
        folder = try PlanFolder()
    }

    private func example(profile: RigPlan.Profile? = nil) throws -> RigPlan {
        try folder.write(PlanFolder.board, to: "boards/bench.yaml")
        let (plan, mistakes) = try folder.read(text: PlanFolder.example, profile: profile)
        #expect(mistakes.isEmpty)
        return try #require(plan)
    }

    /// A plan of a camera and a microphone with these checks.
    private func plan(_ checks: String, above: String = "") throws -> RigPlan {
        let text = """
            version: 1
            devices:
              cam: {kind: camera, id: a}
              other cam: {kind: camera, id: b}
              mic: {kind: microphone, id: c}
            \(above)
            checks:
            \(checks)
            """
        let (plan, mistakes) = try folder.read(text: text)
        #expect(mistakes.isEmpty)
        return try #require(plan)
    }

    @Test("the example has its name, profile, golden directory and devices")
    func head() throws {
        let plan = try example()
        #expect(plan.name == "Webcam on the bench" && plan.profile == .bench)
        #expect(plan.golden == "\(folder.path)/golden")
        #expect(
            plan.devices == [
                PlannedDevice(
                    name: "mic", kind: .microphone,
                    selector: .match(name: "C270*", driver: "snd-usb-audio", serial: nil, index: 0)),
                PlannedDevice(
                    name: "spare", kind: .camera, selector: .match(name: nil, driver: nil, serial: nil, index: nil)),
                PlannedDevice(name: "camera", kind: .camera, selector: .id("usb:046d:0825:1234")),
            ])
    }

    @Test("the example is read into exactly its steps")
    func steps() throws {
        let sizes = [("YUYV", 640, 480), ("MJPG", 640, 480), ("MJPG", 1280, 720)]
        var expected: [PlanStep] = sizes.flatMap { format, width, height in
            (1...2).map { .check(rate(format, width, height, round: $0)) }
        }
        expected += (1...2).map { round in
            let ending = round == 1 ? "" : ".2"
            return .parallel([
                PlannedCheck(
                    name: "camera.stream.camera\(ending)", check: "camera.stream", devices: ["camera"], round: round,
                    limits: ["lost": Limit(most: 0)]),
                PlannedCheck(
                    name: "sound.stream.mic\(ending)", check: "sound.stream", devices: ["mic"], round: round,
                    limits: ["lost": Limit(most: 5)]),
            ])
        }
        expected += [
            .command(PlanCommand(["sleep", "1"], limit: .seconds(5))),
            .check(
                PlannedCheck(
                    name: "sync.offset.camera-mic", check: "sync.offset", devices: ["camera", "mic"],
                    limits: ["offset": Limit(least: -20, most: 20)])),
            .check(PlannedCheck(name: "machine.scheduling", check: "machine.scheduling", devices: [])),
        ]
        let steps = try example().steps
        #expect(steps.count == expected.count)
        for (step, expected) in zip(steps, expected) { #expect(step == expected) }
    }

    /// The first check of the example in one variant and repeat.
    private func rate(_ format: String, _ width: Int, _ height: Int, round: Int) -> PlannedCheck {
        let size = "\(width)x\(height)"
        return PlannedCheck(
            name: "camera.rate.camera.bright.\(format)-\(size)-30000_1001" + (round == 1 ? "" : ".\(round)"),
            check: "camera.rate", devices: ["camera"],
            variant: [.init("format", format), .init("size", size), .init("rate", "30000/1001")], round: round,
            parameters: [
                "for": .duration(.milliseconds(500)), "tries": .count(1), "share": .number(-0.015),
                "modes": .words(["fast", "slow"]), "chart": .path("\(folder.path)/charts/a.png"),
                "light": .command(PlanCommand(["light", "on"], limit: .seconds(30))), "format": .word(format),
                "size": .size(width: width, height: height), "rate": .rate(numerator: 30_000, denominator: 1001),
            ],
            limits: [
                "frame_rate_error": Limit(least: -0.4, most: 0.4, marginalBelow: -0.3, marginalAbove: 0.3),
                "lost": Limit(most: 1, marginalAbove: 0), "black": Limit(most: 0.01),
            ],
            before: [PlanCommand(["uhubctl", "-a", "on"], limit: .seconds(10))],
            after: [PlanCommand(["\(folder.path)/light", "off", ""], limit: .seconds(30))])
    }

    @Test("standard values of the catalogue are among the parameters, those of the device are not")
    func standards() throws {
        let check = try #require(try plan("  - {check: camera.rate, device: cam}").checks.first)
        #expect(
            check.parameters == [
                "for": .duration(.seconds(3)), "tries": .count(1), "modes": .words(["one", "two"]),
                "chart": .path("\(folder.path)/chart.png"),
            ])
    }

    @Test("the caller's profile outranks the plan's, and its limits count where the plan has none")
    func profile() throws {
        let text = "  - {check: camera.rate, device: cam}"
        #expect(try plan(text).checks.first?.limits["frame_rate_error"] == Limit(least: -0.5, most: 0.5))
        let certified = folder.read(profile: .certification).plan
        #expect(certified?.profile == .certification)
        #expect(certified?.checks.first?.limits["frame_rate_error"] == Limit(least: -0.1, most: 0.1))
        let own = try plan(text, above: "profile: certification")
        #expect(own.profile == .certification)
        #expect(folder.read(profile: .bench).plan?.profile == .bench)
    }

    @Test("a plan without a name is called as its file is")
    func name() throws {
        #expect(try plan("  - check: machine.scheduling").name == "plan")
    }

    @Test("the last parameter of a matrix changes first, and repeats of a variant follow one another")
    func order() throws {
        let plan = try plan(
            """
              - check: camera.rate
                device: [cam, other cam]
                matrix: {tries: [1, 2], format: [A, B/C], for: 1 s}
                except: [{format: A, tries: 2}, {format: [B/C], tries: [1]}]
                repeat: 2
            """)
        #expect(
            plan.checks.map(\.name) == [
                "camera.rate.cam.1-A-1_s", "camera.rate.cam.1-A-1_s.2", "camera.rate.cam.2-B_C-1_s",
                "camera.rate.cam.2-B_C-1_s.2", "camera.rate.other_cam.1-A-1_s", "camera.rate.other_cam.1-A-1_s.2",
                "camera.rate.other_cam.2-B_C-1_s", "camera.rate.other_cam.2-B_C-1_s.2",
            ])
        #expect(plan.checks.map(\.round) == [1, 2, 1, 2, 1, 2, 1, 2])
        #expect(plan.checks[2].variant == [.init("tries", "2"), .init("format", "B/C"), .init("for", "1 s")])
        #expect(plan.checks[2].parameters["tries"] == .count(2))
    }

    @Test("lists of words may be in a matrix, and a list of devices in a parallel group")
    func lists() throws {
        let plan = try plan(
            """
              - {check: camera.rate, device: cam, matrix: {modes: [[a, b], c]}}
              - parallel: [{check: camera.stream, device: [cam, other cam]}]
            """)
        #expect(plan.checks.map(\.parameters["modes"])[..<2] == [.words(["a", "b"]), .words(["c"])])
        #expect(plan.checks.map(\.name)[..<2] == ["camera.rate.cam.a+b", "camera.rate.cam.c"].map(Self.plain)[...])
        #expect(plan.steps.last?.checks.map(\.devices) == [["cam"], ["other cam"]])
    }

    private static func plain(_ name: String) -> String { name.replacingOccurrences(of: "+", with: "_") }

    @Test("10,000 checks are a plan, each under a name of its own")
    func many() throws {
        let values = (1...100).map(String.init).joined(separator: ", ")
        let plan = try plan("  - {check: camera.rate, device: cam, matrix: {tries: [\(values)], share: [\(values)]}}")
        #expect(Set(plan.checks.map(\.name)).count == 10_000)
    }

    @Test("a group that is repeated runs whole each time")
    func repeatedGroup() throws {
        let plan = try plan(
            """
              - parallel: [{check: camera.stream, device: cam}, {check: sound.stream, device: mic}]
                repeat: 3
            """)
        #expect(plan.steps.map { $0.checks.map(\.round) } == [[1, 1], [2, 2], [3, 3]])
        #expect(plan.steps.map { $0.checks.map(\.devices) } == Array(repeating: [["cam"], ["mic"]], count: 3))
    }

    @Test(
        "times, numbers, sizes and rates are read as they are written",
        arguments: [
            ("for: 1.5 min", "for", PlanValue.duration(.seconds(90))), ("for: 8h", "for", .duration(.seconds(28_800))),
            ("for: 250 µs", "for", .duration(.microseconds(250))), ("for: 0.1 s", "for", .duration(.milliseconds(100))),
            ("tries: \"20\"", "tries", .count(20)), ("tries: 0", "tries", .count(0)), ("share: 3", "share", .number(3)),
            ("share: -0.25", "share", .number(-0.25)), ("rate: 25", "rate", .rate(numerator: 25, denominator: 1)),
            ("size: 1x65535", "size", .size(width: 1, height: 65_535)), ("modes: one", "modes", .words(["one"])),
            ("chart: /a/b", "chart", .path("/a/b")), ("format: \"'~'\"", "format", .word("'~'")),
            ("light: {run: [a], within: 1 s}", "light", .command(PlanCommand(["a"], limit: .seconds(1)))),
        ])
    func values(_ line: String, _ name: String, _ value: PlanValue) throws {
        let plan = try plan("  - check: camera.rate\n    device: cam\n    \(line)")
        #expect(plan.checks.first?.parameters[name] == value)
    }

    @Test(
        "numbers of limits are taken into the measure's unit without rounding twice",
        arguments: [
            ("jitter: {most: 5}", "jitter", 5), ("jitter: {most: 0.0003 s}", "jitter", 0.3),
            ("jitter: {most: 0.3 µs}", "jitter", 0.0003), ("jitter: {most: 7us}", "jitter", 0.007),
            ("frame_rate_error: {most: 100 ppm}", "frame_rate_error", 0.01), ("black: {most: 1%}", "black", 0.01),
            ("lost: {most: 3 frames}", "lost", 3), ("black: {most: 1e-5}", "black", 0.00001),
        ])
    func units(_ limit: String, _ measure: String, _ most: Double) throws {
        let plan = try plan("  - {check: camera.rate, device: cam, limits: {\(limit)}}")
        #expect(plan.checks.first?.limits[measure]?.most == most)
    }
}

@Suite("included files of a plan")
struct PlanIncludeTests {
    private let folder: PlanFolder

    init() throws {
        folder = try PlanFolder()
    }

    private func jitter(_ most: Int) -> String { "limits: {camera.rate: {jitter: {most: \(most)}}}\n" }

    private static let head = "version: 1\n"
    private static let device = "devices: {cam: {kind: camera, id: a}}\n"
    private static let check = "checks: [{check: camera.rate, device: cam}]\n"

    @Test("limits of a check outrank the plan's, those the included files', and those the profile's")
    func precedence() throws {
        func most() -> Double? { folder.read().plan?.checks.first?.limits["jitter"]?.most }
        try folder.write(Self.head, to: "board.yaml")
        let plan = Self.head + "include: board.yaml\n" + Self.device
        #expect(try folder.read(text: plan + Self.check).mistakes == [] && most() == 3)
        try folder.write(Self.head + jitter(40), to: "board.yaml")
        #expect(most() == 40)
        try folder.write(plan + jitter(30) + Self.check, to: "plan.yaml")
        #expect(most() == 30)
        let own = "checks: [{check: camera.rate, device: cam, limits: {jitter: {most: 20}}}]\n"
        try folder.write(plan + jitter(30) + own, to: "plan.yaml")
        #expect(most() == 20)
    }

    @Test("a limit replaces another one as a whole, and of several files the last one counts")
    func replacing() throws {
        try folder.write(Self.head + jitter(1) + Self.device, to: "a.yaml")
        try folder.write(Self.head + "limits: {camera.rate: {jitter: {least: 2}}}\n", to: "b.yaml")
        let plan = try folder.read(text: Self.head + "include: [a.yaml, b.yaml]\n" + Self.check).plan
        #expect(plan?.checks.first?.limits["jitter"] == Limit(least: 2))
        #expect(plan?.checks.first?.limits["lost"] == Limit(most: 0))
    }

    @Test("paths begin at the file that includes, and a file that two include is read once")
    func nested() throws {
        try folder.write(Self.head + "include: [parts/all.yaml, parts/cam.yaml]\n" + Self.check, to: "plan.yaml")
        try folder.write(Self.head + "include: [cam.yaml, ./more/limits.yaml]\n", to: "parts/all.yaml")
        try folder.write(Self.head + Self.device, to: "parts/cam.yaml")
        try folder.write(Self.head + "include: ../cam.yaml\n" + jitter(9), to: "parts/more/limits.yaml")
        let (plan, mistakes) = folder.read()
        #expect(mistakes.isEmpty)
        #expect(plan?.devices.map(\.name) == ["cam"] && plan?.checks.first?.limits["jitter"]?.most == 9)
    }

    @Test("a plan that includes itself is told so in one sentence, with the chain", arguments: 1...3)
    func circles(_ length: Int) throws {
        let names = ["plan.yaml", "a.yaml", "b.yaml"].prefix(length)
        for (index, name) in names.enumerated() {
            let next = names[(index + 1) % length]
            try folder.write(
                Self.head + "include: [\(next)]\n" + (index == 0 ? Self.device + Self.check : ""), to: name)
        }
        let chain = (names + ["plan.yaml"]).map { "`\($0)`" }.joined(separator: " includes ")
        let (plan, mistakes) = folder.read()
        let sentence = "A file includes itself: \(chain). Remove one of these from `include`."
        #expect(plan == nil && mistakes == ["\(names[length - 1]):2:11: \(sentence)"])
    }

    @Test("a file is the same one behind a link")
    func links() throws {
        try folder.link("other.yaml", to: "plan.yaml")
        let text = Self.head + "include: other.yaml\n" + Self.device + Self.check
        #expect(try folder.read(text: text).mistakes.first?.contains("includes itself") == true)
    }

    @Test(
        "a file that can't be read is told at the word that includes it, once",
        arguments: [
            ("gone.yaml", "`gone.yaml` can't be read: No such file or directory"),
            ("folder", "`folder` is a directory"),
            ("pipe", "`pipe` is not a regular file"), ("/dev/zero", "`/dev/zero` is not a regular file"),
            ("huge.yaml", "`huge.yaml` is longer than 1 MiB"),
        ])
    func unreadable(_ name: String, _ message: String) throws {
        try FileManager.default.createDirectory(atPath: "\(folder.path)/folder", withIntermediateDirectories: true)
        #expect(mkfifo("\(folder.path)/pipe", 0o600) == 0)
        try folder.write(String(repeating: "#\n", count: 1 << 19) + "#", to: "huge.yaml")
        // The missing device is not a separate mistake: it may be in the file.
        let mistakes = try folder.read(text: Self.head + "include:\n  - \(name)\n" + Self.check).mistakes
        #expect(mistakes.count == 1 && mistakes.first?.hasPrefix("plan.yaml:3:5: \(message)") == true)
    }

    @Test(
        "a mistake in an included file is told with that file",
        arguments: [
            ([0x61, 0x0A, 0x62, 0xFF], "board.yaml:2:2: This byte is not valid UTF-8"),
            (Array("version: 1\ndevices: [a\n".utf8), "board.yaml:3:1: This is not YAML"),
            ([], "board.yaml: The file is empty"),
            (Array("- a\n".utf8), "board.yaml:1:1: The file must be a mapping"),
            (Array("version: 1\nchecks: []\n".utf8), "board.yaml:2:1: `checks` is not a key here"),
            (Array("devices: {}\n".utf8), "board.yaml:1:1: `version: 1` is missing"),
            (Array("version: 2\n".utf8), "board.yaml:1:10: This version is not supported"),
            (Array("version: 1\ndevices: &a {b: *a}\n".utf8), "board.yaml:2:10: Anchors and aliases are not supported"),
        ])
    func foreign(_ bytes: [UInt8], _ message: String) throws {
        try folder.write(bytes, to: "board.yaml")
        let plan = Self.head + "include: board.yaml\n" + Self.device + Self.check
        let mistakes = try folder.read(text: plan).mistakes
        #expect(mistakes.count == 1 && mistakes.first?.hasPrefix(message) == true)
    }

    @Test("a device has one definition in all files")
    func twice() throws {
        try folder.write("version: 1\n" + Self.device, to: "board.yaml")
        let mistakes = try folder.read(text: Self.head + "include: board.yaml\n" + Self.device + Self.check).mistakes
        #expect(mistakes.count == 1)
        #expect(mistakes.first?.hasPrefix("plan.yaml:3:11: The device `cam` is already defined in line 2 of ") == true)
    }

    @Test("more than 100 files are refused")
    func chain() throws {
        for index in 0..<120 {
            try folder.write(Self.head + "include: \(index + 1).yaml\n", to: "\(index).yaml")
        }
        let plan = Self.head + "include: 0.yaml\n" + Self.device + Self.check
        let mistakes = try folder.read(text: plan).mistakes
        #expect(
            mistakes.count == 1 && mistakes.first?.hasPrefix("98.yaml:2:10: A plan can have up to 100 files") == true)
    }

    @Test("a plan that can't be read is told as a whole")
    func noPlan() throws {
        #expect(folder.read().mistakes == ["plan.yaml: The file can't be read: No such file or directory."])
        #expect(folder.read("").mistakes == [": The file is a directory. Write the path of a file."])
    }
}
