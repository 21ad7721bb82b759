import Testing

@testable import capturegate

@Suite("bench", .fewAtOnce)
struct BenchTests {
    private static let quick = ["bench", "encoders", "--only", "PCM", "--for", "50ms"]

    @Test("as JSON it says what each encoder took, and at which rates it keeps up")
    func encoders() async throws {
        let ending = try await Workspace().capturegate(
            "bench", "encoders", "--only", "640x480", "--for", "100ms", "--json")
        #expect(ending.code == 0 && ending.errors.isEmpty)
        let report = try Document(ending.output)
        #expect(
            report["encoders"].elements.map { $0["name"].string } == ["MJPEG 4:2:2 640x480", "MJPEG 4:2:0 640x480"])
        for encoder in report["encoders"].elements {
            for figure in ["speed", "frames", "bytes", "processor_ns", "elapsed_ns", "p50_ns", "p99_ns"] {
                #expect(encoder[figure].number ?? 0 > 0, "\(figure)")
            }
            #expect(encoder["allocations_per_frame"].number != nil)
            #expect(encoder["rates"].elements.map { $0["rate"].string } == ["30", "60", "120"])
        }
        #expect(report["rings"].elements.isEmpty && report["captures"].elements.isEmpty)
        #expect(report["machine"]["processors"].number ?? 0 >= 1)
    }

    @Test("people get a table, and what one processor keeps up with")
    func table() async throws {
        let ending = try await Workspace().capturegate(Self.quick)
        #expect(ending.code == 0)
        #expect(ending.output.contains("\n  PCM  "))
        #expect(ending.output.contains("Speed with one processor\n  Audio: fine"))
    }

    @Test("rings say what an item takes")
    func rings() async throws {
        let ending = try await Workspace().capturegate("bench", "rings", "--for", "1ms", "--json")
        #expect(ending.code == 0)
        let rings = try Document(ending.output)["rings"].elements
        #expect(rings.map { $0["kind"].string } == ["sound", "sound", "picture"])
        #expect(rings.allSatisfy { $0["ns_per_item"].number ?? 0 > 0 })
    }

    @Test("a capture says what was lost, how steadily it came, and what it took")
    func capture() async throws {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("grant", "camera", "--once")
        let ending = try await workspace.capturegate(
            "bench", "capture", "--camera", "test:bars", "--for", "300ms", "--json")
        #expect(ending.code == 0, "\(ending.errors)")
        let capture = try #require(try Document(ending.output)["captures"].elements.first)
        #expect(capture["device"].string == "test:bars" && capture["format"].string == "640x480 YUYV 30/s")
        let counted = ["made", "delivered", "lost"].map { capture[$0].number ?? -1 }
        #expect(counted[0] == counted[1] + counted[2] && capture["units"].number ?? 0 > 0)
        #expect(capture["processor_ns"].number ?? 0 > 0)
        #expect(capture["interval_ns"]["p50"].number.map { abs($0 - 33_333_333) < 2 } ?? false)
        #expect(capture["delay_ns"]["max"].number ?? 0 > 0)
    }

    @Test("a frame that is there before its timestamp has no negative delay, but a device that stamps ahead")
    func ahead() {
        #expect(
            BenchText.delay(.microseconds(1500), slow: .milliseconds(3))
                == "delay to the reader 1.50 ms (median), 99 % within 3.00 ms")
        #expect(
            BenchText.delay(.microseconds(-1500), slow: .zero)
                == "at the reader 1.50 ms before its timestamp: the device's timestamps are ahead")
    }

    @Test("a device that nobody allowed is not opened, and a device that is not there is told")
    func refused() async throws {
        let workspace = try Workspace()
        #expect(try await workspace.capturegate("bench", "capture", "--camera", "test:bars").code == 77)
        #expect(try await workspace.capturegate("bench", "capture", "--camera", "no such thing").code == 66)
    }

    @Test("against an earlier run each figure is better, worse or the same, and the exit code is 0")
    func comparison() async throws {
        let workspace = try Workspace()
        for (speed, verdict) in [("0.001", "better"), ("1e12", "worse")] {
            try workspace.write(
                #"{"benchmark":"x","encoders":[{"name":"PCM","speed":\#(speed)}],"rings":[],"captures":[]}"#,
                to: "before.json")
            let json = try await workspace.capturegate(Self.quick + ["--compare", "before.json", "--json"])
            #expect(json.code == 0)
            let pcm = try #require(try Document(json.output)["encoders"].elements.first)
            #expect(pcm["compared"]["verdict"].string == verdict)
            let text = try await workspace.capturegate(Self.quick + ["--compare", "before.json"])
            #expect(text.code == 0 && text.output.contains(verdict))
        }
    }

    @Test("its own output can be compared with")
    func ownOutput() async throws {
        let workspace = try Workspace()
        let first = try await workspace.capturegate(Self.quick + ["--json"])
        try workspace.write(first.output, to: "before.json")
        let second = try await workspace.capturegate(Self.quick + ["--json", "--compare", "before.json"])
        #expect(second.code == 0)
        #expect(try Document(second.output)["encoders"].elements.first?["compared"]["ratio"].number ?? 0 > 0)
    }

    @Test("a file that can't be compared with is told before anything is measured, with 65")
    func unusable() async throws {
        let workspace = try Workspace()
        try workspace.write("{}", to: "empty.json")
        try workspace.write("speed: 3", to: "text.json")
        for name in ["empty.json", "text.json", "absent.json", "/"] {
            let ending = try await workspace.capturegate("bench", "--compare", name)
            #expect(ending.code == 65 && ending.output.isEmpty, "\(name)")
            #expect(ending.errors.contains("capturegate bench --json > before.json"))
        }
    }

    @Test(
        "what does not go together is wrong usage",
        arguments: [
            ["capture"], ["rings", "--only", "PCM"], ["encoders", "--camera", "test:bars"],
            ["encoders", "--only", "MP5"],
            ["--size", "640x480"], ["speed"], ["--for", "0s"],
        ])
    func usage(_ arguments: [String]) async throws {
        #expect(try await Workspace().capturegate(["bench"] + arguments).code == 64)
    }

    @Test("its help has examples")
    func help() async throws {
        let ending = try await Workspace().capturegate("help", "bench")
        #expect(ending.code == 0 && ending.output.contains("\n  capturegate bench --compare before.json"))
        #expect(ending.output.split(separator: "\n").allSatisfy { $0.count <= 80 || $0.hasPrefix("USAGE") })
    }
}
