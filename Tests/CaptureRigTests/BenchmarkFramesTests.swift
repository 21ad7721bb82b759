import CaptureGate
import CaptureRecording
import CaptureRig
import Testing

@Suite("benchmark frames")
struct BenchmarkFramesTests {
    private static let sound = AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .s24)

    private static func video(_ pixelFormat: PixelFormat, _ width: Int, _ height: Int) throws -> VideoFormat {
        VideoFormat(
            width: width, height: height, pixelFormat: pixelFormat, frameRate: try #require(FrameRate(30)),
            bytesPerLine: 0)
    }

    @Test(
        "each fills what a driver delivers, is the same in every run, and differs from the one before",
        arguments: [(PixelFormat.yuyv, 4), (.uyvy, 4), (.nv12, 3), (.yuv420, 3), (.grey, 2), (.rgb24, 6)])
    func pictures(_ pixelFormat: PixelFormat, halfBytes: Int) throws {
        let format = try Self.video(pixelFormat, 128, 96)
        let frames = try BenchmarkFrames(of: .video(format), count: 2).frames
        #expect(frames.map(\.count) == [Int](repeating: 128 * 96 * halfBytes / 2, count: 2))
        #expect(frames[0] != frames[1])
        #expect(try BenchmarkFrames(of: .video(format), count: 2).frames == frames)
        #expect(try BenchmarkFrames(of: .video(format), count: 2, seed: 2).frames != frames)
    }

    @Test("a picture takes as much room as a camera's: between one bit and four a pixel")
    func detail() throws {
        let format = try Self.video(.yuyv, 640, 480)
        let picture = try #require(try BenchmarkFrames(of: .video(format), count: 1).frames.first)
        let image = try StillEncoder(format, as: .jpeg).encode(picture.span.bytes)
        let bits = Double(image.count) * 8 / Double(640 * 480)
        #expect(bits > 1 && bits < 4)
    }

    @Test("sound is a tenth of a second that a lossless encoder makes smaller, and not to nothing")
    func periods() throws {
        let frames = try BenchmarkFrames(of: .audio(Self.sound), count: 4).frames
        #expect(frames.map(\.count) == [Int](repeating: 4800 * Self.sound.bytesPerFrame, count: 4))
        let encoder = FLACEncoder(format: Self.sound)
        try encoder.begin()
        var packets = PacketBuffer()
        for frame in frames { try encoder.encode(frame.span.bytes, at: 0, into: &packets) }
        try encoder.finish(into: &packets)
        let stored = 4 * 4800 * 2 * 3
        #expect(Int(encoder.counts.bytes) < stored * 9 / 10 && Int(encoder.counts.bytes) > stored / 4)
    }

    @Test("a format that nobody knows can't be painted")
    func unknown() throws {
        let format = try Self.video(try #require(PixelFormat("H264")), 64, 48)
        let error = #expect(throws: CaptureError.self) { try BenchmarkFrames(of: .video(format), count: 1) }
        #expect(error?.kind == .usage)
    }
}
