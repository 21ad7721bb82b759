import CaptureRecording
import Testing

@testable import CaptureGate
@testable import CaptureRig

@Suite("Checks of formats and sizes")
struct ModeCheckTests {
    private static let required: [String: PlanValue] = ["modes": .words(["640x480@30", "YUYV:1280x720@25"])]

    @Test(
        "A good device passes with every seed",
        arguments: ["camera.modes", "camera.required_modes", "sound.modes"])
    func good(check: String) async throws {
        for seed in Extent.seeds {
            let faults = FaultPlan.with { $0.seed = seed }
            let result = try await VirtualRig.result(
                check, camera: faults, microphone: faults,
                parameters: check == "camera.required_modes" ? Self.required : [:])
            #expect(result.verdict.isGood, "\(seed): \(result)")
        }
    }

    static let twins: [VirtualTimingTests.Twin] = [
        .init("camera.modes", "changed") { $0.changesSettings = true },
        .init("camera.modes", "failed") { $0.goneAfter = 0 },
        .init("sound.modes", "changed") { $0.changesSettings = true },
        .init("sound.modes", "failed") { $0.goneAfter = 0 },
    ]

    @Test("A check finds the fault that it is about", arguments: twins)
    func faulty(twin: VirtualTimingTests.Twin) async throws {
        let result = try await VirtualRig.result(twin.check, camera: twin.faults, microphone: twin.faults)
        #expect(result.verdict == .fail)
        #expect(result.measures.filter { $0.verdict == .fail }.map(\.name) == [twin.measure], "\(result.measures)")
    }

    @Test("All modes that are listed are tried, and the first ones that are changed are named")
    func counts() async throws {
        let good = try await VirtualRig.result("camera.modes")
        #expect(good.measures.map(\.value) == [12, 0, 0] && good.message == nil)
        let changing = try await VirtualRig.result("camera.modes", camera: FaultPlan.with { $0.changesSettings = true })
        #expect(changing.measures.map(\.value) == [12, 12, 0])
        #expect(
            changing.message == """
                12 changed by the driver: YUYV 1920x1080 at 60; YUYV 1920x1080 at 50; YUYV 1920x1080 at 30 and 9 more.
                """)
    }

    @Test("A sample has as many modes as the plan wants, and the report has its seed")
    func sample() async throws {
        let sounds = try #require(SoundModeList(BuiltInDevices.tone)).modes.count
        for (check, listed) in [("camera.modes", 12), ("sound.modes", sounds)] {
            for seed in [7, nil] {
                var parameters: [String: PlanValue] = ["sample": .count(5)]
                parameters["seed"] = seed.map(PlanValue.count)
                let result = try await VirtualRig.result(check, parameters: parameters)
                #expect(result.verdict.isGood && result.measures.map(\.value) == [5, 0, 0], "\(result)")
                let message = try #require(result.message)
                let (begin, end) = ("5 of \(listed) listed modes were tested, chosen by seed ", ".")
                #expect(message.hasPrefix(begin) && message.hasSuffix(end), "\(message)")
                let told = try #require(Int(message.dropFirst(begin.count).dropLast(end.count)))
                #expect(seed == nil || told == seed)
            }
            let all = try await VirtualRig.result(check, parameters: ["sample": .count(0), "seed": .count(7)])
            #expect(all.measures.value("modes") == Double(listed) && all.message == nil)
        }
    }

    @Test("A seed chooses the same modes each time, other seeds choose others, and each mode is as likely as the next")
    func seeds() {
        let all = Array(0..<50)
        var chances = all.map { _ in 0 }
        for seed in 0..<1000 {
            let chosen = ModeSample(count: 10, seed: seed).chosen(from: all)
            #expect(chosen.count == 10 && chosen == Set(chosen).sorted())
            #expect(chosen == ModeSample(count: 10, seed: seed).chosen(from: all))
            #expect(chosen != ModeSample(count: 10, seed: seed + 1).chosen(from: all))
            for mode in chosen { chances[mode] += 1 }
        }
        // Each is chosen 200 times in the mean, give or take 13.
        #expect(chances.allSatisfy { (140...260).contains($0) }, "\(chances)")
        #expect(ModeSample(count: 60, seed: 1).chosen(from: all) == all)
    }

    @Test("Between the ends of a range, a mode that a microphone has not is told and not counted")
    func holes() async throws {
        let result = try await VirtualRig.result(
            "sound.modes", microphone: FaultPlan.with { $0.changesSettings = true })
        let tried = try #require(result.measures.value("modes"))
        // Channels 1 and 8 with rates 8000 and 192,000 Hz, in three formats or in the first.
        #expect(tried == result.measures.value("changed") && tried < 20)
        #expect(result.message?.contains("inside a range, but not supported") == true)
    }

    @Test("A microphone's modes have each pair of channels, formats and rates once")
    func pairs() throws {
        let list = try #require(SoundModeList(BuiltInDevices.tone))
        #expect(Set(list.modes).count == list.modes.count)
        let rates = Set(list.modes.compactMap(\.sampleRate))
        let channels = Set(list.modes.compactMap(\.channels))
        let formats = Set(list.modes.compactMap(\.sampleFormat))
        #expect(rates.isSuperset(of: [8000, 44_100, 192_000]) && channels.isSuperset(of: [1, 2, 8]))
        #expect(formats == [.s16, .s32, .float32])
        for rate in rates {
            #expect(Set(list.modes.filter { $0.sampleRate == rate }.compactMap(\.channels)) == channels)
            #expect(Set(list.modes.filter { $0.sampleRate == rate }.compactMap(\.sampleFormat)) == formats)
        }
        for channel in channels {
            #expect(Set(list.modes.filter { $0.channels == channel }.compactMap(\.sampleFormat)) == formats)
        }
    }

    @Test("A required mode that is not listed fails, and is named")
    func requiredModes() async throws {
        let parameters: [String: PlanValue] = ["modes": .words(["640x480@30", "MJPG:640x480@30", "800x600@30"])]
        let result = try await VirtualRig.result("camera.required_modes", parameters: parameters)
        #expect(result.verdict == .fail && result.measures.value("missing") == 2)
        #expect(result.message == "2 not listed: MJPG:640x480@30; 800x600@30.")
    }

    @Test(
        "A word that is no mode makes an error, and no verdict on the camera",
        arguments: [
            "640x480", "640x480@", "@30", "640@30", "MJPG:640x480", ":640x480@30", "a:b:640x480@30", "0x480@30",
        ])
    func noMode(word: String) async throws {
        let result = try await VirtualRig.result("camera.required_modes", parameters: ["modes": .words([word])])
        #expect(result.verdict == .error && result.message == "\(word) is not a mode.")
    }

    @Test("A mode inside a range of sizes and rates is listed, if it is a whole number of steps away")
    func ranges() throws {
        let mode = VideoMode(
            pixelFormat: .yuyv, width: 1920, height: 1080,
            smaller: SizeSteps(width: 32, height: 16, widthStep: 8, heightStep: 2),
            frameRates: [FrameRate(unchecked: 60, 1), FrameRate(unchecked: 1, 1)], takesRatesBetween: true)
        for word in ["640x480@30", "32x16@1", "1920x1080@60", "YUYV:640x480@30000/1001"] {
            #expect(try RequiredMode(word).isMet(by: mode), "\(word)")
        }
        for word in ["641x480@30", "640x481@30", "24x16@30", "640x480@61", "MJPG:640x480@30"] {
            #expect(try !RequiredMode(word).isMet(by: mode), "\(word)")
        }
    }

    @Test(
        "Of a range of sizes its ends and the first step are tried, and of very many modes as many as there is time for"
    )
    func stepwise() {
        func camera(_ modes: [VideoMode]) -> Device {
            Device(
                id: .testPicture, name: "", capability: .camera, availability: .available, ambiguity: nil, nodes: [],
                pcmName: nil, formats: .video(modes))
        }
        let range = VideoMode(
            pixelFormat: .yuyv, width: 640, height: 480,
            smaller: SizeSteps(width: 320, height: 240, widthStep: 16, heightStep: 8),
            frameRates: [FrameRate(unchecked: 60, 1), FrameRate(unchecked: 5, 1)], takesRatesBetween: true)
        #expect(
            ModeList(camera([range])).modes.map(\.mode) == [
                "YUYV 320x240 at 60", "YUYV 320x240 at 5", "YUYV 336x248 at 60", "YUYV 336x248 at 5",
                "YUYV 640x480 at 60", "YUYV 640x480 at 5",
            ])
        let many = ModeList(camera(Array(repeating: range, count: 1000)))
        #expect(many.listed == 6000 && many.modes.count == ModeList.most)
        #expect(ModeList(camera([])).modes.isEmpty)
    }

    @Test("The built-in camera keeps its modes behind the real gate")
    func gated() async throws {
        let result = try await VirtualRig.result("camera.modes", parameters: ["frames": .count(1)], isVirtual: false)
        #expect(result.verdict.isGood && result.measures.map(\.value) == [12, 0, 0], "\(result)")
    }
}

@Suite("What a camera says of itself")
struct CapabilityCheckTests {
    private static let accepting: RigRun.Options = {
        var options = RigRun.Options()
        options.accepts = true
        return options
    }()

    @Test("A first list is accepted, the same camera equals it every time, and without a list there is no verdict")
    func golden() async throws {
        let folder = try PlanFolder()
        let none = try await VirtualRig.result("camera.capabilities", golden: folder.path, isVirtual: false)
        #expect(none.verdict == .error && none.message?.contains("does not exist") == true)
        let first = try await VirtualRig.result(
            "camera.capabilities", golden: folder.path, options: Self.accepting, isVirtual: false)
        #expect(first.verdict == .pass)
        for _ in Extent.seeds {
            let result = try await VirtualRig.result("camera.capabilities", golden: folder.path, isVirtual: false)
            #expect(result.verdict == .pass && result.measures.map(\.value) == [0, 0], "\(result)")
        }
    }

    @Test("A mode that is missing and one that is new are counted and named")
    func changed() async throws {
        let folder = try PlanFolder()
        let list = CapabilityList(
            CapabilityList.facts(of: BuiltInDevices.bars).filter { $0 != "format: YUYV 640x480 at 30" }
                + ["control: zoom integer 0 to 10 in steps of 1"])
        try folder.write(list.text, to: "camera.capabilities.txt")
        let result = try await VirtualRig.result("camera.capabilities", golden: folder.path, isVirtual: false)
        #expect(result.verdict == .fail && result.measures.map(\.value) == [1, 1])
        #expect(
            result.message
                == "1 missing: control: zoom integer 0 to 10 in steps of 1. 1 added: format: YUYV 640x480 at 30.")
    }

    @Test("Facts are sorted and each there once, whatever the order in which a camera tells them")
    func stable() {
        let facts = CapabilityList.facts(of: BuiltInDevices.bars)
        #expect(facts.count == 12)
        #expect(CapabilityList(facts.reversed() + facts) == CapabilityList(facts))
        #expect(CapabilityList(text: CapabilityList(facts).text) == CapabilityList(facts))
    }

    @Test("A control is told with its range and items, and without its value or what may be set now")
    func controls() {
        let control = DeviceControl(
            id: 1, name: "gain", label: "Gain", kind: .menu, range: 0...1, defaultValue: 1,
            flags: [.inactive, .volatile], items: [ControlItem(number: 1, name: "High\nest")], value: .integer(0))
        #expect(
            CapabilityList.facts(of: control) == [
                "control: gain menu 0 to 1 in steps of 1, default 1, volatile", "control: gain item 1 High\\u{a}est",
            ])
    }
}

@Suite("Reading of v4l2-compliance")
struct ComplianceReportTests {
    private static let text = """
        v4l2-compliance 1.22.1, 64 bits, 64-bit time_t

        Compliance test for vivid device /dev/video3:

        Driver Info:
        \tDriver name      : vivid
        \tCard type        : vivid

        Required ioctls:
        \ttest VIDIOC_QUERYCAP: OK
        \ttest invalid ioctls: OK

        Allow for multiple opens:
        \t\tfail: v4l2-compliance.cpp(724): open failed
        \ttest second /dev/video3 open: FAIL

        Control ioctls (Input 0):
        \t\twarn: v4l2-test-controls.cpp(98): no default
        \ttest VIDIOC_QUERY_EXT_CTRL/QUERYMENU: OK
        \t\tfail: v4l2-test-controls.cpp(460): value is not in range
        \ttest VIDIOC_G/S_CTRL: FAIL
        \ttest VIDIOC_(UN)SUBSCRIBE_EVENT/DQEVENT: OK (Not Supported)

        Total for vivid device /dev/video3: 6, Succeeded: 4, Failed: 2, Warnings: 1

        """
    private static let names = [
        "Allow for multiple opens: second the node open", "Control ioctls (Input 0): VIDIOC_G/S_CTRL",
    ]

    @Test("Failures have their section and no number of the node, and totals are the program's own")
    func reads() throws {
        let report = try ComplianceReport(whole: Self.text, diagnostics: "", of: "/dev/video3")
        #expect(report.failures == Self.names)
        #expect(report.failed == 2 && report.warnings == 1)
    }

    @Test("Failures that the list knows pass, and a new one fails the check and is named")
    func compares() throws {
        let report = try #require(ComplianceReport(Self.text, of: "/dev/video3"))
        let known = CheckFindings(report, known: Set(Self.names))
        #expect(known.measures.map(\.value) == [0, 2, 1] && known.message == nil)
        let new = CheckFindings(report, known: [Self.names[0]])
        #expect(new.measures.value("new_failures") == 1)
        #expect(new.message == "1 new: \(Self.names[1]).")
    }

    @Test(
        "A program that crashes or does not start its tests tells nothing about the camera, and its last words are told"
    )
    func broken() {
        for (text, diagnostics, end) in [
            ("", "", "."),
            ("", "Cannot open device /dev/video3, exiting.", ": Cannot open device /dev/video3, exiting."),
            ("Required ioctls:\n\ttest VIDIOC_QUERYCAP: OK\n", "", ": \\u{9}test VIDIOC_QUERYCAP: OK"),
        ] {
            #expect { try ComplianceReport(whole: text, diagnostics: diagnostics, of: "/dev/video3") } throws: {
                ($0 as? CaptureError)?.message == "v4l2-compliance did not finish\(end)"
            }
        }
    }

    @Test("A last line that another program wrote is no total")
    func hostile() {
        for text in ["", "Total for", "Total for x: 1, Failed: a, Warnings: 1", "Total for x: 1, Failed: 1"] {
            #expect(ComplianceReport(text, of: "/dev/video0") == nil)
        }
    }
}
