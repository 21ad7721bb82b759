import CaptureGate
import ClipScenery
import Testing

@testable import CaptureRecording

@Suite("Samples and pixels of a running capture")
struct LiveConversionTests {
    /// Samples of each period that was lent, by the number of its first frame.
    private final class Heard<Sample: AudioSample>: Sendable {
        private let periods = Locked<[UInt64: [Sample]]>([:])

        func add(_ header: FrameHeader, _ samples: Span<Sample>) {
            // One whose header has another size is then missed.
            guard header.byteCount == samples.count * MemoryLayout<Sample>.stride else { return }
            let copy = samples.withUnsafeBufferPointer { Array($0) }
            periods.withLock { $0[header.sequence] = copy }
        }

        func samples(of period: CapturedFrame) -> [Sample]? { periods.withLock { $0[period.header.sequence] } }
    }

    /// Samples of the microphone, full scale at ±1.
    private static func values(_ period: CapturedFrame, _ format: SampleFormat) -> [Double] {
        period.bytes.withUnsafeBytes { bytes in
            format == .s16
                ? bytes.assumingMemoryBound(to: Int16.self).map { Double($0) / 32_768 }
                : bytes.assumingMemoryBound(to: Int32.self).map { Double($0) / 2_147_483_648 }
        }
    }

    @Test(
        "samples are lent as numbers of each type at once, the microphone's own", arguments: [SampleFormat.s16, .s32])
    func samples(own: SampleFormat) async throws {
        var settings = RecorderSettings.small
        settings.audio.sampleFormat = own
        try await withLiveCapture(of: [Capability.tone()], in: Scratch(), settings: settings) {
            capture async throws(CaptureError) in
            #expect(capture.tracks.map(\.audio?.sampleFormat) == [own])
            let (short, long, floating) = (Heard<Int16>(), Heard<Int32>(), Heard<Float>())
            let watches = [
                try capture.watch("test:tone", samples: Int16.self) { short.add($0, $1) },
                try capture.watch("test:tone", samples: Int32.self) { long.add($0, $1) },
                try capture.watch("test:tone", samples: Float.self) { floating.add($0, $1) },
            ]
            // Requested last: each of these was lent to the others before.
            var periods = try capture.frames(of: "test:tone", keeping: 100).makeAsyncIterator()
            for _ in 0..<3 {
                guard let period = try await periods.next() else { throw CaptureError(.stalled, "It has ended.") }
                let values = Self.values(period, own)
                #expect(values.contains { $0 != 0 } && values.count % period.header.frameCount == 0)
                #expect(short.samples(of: period) == values.map { Int16(($0 * 32_768).rounded()) })
                #expect(long.samples(of: period) == values.map { Int32(($0 * 2_147_483_648).rounded()) })
                #expect(floating.samples(of: period) == values.map { Float($0) })
            }
            for watch in watches { watch.cancel() }
        }
    }

    @Test(
        "pictures are lent and copied as pixels, and a clip has the camera's own",
        arguments: [PixelFormat.grey, .bgra32])
    func pixels(format: PixelFormat) async throws {
        let scratch = try Scratch()
        var settings = RecorderSettings.small
        settings.video.pixelFormat = .yuyv
        try await withLiveCapture(in: scratch, settings: settings) { capture async throws(CaptureError) in
            let lent = Locked<[UInt64: [UInt8]]>([:])
            let watch = try capture.watch("test:bars", converting: format) { header, pixels in
                let copy = pixels.withUnsafeBytes { Array($0) }
                lent.withLock { $0[header.sequence] = copy }
            }
            var copies = try capture.frames(of: "test:bars", converting: format).makeAsyncIterator()
            let target = try RecordingTarget(.file(path: scratch.path("a.mkv")))
            let clip = try await capture.record(into: target, for: .milliseconds(200))
            #expect(clip.end == .complete && clip.tracks.first?.video?.pixelFormat == .yuyv)
            guard let copy = try await copies.next() else { throw CaptureError(.stalled, "It has ended.") }
            watch.cancel()
            let seen = lent.withLock { $0[copy.header.sequence] }
            #expect(copy.header.byteCount == copy.bytes.count && seen == copy.bytes)
            Self.check(copy.bytes, format)
        }
        let stored = try Tool.text(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "v", "-show_entries", "stream=pix_fmt", "-of", "csv=p=0",
                scratch.path("a.mkv"),
            ], in: scratch)
        #expect(stored.hasPrefix("yuv"), "\(stored)")
    }

    /// The first bar is white, and the second one yellow.
    private static func check(_ pixels: [UInt8], _ format: PixelFormat) {
        let size = format == .grey ? 1 : 4
        #expect(pixels.count == 320 * 240 * size)
        guard pixels.count >= 121 * 320 * size else { return }
        let row = pixels[120 * 320 * size..<121 * 320 * size]
        let (white, yellow) = (row.dropFirst(8 * size).prefix(size), row.dropFirst(60 * size).prefix(size))
        #expect(white.allSatisfy { $0 >= 180 } && Set(white.prefix(3)).count == 1, "\(white)")
        #expect(yellow.map { $0 > 100 } == (size == 1 ? [true] : [false, true, true, true]), "\(yellow)")
    }

    @Test("what can't be converted is refused when it is asked for, and the capture goes on")
    func refused() async throws {
        try await withLiveCapture(in: Scratch()) { capture async throws(CaptureError) in
            let refusals = [
                Self.refusal { () throws(CaptureError) in
                    _ = try capture.watch("test:bars", converting: .nv12) { _, _ in }
                },
                Self.refusal { () throws(CaptureError) in
                    _ = try capture.frames(of: "test:bars", converting: .nv12)
                },
                Self.refusal { () throws(CaptureError) in
                    _ = try capture.watch("test:tone", converting: .grey) { _, _ in }
                },
                Self.refusal { () throws(CaptureError) in
                    _ = try capture.watch("test:bars", samples: Float.self) { _, _ in }
                },
                Self.refusal { () throws(CaptureError) in
                    _ = try capture.watch("test:other", samples: Float.self) { _, _ in }
                },
            ]
            #expect(refusals.allSatisfy { $0?.kind == .usage })
            #expect(
                refusals.map { $0?.message } == [
                    "Frames can't be converted to NV12.", "Frames can't be converted to NV12.",
                    "test:tone is a microphone, which has no video.", "test:bars is a camera, which has no audio.",
                    "test:other is not a device of this capture.",
                ])
            var frames = try capture.frames(of: "test:bars").makeAsyncIterator()
            #expect(try await frames.next() != nil)
        }
    }

    private static func refusal(_ body: () throws(CaptureError) -> Void) -> CaptureError? {
        do throws(CaptureError) {
            try body()
            return nil
        } catch {
            return error
        }
    }
}
