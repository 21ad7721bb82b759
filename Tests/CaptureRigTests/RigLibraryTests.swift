import GateTestKit
import Testing

@testable import CaptureGate
@testable import CaptureRig

@Suite("Bench of a Swift test")
struct RigLibraryTests {
    private static func rig(
        camera: FaultPlan = FaultPlan(), microphone: FaultPlan = FaultPlan()
    ) -> Rig {
        Rig(virtual: [
            .camera("desk camera", id: "usb:1", faults: camera), .microphone("desk microphone", faults: microphone),
        ])
    }

    /// The error of a call that must fail.
    private static func error<Value>(_ body: () async throws -> Value) async throws -> CaptureError {
        do {
            _ = try await body()
        } catch let error as CaptureError {
            return error
        }
        Issue.record("Nothing was thrown.")
        throw CancellationError()
    }

    // MARK: - Captures

    @Test("A good camera loses nothing and keeps its rate")
    func camera() async throws {
        let rig = Self.rig()
        let stream = try await rig.stream(rig.camera("desk*"), for: .seconds(3))
        #expect(stream.lost == 0 && stream.delivered == 91 && stream.timestamps.count == 91)
        #expect(abs(stream.rate - 30) < 0.001 && abs(stream.rateError) < 0.001)
        #expect(try stream.value("jitter_p99") < 0.001)
        #expect(stream.series.contains { !$0.points.isEmpty })
        #expect("\(stream)" == "usb:1: 91 frames, 0 lost, 30 Hz")
    }

    @Test("A good microphone delivers each sample, at the rate that was asked for")
    func microphone() async throws {
        let rig = Self.rig()
        let stream = try await rig.stream(
            rig.microphone("virtual:desk microphone"), for: .seconds(2), audio: AudioSettings(sampleRate: 44_100))
        #expect(stream.lost == 0 && stream.delivered == 88_200)
        #expect(abs(stream.rate - 44_100) < 0.1 && abs(stream.rateError) < 0.001)
        #expect(try stream.value("xruns") == 0)
    }

    @Test("What a device loses is counted by its ledger, and its clock is told in percent")
    func faulty() async throws {
        let rig = Self.rig(
            camera: FaultPlan.with { $0.lost = 0.05 }, microphone: FaultPlan.with { $0.clockError = 10_000 })
        let seen = try await rig.stream(rig.camera("usb:1"), for: .seconds(10))
        #expect(seen.lost > 0 && seen.lost + seen.delivered == 301)
        #expect(abs(seen.rateError) < 0.001)
        let heard = try await rig.stream(rig.microphone("*"), for: .seconds(10))
        #expect(abs(heard.rateError - 1) < 0.01 && heard.lost == 0)
    }

    @Test("A device that goes away is an error, and has no figures")
    func gone() async throws {
        let rig = Self.rig(camera: FaultPlan.with { $0.goneAfter = 10 })
        let camera = try rig.camera("usb:1")
        #expect(try await Self.error { try await rig.stream(camera, for: .seconds(3)) }.kind == .deviceGone)
    }

    @Test("A record of too few frames has no figures")
    func tooFew() async throws {
        let camera = try Self.rig().camera("usb:1")
        let format = VideoFormat(
            width: 320, height: 180, pixelFormat: .yuyv, frameRate: FrameRate(unchecked: 30, 1), bytesPerLine: 640)
        let record = StreamRecord(camera, .video(format), begun: 0)
        #expect(try await Self.error { try RigStream(record, for: .seconds(1)) }.kind == .stalled)
    }

    @Test(
        "A capture of no time, or of more than an hour, is refused", arguments: [0, -1, 3601])
    func duration(seconds: Int) async throws {
        let rig = Self.rig()
        let camera = try rig.camera("usb:1")
        #expect(try await Self.error { try await rig.stream(camera, for: .seconds(seconds)) }.kind == .usage)
    }

    @Test("Devices behind the gate are captured with a grant")
    func real() async throws {
        let rig = Rig(gatekeeper: VirtualRig.gatekeeper(ScriptedPrompter { _ in .allow(.always) }))
        let camera = try rig.camera("test:bars")
        let stream = try await rig.stream(
            camera, for: .milliseconds(300), video: VideoSettings(width: 640, height: 480))
        #expect(stream.delivered > 1 && stream.device.id.rawValue == "test:bars")
        let result = try await rig.check("sound.xruns", on: rig.microphone("test:tone"), parameters: ["for": "300 ms"])
        #expect(result.measures.map(\.value) == [0, 0])
    }

    @Test("A device without a grant is refused at once, and nobody is asked")
    func silent() async throws {
        let store = MemoryStore()
        let rig = Rig(gatekeeper: VirtualRig.gatekeeper(BenchPrompter(), store: store))
        let camera = try rig.camera("test:bars")
        #expect(try await Self.error { try await rig.stream(camera, for: .seconds(3)) }.kind == .notAuthorized)
        let result = try await rig.check("camera.loss", on: camera)
        #expect(result.verdict == .error && result.message != nil)
        #expect(try await Self.error { try result.value("lost") }.kind == .unavailable)
        #expect(store.decisions.isEmpty)
    }

    @Test("A cancelled test ends its capture", arguments: [true, false])
    func cancelled(isVirtual: Bool) async throws {
        let rig =
            isVirtual ? Self.rig() : Rig(gatekeeper: VirtualRig.gatekeeper(ScriptedPrompter { _ in .allow(.always) }))
        let camera = try rig.camera(isVirtual ? "usb:1" : "test:bars")
        let error = try await Self.error {
            try await Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await rig.stream(camera, for: .seconds(3600))
            }.value
        }
        #expect(error.kind == .cancelled)
    }

    // MARK: - Devices

    @Test("A name that no device has, or that several have, is an error that names those that are there")
    func noDevice() async throws {
        let rig = Rig(virtual: [.camera("left", id: "usb:l"), .camera("right", id: "usb:r")])
        let none = try await Self.error { try rig.camera("front") }
        #expect(none.kind == .noDevice && none.message == "No camera matches `front`: choose one of usb:l, usb:r.")
        let several = try await Self.error { try rig.camera("usb:*") }
        #expect(several.message == "Several cameras match `usb:*`: usb:l, usb:r.")
        let microphone = try await Self.error { try rig.microphone("*") }
        #expect(microphone.message == "No microphone matches `*`: this machine has none.")
    }

    @Test("A virtual device opens for nothing but frames: what needs more of it is refused, and no device is missed")
    func frames() async throws {
        let rig = Self.rig()
        let camera = try rig.camera("usb:1")
        let error = try await Self.error {
            try await GatedStreams(GateQueue(gatekeeper: rig.gatekeeper))
                .record(StreamCapture(for: .seconds(1)), from: camera)
        }
        #expect(error.kind != .noDevice && error.kind != .deviceGone)
        #expect(error.message.contains("supports only frames"), "\(error)")
    }

    // MARK: - Checks

    @Test("A check judges by the catalogue's limits, or by those of the test")
    func checks() async throws {
        let rig = Self.rig(camera: FaultPlan.with { $0.lost = 0.05 })
        let camera = try rig.camera("usb:1")
        let result = try await rig.check("camera.loss", on: camera)
        #expect(result.verdict == .fail && result.name == "camera.loss.usb_1")
        #expect(try "\(result)".hasPrefix("camera.loss.usb_1: fail: lost is \(Int(result.value("lost"))) frames"))
        let tolerant = try await rig.check("camera.loss", on: camera, limits: ["lost": Limit(most: 1000)])
        #expect(tolerant.verdict == .pass)
        let microphone = try rig.microphone("*")
        #expect(try await rig.check("sound.rate", on: microphone, parameters: ["for": "10 s"]).verdict.isGood)
    }

    @Test("Parameters are written as in a plan, and the profile's limits are those of a plan")
    func parameters() async throws {
        var rig = Self.rig(camera: FaultPlan.with { $0.jitter = .microseconds(500) })
        let camera = try rig.camera("usb:1")
        let short = try await rig.check("camera.rate", on: camera, parameters: ["rate": "15", "for": "1 s"])
        #expect(abs(try short.value("frame_rate") - 15) < 0.5)
        let check = try #require(CheckCatalogue.check("camera.constant_rate")?.measures.first)
        rig.profile = .certification
        let limit = try await rig.check("camera.constant_rate", on: camera).measures.first?.limit
        #expect(limit == check.certification && limit != check.bench)
    }

    @Test("A word that the catalogue has not is an error with the one that was meant")
    func unknown() async throws {
        let rig = Self.rig()
        let (camera, microphone) = (try rig.camera("usb:1"), try rig.microphone("*"))
        let errors = [
            try await Self.error { try await rig.check("camera.los", on: camera) },
            try await Self.error { try await rig.check("camera.loss", on: camera, parameters: ["sizes": "1x1"]) },
            try await Self.error { try await rig.check("camera.loss", on: camera, parameters: ["size": "big"]) },
            try await Self.error { try await rig.check("camera.loss", on: camera, limits: ["lots": Limit(most: 1)]) },
            try await Self.error { try await rig.check("camera.loss", on: microphone) },
            try await Self.error { try await rig.check("camera.loss") },
            try await Self.error { try await rig.check("camera.loss", on: camera).value("lots") },
        ]
        #expect(errors.allSatisfy { $0.kind == .usage })
        #expect(
            errors.map(\.message) == [
                "`camera.los` is not a check: write `camera.loss`.",
                "`sizes` is not a parameter of `camera.loss`: write `size`.",
                "`size` must be a size such as `1280x720`, not `big`.",
                "`lots` is not a measure of `camera.loss`: write `lost`.",
                "`camera.loss` takes a camera.", "`camera.loss` takes a camera.",
                "`lots` is not a measure here: write `lost`.",
            ])
    }

    // MARK: - Plans

    private static let plan = """
        version: 1
        devices:
          camera: {kind: camera, id: "usb:1"}
          other: {kind: camera, id: "usb:2"}
        checks:
          - {check: camera.rate, device: camera, for: 1 s}
          - {check: camera.loss, device: [camera, other]}
        """

    @Test("A plan for hardware runs on virtual devices that have its ids, and reports what is missing")
    func run() async throws {
        let folder = try PlanFolder()
        try folder.write(Self.plan, to: "plan.yaml")
        var rig = Self.rig()
        rig.directory = "\(folder.path)/reports"
        let report = try await rig.run(planAt: "\(folder.path)/plan.yaml")
        #expect(report.end == .complete && report.profile == "bench")
        #expect(report.results.map(\.verdict) == [.pass, .pass, .miss])
        #expect(report.host.versions.keys.sorted() == ["alsa-lib", "capturegate"])
        #expect(report.host.versions.values.allSatisfy { $0.contains(".") })
        #expect(
            "\(report)".hasPrefix("plan: miss of 3 results\ncamera.loss.other: miss: The camera usb:2 was not found."))
        #expect(try RigReport(readingFrom: "\(folder.path)/reports/report.json") == report)
        let some = try await rig.run(planAt: "\(folder.path)/plan.yaml", only: ["camera.rate"])
        #expect(some.results.map(\.name) == ["camera.rate.camera"] && some.verdict == .pass)
    }

    @Test("A plan with mistakes is an error that has each with its line and column")
    func mistakes() async throws {
        let folder = try PlanFolder()
        try folder.write(Self.plan.replacing("camera.loss", with: "camera.los"), to: "plan.yaml")
        let path = "\(folder.path)/plan.yaml"
        let rig = Self.rig()
        let error = try await Self.error { try await rig.run(planAt: path) }
        #expect(error.kind == .badInput)
        #expect(error.message == "\(path):7:13: `camera.los` is not a check: write `camera.loss`.")
        #expect(error.underlying.map(\.message) == [error.message])
        // So a test that fails because of it reports the reason.
        #expect("\(error as any Error)" == error.message)
        #expect(try await Self.error { try await rig.run(planAt: "\(path).no") }.kind == .badInput)
    }

    @Test("A cancelled run is a report of what was not made")
    func interrupted() async throws {
        let folder = try PlanFolder()
        try folder.write(Self.plan, to: "plan.yaml")
        let rig = Self.rig()
        let report = try await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await rig.run(planAt: "\(folder.path)/plan.yaml")
        }.value
        #expect(report.end == .interrupted && report.results.allSatisfy { $0.verdict == .skip })
    }
}
