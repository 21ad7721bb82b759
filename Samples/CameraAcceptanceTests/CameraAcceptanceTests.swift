import CaptureGate
import CaptureRig
import FoundationEssentials
import Testing

/// Acceptance of a camera: the one that `RIG_CAMERA` names, or a virtual one on machines without hardware.
///
/// The tests run one after another, since a camera has one user at a time.
@Suite("Acceptance of the camera", .serialized)
struct CameraAcceptanceTests {
    let rig: Rig
    let camera: Device

    init() throws {
        if let name = ProcessInfo.processInfo.environment["RIG_CAMERA"] {
            rig = Rig()
            camera = try rig.camera(name)
        } else {
            rig = Rig(virtual: [.camera("desk camera")])
            camera = try rig.camera("desk*")
        }
    }

    @Test("It loses no frame in three seconds")
    func loss() async throws {
        #expect(try await rig.stream(camera, for: .seconds(3)).lost == 0)
    }

    @Test("In 720p it keeps its rate within half a percent, and its intervals within 5 ms")
    func rate() async throws {
        let video = VideoSettings(width: 1280, height: 720, frameRate: FrameRate(30))
        let stream = try await rig.stream(camera, for: .seconds(3), video: video)
        #expect(abs(stream.rateError) <= 0.5)
        #expect(try stream.value("jitter_p99") <= 5)
    }

    @Test("It passes the checks of a bench", arguments: ["camera.rate", "camera.timestamps", "camera.local_drops"])
    func bench(check: String) async throws {
        let result = try await rig.check(check, on: camera, parameters: ["for": "5 s"])
        #expect(result.verdict.isGood, "\(result)")
    }
}

/// Tests of the limits themselves, which need no hardware: what must be refused is refused.
@Suite("Limits of the acceptance")
struct LimitTests {
    @Test("A camera that drops one frame in twenty is refused, unless that is allowed")
    func loss() async throws {
        var faults = FaultPlan()
        faults.lost = 0.05
        let rig = Rig(virtual: [.camera("lossy", faults: faults)])
        let camera = try rig.camera("lossy")
        #expect(try await rig.check("camera.loss", on: camera).verdict == .fail)
        let tolerant = try await rig.check("camera.loss", on: camera, limits: ["lost": Limit(most: 20)])
        #expect(tolerant.verdict.isGood)
    }

    @Test("A microphone whose clock is 200 ppm too fast drifts by 12 ms a minute")
    func drift() async throws {
        var faults = FaultPlan()
        faults.clockError = 200
        let rig = Rig(virtual: [.microphone("fast", faults: faults)])
        let stream = try await rig.stream(rig.microphone("fast"), for: .seconds(60))
        #expect(abs(stream.rateError / 100 * 60_000 - 12) < 0.1)
    }
}
