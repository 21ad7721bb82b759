import CaptureEncoding
import CaptureGate
import Testing

@Suite("benchmark frames")
struct BenchmarkFramesTests {
    private static let sound = AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .s24)

    @Test(
        "each fills what a driver delivers, is the same in every run, and differs from the one before",
        arguments: [PixelFormat.yuyv, .uyvy, .nv12, .yuv420, .grey, .rgb24])
    func pictures(_ pixelFormat: PixelFormat) throws {
        let format = Source.video(pixelFormat, 128, 96)
        let frames = try BenchmarkFrames(of: .video(format), count: 2).frames
        #expect(frames.map(\.count) == [Source.picture(format).count, Source.picture(format).count])
        #expect(frames[0] != frames[1])
        #expect(try BenchmarkFrames(of: .video(format), count: 2).frames == frames)
        #expect(try BenchmarkFrames(of: .video(format), count: 2, seed: 2).frames != frames)
    }

    @Test("a picture takes as much room as a camera's: between one bit and four a pixel")
    func detail() throws {
        let format = Source.video(.yuyv, 640, 480)
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
        let format = Source.video(try #require(PixelFormat("H264")))
        let error = #expect(throws: CaptureError.self) { try BenchmarkFrames(of: .video(format), count: 1) }
        #expect(error?.kind == .usage)
    }
}
