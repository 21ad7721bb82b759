import CaptureRig
import Testing

@testable import CaptureGate
@testable import CaptureRig

@Suite("Checks of a camera and a microphone together, on virtual devices")
struct SyncCheckTests {
    /// Clapping devices; the camera has a frame at each clap.
    private static func clapping(_ seed: UInt64) -> FaultPlan {
        var faults = FaultPlan()
        (faults.seed, faults.hasClaps, faults.startDelay) = (seed, true, .zero)
        return faults
    }

    private static func offset(_ camera: FaultPlan, _ microphone: FaultPlan) async throws -> CheckResult {
        try await VirtualRig.result(
            "sync.offset", camera: camera, microphone: microphone,
            parameters: ["for": .duration(.milliseconds(2600)), "size": .size(width: 32, height: 18)])
    }

    @Test("Devices that clap together pass with every seed")
    func good() async throws {
        for seed in Extent.seeds {
            let (camera, microphone) = (Self.clapping(seed), Self.clapping(seed))
            let result = try await Self.offset(camera, microphone)
            #expect(result.verdict.isGood, "\(seed): \(result)")
        }
    }

    @Test("Sound that is late, or early, by 80 ms is told by as much", arguments: [80.0, -80])
    func late(milliseconds: Double) async throws {
        var (camera, microphone) = (Self.clapping(1), Self.clapping(2))
        if milliseconds > 0 { microphone.delay = .milliseconds(80) } else { camera.delay = .milliseconds(80) }
        let result = try await Self.offset(camera, microphone)
        #expect(result.verdict == .fail)
        #expect(isNear(result.measures.value("sync_mean"), milliseconds, by: 1), "\(result)")
        #expect(result.measures.first { $0.name == "sync_mean" }?.verdict == .fail)
    }

    @Test("A silent microphone fails, and so does a camera that sees nothing")
    func deaf() async throws {
        var silent = Self.clapping(1)
        silent.muted = [0, 1]
        for (camera, microphone) in [(Self.clapping(1), silent), (FaultPlan(), Self.clapping(1))] {
            let result = try await Self.offset(camera, microphone)
            #expect(result.verdict == .fail, "\(result)")
            #expect(result.measures.map(\.name) == ["claps_missed"])
        }
    }

    @Test("Where nobody claps, the bench is at fault")
    func noClaps() async throws {
        let result = try await Self.offset(FaultPlan(), FaultPlan())
        #expect(result.verdict == .error)
        #expect(result.message?.contains("No claps were found") == true)
    }

    private static func drift(_ camera: FaultPlan, _ microphone: FaultPlan, seconds: Int = 20) async throws
        -> CheckResult
    {
        try await VirtualRig.result(
            "sync.drift", camera: camera, microphone: microphone, parameters: ["for": .duration(.seconds(seconds))])
    }

    private static func clock(_ ppm: Double, _ seed: UInt64) -> FaultPlan {
        var faults = FaultPlan()
        (faults.clockError, faults.jitter, faults.seed) = (ppm, .microseconds(20), seed)
        return faults
    }

    @Test("Clocks that differ by 30 ppm pass with every seed")
    func alike() async throws {
        for seed in Extent.seeds {
            let result = try await Self.drift(Self.clock(10, seed), Self.clock(40, 1000 + seed))
            #expect(result.verdict.isGood, "\(seed): \(result)")
            #expect(isNear(result.measures.value("drift"), 30, by: 5))
        }
    }

    @Test("Clocks that differ by 300 ppm fail")
    func apart() async throws {
        let result = try await Self.drift(Self.clock(0, 1), Self.clock(300, 2))
        #expect(result.verdict == .fail)
        #expect(result.measures.first { $0.name == "drift" }?.verdict == .fail)
    }

    @Test("A capture that is too short to tell fails by its uncertainty, whatever it found")
    func short() async throws {
        var (camera, microphone) = (Self.clock(0, 3), Self.clock(0, 4))
        (camera.jitter, microphone.jitter) = (.microseconds(500), .microseconds(500))
        let result = try await Self.drift(camera, microphone, seconds: 2)
        #expect(result.measures.first { $0.name == "drift_uncertainty" }?.verdict == .fail, "\(result)")
        #expect(result.verdict == .fail)
    }
}

@Suite("Claps in pictures and sound")
struct ClapTests {
    private static func pairs(_ seen: [Int64], _ heard: [Int64]) -> ClapPairs {
        ClapPairs(
            seen: seen.map { $0 * 1_000_000 }, in: 0...10_000_000_000, heard: heard.map { $0 * 1_000_000 },
            in: 0...10_000_000_000)
    }

    @Test("Each flash has its click, and what is alone is counted")
    func pairs() throws {
        let findings = Self.pairs([1000, 2000, 3000, 4000], [1010, 2010, 4010, 5000]).findings
        #expect(isNear(findings.measures.value("sync_mean"), 10, by: 1e-6))
        #expect(isNear(findings.measures.value("sync_deviation"), 0, by: 1e-6))
        #expect(findings.measures.value("claps_missed") == 2)
    }

    @Test("Claps near the ends of the captures don't count")
    func ends() {
        let findings = Self.pairs([100, 1000, 2000, 9900], [1000, 2000]).findings
        #expect(findings.measures.value("claps_missed") == 0)
    }

    @Test(
        "The light in a flash's first picture tells when it began",
        arguments: [([40, 200, 200], 2.0), ([40, 120, 200], 2.5), ([72, 200, 200], 1.8), ([40, 200, 40], 2.0)])
    func flash(brightness: [UInt8], begin: Double) throws {
        let format = VideoFormat(
            width: 8, height: 4, pixelFormat: try #require(PixelFormat("GREY")),
            frameRate: try #require(FrameRate(10, 1)),
            bytesPerLine: 8)
        var recording = try BrightnessRecording(.video(format))
        for (number, value) in ([40] + brightness + [40, 40, 40, 40, 40]).enumerated() {
            let bytes = [UInt8](repeating: value, count: 32)
            recording.inspect(
                FrameHeader(sequence: 0, timestamp: Int64(number) * 100_000_000, byteCount: 32, frameCount: 1),
                bytes.span.bytes)
        }
        #expect(recording.flashes == [Int64(begin * 1e8)])
    }

    @Test("Devices that captured nothing have no claps")
    func nothing() {
        let pairs = ClapPairs(seen: [], in: nil, heard: [], in: nil)
        #expect(pairs.seen + pairs.heard == 0)
    }
}
