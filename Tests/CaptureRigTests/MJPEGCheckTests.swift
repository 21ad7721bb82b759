import CaptureRecording
import GateTestKit
import Testing

@testable import CaptureGate
@testable import CaptureRig

@Suite("Checks of MJPEG frames")
struct MJPEGCheckTests {
    /// A camera that delivers some frames once.
    struct Frames: StreamSource {
        let format: VideoFormat
        let frames: [[UInt8]]

        func record<Inspector: StreamInspector>(
            _ capture: StreamCapture, from device: Device,
            _ inspector: @escaping @Sendable (ClipTrack.Media) throws(CaptureError) -> Inspector
        ) async throws(CaptureError) -> (record: StreamRecord, inspector: Inspector) {
            let media = ClipTrack.Media.video(format)
            var (record, inspector) = (StreamRecord(device, media, begun: 0), try inspector(media))
            for (number, frame) in frames.enumerated() {
                let header = FrameHeader(
                    sequence: UInt64(number), timestamp: Int64(number + 1) * 33_333_333, byteCount: frame.count,
                    frameCount: 1)
                record.note(header, arrival: header.timestamp)
                inspector.inspect(header, frame.span.bytes)
            }
            return (record, inspector)
        }
    }

    private static let format = VideoFormat(
        width: 64, height: 48, pixelFormat: .mjpeg, frameRate: FrameRate(unchecked: 30, 1), bytesPerLine: 0)

    /// Made once: painting takes longer than all checks of them.
    private static let frames = (try? BenchmarkFrames(of: .video(format), count: 9).frames) ?? []

    private static func findings(
        _ check: String, _ frames: [[UInt8]], _ folder: PlanFolder, _ format: VideoFormat = format
    ) async throws -> CheckFindings {
        let gate = Gatekeeper(
            subject: VirtualRig.subject, store: MemoryStore(),
            prompter: ScriptedPrompter { _ in .allow(.always) }, directory: SystemDeviceDirectory(),
            clock: SystemGateClock())
        let context = CheckContext(
            PlannedCheck(name: check, check: check, devices: ["camera"]), [BuiltInDevices.bars],
            streams: Frames(format: format, frames: frames), gatekeeper: gate,
            golden: GoldenFiles("\(folder.path)/golden", accepts: true), evidence: EvidenceFolder(folder.path),
            commands: CommandRunner())
        let make = try #require(CheckMakers.all[check])
        return try await make(context)
    }

    @Test("Frames are decoded: good ones pass, a black one is black and a repeated one is frozen")
    func decodes() async throws {
        let folder = try PlanFolder()
        var frames = Array(Self.frames.prefix(4))
        let raw = VideoFormat(
            width: 64, height: 48, pixelFormat: .grey, frameRate: FrameRate(unchecked: 30, 1), bytesPerLine: 64)
        let dark = [UInt8](repeating: 3, count: 64 * 48)
        frames += [frames[3], try StillEncoder(raw, as: .jpeg).encode(dark.span.bytes)]
        let found = try await Self.findings("camera.frozen", frames, folder)
        #expect(isNear(found.measures.value("black"), 100 / 6.0, by: 1e-9))
        #expect(isNear(found.measures.value("frozen"), 100 / 6.0, by: 1e-9))
        #expect(found.measures.value("unreadable") == 0)
        // A camera's JPEG is kept as it is.
        #expect(found.evidence.map(\.file) == ["evidence/camera.frozen-4.jpg", "evidence/camera.frozen-5.jpg"])
        #expect(folder.bytes("evidence/camera.frozen-4.jpg") == frames[4])
    }

    @Test(
        "A frame that does not decode is a fault of each check, never a good frame",
        arguments: ["camera.frozen", "camera.pixels", "camera.sharpness", "camera.exposure", "camera.low_light"])
    func broken(check: String) async throws {
        let folder = try PlanFolder()
        var frames = Self.frames
        frames[2] = Array(frames[2].prefix(frames[2].count / 2))
        frames[4] = [UInt8](repeating: 0xAA, count: 500)
        frames[5] = []
        let found = try await Self.findings(check, frames, folder)
        #expect(found.measures.value("unreadable") == 3)
        #expect(found.evidence.map(\.file) == [2, 4, 5].map { "evidence/\(check)-\($0).bin" })
        if check == "camera.pixels" { #expect(found.measures.value("ssim") == 0) }
    }

    @Test("A camera none of whose frames can be decoded fails, and so does one without any")
    func nothing() async throws {
        let folder = try PlanFolder()
        for (frames, kind) in [([[1, 2, 3], [4]], CaptureError.Kind.notAsAsked), ([[UInt8]](), .stalled)] {
            let error = await #expect(throws: CaptureError.self) {
                try await Self.findings("camera.frozen", frames, folder)
            }
            #expect(error?.kind == kind)
        }
    }

    // MARK: Large images

    /// Just above the size up to which each frame is decoded.
    private static let large = VideoFormat(
        width: 704, height: 544, pixelFormat: .mjpeg, frameRate: FrameRate(unchecked: 30, 1), bytesPerLine: 0)

    /// Squares of two shades, or nearly black ones.
    private static func image(shift: Int = 0, light: Int = 120) throws -> [UInt8] {
        let raw = VideoFormat(
            width: large.width, height: large.height, pixelFormat: .grey, frameRate: large.frameRate,
            bytesPerLine: large.width)
        let picture = [UInt8](unsafeUninitializedCapacity: large.width * large.height) { pixels, count in
            for y in 0..<large.height {
                for x in 0..<large.width {
                    pixels[y * large.width + x] = UInt8(light * (((x + shift) / 40 + y / 40) % 2) + light / 4)
                }
            }
            count = large.width * large.height
        }
        return try StillEncoder(raw, as: .jpeg).encode(picture.span.bytes)
    }

    /// Thirty frames of which no two neighbours are alike; no fourth one is among those that the tests below replace.
    private static func second() throws -> [[UInt8]] {
        let pictures = try [image(), image(shift: 9)]
        return (0..<30).map { pictures[$0 % 2] }
    }

    @Test("Of large images each fourth one is decoded, and all of small ones and of raw frames are looked at")
    func sample() {
        let rate = Self.large.frameRate
        let small = VideoFormat(width: 640, height: 480, pixelFormat: .mjpeg, frameRate: rate, bytesPerLine: 0)
        let raw = VideoFormat(width: 704, height: 544, pixelFormat: .yuyv, frameRate: rate, bytesPerLine: 1408)
        for (format, pace, due) in [
            (Self.large, PictureSample.coarse, 8), (Self.large, PictureSample.fine, 3), (Self.large, 0, 30),
            (small, PictureSample.fine, 30), (raw, PictureSample.fine, 30),
        ] {
            var sample = PictureSample(.video(format), pace: pace)
            let found = (0..<30).count { number in
                let header = FrameHeader(
                    sequence: UInt64(number), timestamp: Int64(number + 1) * 33_333_333, byteCount: 900, frameCount: 1)
                return sample.isDue(header, 900 + number % 3, isSuspect: false)
            }
            #expect(found == due, "\(format) at \(pace)")
        }
    }

    @Test("A frame between those that are decoded fails where it is black, cut short, no image or a repetition")
    func between() async throws {
        let folder = try PlanFolder()
        let good = try Self.second()
        let found = try await Self.findings("camera.frozen", good, folder, Self.large)
        for name in ["black", "frozen", "unreadable"] { #expect(found.measures.value(name) == 0, "\(found.measures)") }
        // With two images in turn, the frame after a repetition is one, too.
        let faults: [(String, Double, [UInt8])] = [
            ("black", 100 / 30.0, try Self.image(light: 4)), ("frozen", 200 / 30.0, good[9]),
            ("unreadable", 1, Array(good[10].prefix(good[10].count / 2))), ("unreadable", 1, [0xFF, 0xD8]),
        ]
        for (name, value, frame) in faults {
            var frames = good
            frames[10] = frame
            let found = try await Self.findings("camera.frozen", frames, folder, Self.large)
            #expect(isNear(found.measures.value(name), value, by: 1e-9), "\(name): \(found.measures)")
        }
    }

    @Test(
        "From the first fault on each frame is decoded",
        arguments: ["camera.frozen", "camera.exposure", "camera.sharpness", "camera.pixels"])
    func suspect(check: String) async throws {
        let folder = try PlanFolder()
        var frames = try Self.second()
        // Damage that leaves markers and size unchanged is only found by decoding.
        for number in [0, 1, 3] {
            for at in frames[number].count * 2 / 3..<frames[number].count - 40 { frames[number][at] = 0xAA }
        }
        let found = try await Self.findings(check, frames, folder, Self.large)
        #expect(found.measures.value("unreadable") == 3, "\(found.measures)")
    }

    @Test("An image that is decoded to an eighth has the means of the pixels")
    func eighth() throws {
        let image = try Self.image()
        let luma = try FrameLuma(.video(Self.large))
        let all = try #require(luma.read(image.span.bytes) { LumaImage($0, $1) } ?? nil)
        let coarse = try #require(luma.read(image.span.bytes, points: (64, 48)) { LumaImage($0, $1) } ?? nil)
        #expect((all.width, all.height, coarse.width, coarse.height) == (704, 544, 88, 68))
        #expect(isNear(all.mean, coarse.mean, by: 0.5))
        let block = (0..<64).reduce(0) { $0 + Int(all.bytes[(80 + $1 / 8) * 704 + 160 + $1 % 8]) }
        #expect(abs(block / 64 - Int(coarse.bytes[10 * 88 + 20])) <= 1)
    }
}
