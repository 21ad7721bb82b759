import CaptureRecording
import Testing

@testable import CaptureGate
@testable import CaptureRig

@Suite("Checks of starting and stopping")
struct StartCheckTests {
    /// Small images, for speed.
    static let small: [String: PlanValue] = ["size": .size(width: 64, height: 36)]

    /// A check that is made without a run, for what it takes beside the context.
    private static func context(_ name: String, camera: FaultPlan = FaultPlan()) throws -> CheckContext {
        CheckContext(
            PlannedCheck(name: name, check: name, devices: ["camera"]), [BuiltInDevices.bars],
            streams: VirtualStreams(faults: [BuiltInDevices.bars.id: camera]), gatekeeper: VirtualRig.gatekeeper(),
            golden: GoldenFiles("/nowhere", accepts: false), evidence: EvidenceFolder(nil), commands: CommandRunner())
    }

    private static func steady() -> ProcessUsage? { ProcessUsage(descriptors: 20, threads: 8, resident: 5000) }

    @Test(
        "A good camera passes with every seed",
        arguments: ["camera.first_frame_decodes", "camera.first_frame", "camera.reconfigure"])
    func good(check: String) async throws {
        for seed in Extent.seeds {
            let faults = FaultPlan.with { ($0.seed, $0.jitter) = (seed, .microseconds(20)) }
            var parameters = Self.small
            // Only a listed mode can be changed from.
            if check == "camera.reconfigure" { parameters = [:] }
            let result = try await VirtualRig.result(check, camera: faults, parameters: parameters)
            #expect(result.verdict.isGood, "\(seed): \(result)")
        }
    }

    @Test("A good camera passes all cycles with every seed")
    func goodCycles() async throws {
        for seed in Extent.seeds {
            let context = try Self.context("camera.cycles", camera: FaultPlan.with { $0.seed = seed })
            let findings = try await CheckMakers.cycles(context, meter: Self.steady)
            #expect(findings.measures.map(\.value) == [0, 0, 0])
        }
    }

    static let twins: [VirtualTimingTests.Twin] = [
        .init("camera.first_frame_decodes", "broken") { $0.cut = 1 },
        .init("camera.first_frame", "first_frame_max") { $0.startDelay = .milliseconds(700) },
        .init("camera.reconfigure", "reconfigure_max") { $0.startDelay = .milliseconds(1200) },
        .init("camera.cycles", "failed") { $0.goneAfter = 50 },
        .init("camera.cycles", "failed") { $0.lost = 0.2 },
    ]

    @Test("A check finds the fault that it is about", arguments: twins)
    func faulty(twin: VirtualTimingTests.Twin) async throws {
        let parameters = twin.check == "camera.first_frame_decodes" ? Self.small : [:]
        let result = try await VirtualRig.result(twin.check, camera: twin.faults, parameters: parameters)
        #expect(result.verdict == .fail, "\(result)")
        #expect(result.measures.first { $0.name == twin.measure }?.verdict == .fail, "\(result.measures)")
    }

    @Test("Cycles that lose their last frames are counted: two lengths of ten, three times")
    func cycles() async throws {
        let context = try Self.context("camera.cycles", camera: FaultPlan.with { $0.goneAfter = 50 })
        let findings = try await CheckMakers.cycles(context, meter: Self.steady)
        #expect(findings.measures.value("failed") == 6)
    }

    @Test("A descriptor and a thread that each cycle leaves behind are counted, and a thread that ends late is not")
    func leaks() async throws {
        let context = try Self.context("camera.cycles")
        let looks = CallCounter()
        let leaking = try await CheckMakers.cycles(
            context,
            meter: {
                let isAfter = looks.next() > 1
                return ProcessUsage(descriptors: isAfter ? 40 : 20, threads: isAfter ? 28 : 8, resident: 5000)
            }, patience: .zero)
        #expect(leaking.measures.value("descriptors_left") == 20)
        #expect(leaking.measures.value("threads_left") == 20)
        let late = CallCounter()
        let settling = try await CheckMakers.cycles(
            context, meter: { ProcessUsage(descriptors: 20, threads: late.next() == 2 ? 9 : 8, resident: 5000) },
            patience: .seconds(60))
        #expect(settling.measures.value("threads_left") == 0)
    }

    @Test("Where /proc does not tell, leaks are not measured, which is no pass")
    func unknownUsage() async throws {
        let findings = try await CheckMakers.cycles(try Self.context("camera.cycles"), meter: { nil })
        #expect(findings.measures.value("failed") == 0)
        #expect(findings.measures.first { $0.name == "threads_left" }?.verdict == .error)
    }

    @Test("A camera that takes other settings fails for that, and no time is told")
    func changed() async throws {
        let faults = FaultPlan.with { $0.changesSettings = true }
        let result = try await VirtualRig.result("camera.first_frame", camera: faults, parameters: Self.small)
        #expect(result.verdict == .fail && result.measures.isEmpty)
        #expect(result.message == "size 62x36 instead of 64x36.")
    }

    @Test("A mode that the camera does not list can't be changed from")
    func unlisted() async throws {
        let result = try await VirtualRig.result("camera.reconfigure", parameters: Self.small)
        #expect(result.verdict == .error)
        #expect(result.message == "test:bars does not list any format 64x36.")
    }

    @Test(
        "The built-in camera passes behind the real gate",
        arguments: ["camera.first_frame_decodes", "camera.first_frame", "camera.reconfigure"])
    func gated(check: String) async throws {
        let result = try await VirtualRig.result(check, parameters: ["times": .count(2)], isVirtual: false)
        // How long it took is this machine's affair, which may be busy.
        let isSlow = result.verdict == .fail && result.measures.allSatisfy { $0.verdict.isGood || $0.unit == "ms" }
        #expect(result.verdict.isGood || isSlow, "\(result)")
        #expect(result.measures.allSatisfy { $0.value != nil })
    }

    @Test(
        "A device without a node is skipped where the node is what is tested",
        arguments: ["camera.sharing", "camera.compliance"])
    func withoutNode(check: String) async throws {
        let result = try await VirtualRig.result(check, isVirtual: false)
        #expect(result.verdict == .skip && result.measures.isEmpty)
        #expect(result.message?.contains("test:bars has no node") == true)
    }

    @Test("A second program that is refused all buffers passes, and one that gets some fails the check")
    func sharing() {
        let good = CheckFindings(SecondOpening(refusals: [.mapped: 16, .own: 16]))
        #expect(good.measures.map(\.value) == [0, 0] && good.message == nil)
        // EINVAL: the driver has no such buffers.
        #expect(CheckFindings(SecondOpening(refusals: [.mapped: 16, .own: 22])).measures.map(\.value) == [0, 0])
        let bad = CheckFindings(SecondOpening(refusals: [.mapped: 0, .own: 16]))
        #expect(bad.measures.value("stream_allowed") == 1)
        #expect(bad.message == "A second program got buffers: MMAP.")
    }

    @Test("A camera that can't be opened twice fails the check, and the programs that hold it are named")
    func exclusive() {
        let findings = CheckFindings(
            SecondOpening(
                failure: CaptureError(.busy, "It is busy."), holders: [DeviceHolder(processID: 7, command: "cheese")]))
        #expect(findings.measures.map(\.value) == [1, 0])
        #expect(findings.message == "It is busy. Other programs use it: cheese (7).")
    }
}

/// Number of calls. *thread-safe*
private final class CallCounter: Sendable {
    private let count = Locked(0)

    func next() -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }
}

@Suite("Whole frames")
struct WholeFramesTests {
    private static let format = VideoFormat(
        width: 64, height: 32, pixelFormat: .mjpeg, frameRate: FrameRate(unchecked: 30, 1), bytesPerLine: 0)

    /// A grey image as a camera sends it.
    private static func image() throws -> [UInt8] {
        let raw = VideoFormat(
            width: 64, height: 32, pixelFormat: .yuyv, frameRate: FrameRate(unchecked: 30, 1), bytesPerLine: 128)
        let encoder = MJPEGEncoder(format: raw)
        try encoder.begin()
        var packets = PacketBuffer()
        let pixels = (0..<128 * 32).map { UInt8(truncatingIfNeeded: $0 * 37) }
        try encoder.encode(pixels.span.bytes, at: 0, into: &packets)
        return packets.withBytes(of: 0) { [UInt8]($0) }
    }

    private static func broken(_ bytes: [UInt8], _ format: VideoFormat = format) -> Int {
        var look = WholeFrames(.video(format))
        look.inspect(
            FrameHeader(sequence: 0, timestamp: 0, byteCount: bytes.count, frameCount: 1), bytes.span.bytes)
        return look.broken
    }

    @Test("A compressed frame that decodes is whole, also without the end that some cameras leave out")
    func whole() throws {
        let image = try Self.image()
        #expect(Self.broken(image) == 0)
        #expect(Self.broken(Array(image.dropLast(2))) == 0)
    }

    @Test("A compressed frame that is cut, of another size or no picture at all is broken")
    func cut() throws {
        let image = try Self.image()
        #expect(Self.broken(Array(image.prefix(image.count * 3 / 4))) == 1)
        #expect(Self.broken([]) == 1)
        #expect(Self.broken([UInt8](repeating: 0, count: 5000)) == 1)
        let other = VideoFormat(
            width: 128, height: 32, pixelFormat: .mjpeg, frameRate: FrameRate(unchecked: 30, 1), bytesPerLine: 0)
        #expect(Self.broken(image, other) == 1)
    }

    @Test("A raw frame has all bytes of its rows, those of its chroma included")
    func raw() {
        let format = VideoFormat(
            width: 64, height: 32, pixelFormat: .nv12, frameRate: FrameRate(unchecked: 30, 1), bytesPerLine: 64)
        #expect(Self.broken([UInt8](repeating: 0, count: 64 * 48), format) == 0)
        #expect(Self.broken([UInt8](repeating: 0, count: 64 * 48 - 1), format) == 1)
    }
}
