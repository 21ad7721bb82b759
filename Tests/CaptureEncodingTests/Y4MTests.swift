import CaptureBase
import CaptureEncoding
import ClipScenery
import Testing

@Suite("Y4M files")
struct Y4MTests {
    /// Our format, ffmpeg's name of the source, ffmpeg's name of the stored format.
    private static let formats: [(PixelFormat, String, String)] = [
        (.yuyv, "yuyv422", "yuv422p"), (.uyvy, "uyvy422", "yuv422p"), (.nv12, "nv12", "yuv420p"),
        (.yuv420, "yuv420p", "yuv420p"), (.grey, "gray", "gray"),
    ]

    @Test("ffmpeg reads the planes that it makes of the source itself", arguments: formats, [(64, 48), (62, 35)])
    func planes(format: (PixelFormat, String, String), size: (Int, Int)) throws {
        let scratch = try Scratch()
        let video = Source.video(format.0, size.0, size.1)
        let frames = (0..<3).map { Source.picture(video, number: $0) }
        let clip = try Recording.pictures(frames, video, to: scratch.path("a.y4m"))
        try scratch.write(Array(frames.joined()), to: "source.raw")
        // Range and place of the colour are named on both sides, so that nothing but the layout is converted.
        let expected = try Tool.output(
            "ffmpeg",
            [
                "-v", "error", "-f", "rawvideo", "-pix_fmt", format.1, "-s", "\(size.0)x\(size.1)", "-i",
                scratch.path("source.raw"), "-f", "rawvideo", "-pix_fmt", format.2, "-",
            ], in: scratch)
        let found = try Tool.run(
            "ffmpeg", ["-v", "warning", "-i", scratch.path("a.y4m"), "-f", "rawvideo", "-"], in: scratch)
        #expect(found.output == expected && found.errors.isEmpty, "\(found.errors)")
        #expect(clip.duration == .nanoseconds(99_999_999))
    }

    @Test("The padding of rows is left out", arguments: [PixelFormat.yuyv, .nv12, .yuv420, .grey])
    func padding(pixelFormat: PixelFormat) throws {
        let scratch = try Scratch()
        let tight = Source.video(pixelFormat)
        let padded = Source.video(pixelFormat, bytesPerLine: 192)
        try Recording.pictures([Source.picture(tight)], tight, to: scratch.path("tight.y4m"))
        try Recording.pictures([Source.picture(padded)], padded, to: scratch.path("padded.y4m"))
        #expect(try Scratch.read(scratch.path("tight.y4m")) == Scratch.read(scratch.path("padded.y4m")))
    }

    @Test("ffprobe finds size, rate and chroma")
    func probed() throws {
        let scratch = try Scratch()
        let video = VideoFormat(
            width: 64, height: 48, pixelFormat: .nv12, frameRate: try #require(FrameRate(30000, 1001)), bytesPerLine: 64
        )
        try Recording.pictures([Source.picture(video)], video, to: scratch.path("a.y4m"))
        let found = try Tool.text(
            "ffprobe",
            [
                "-v", "error", "-show_entries", "stream=width,height,pix_fmt,r_frame_rate,chroma_location", "-of",
                "csv=p=0", scratch.path("a.y4m"),
            ],
            in: scratch)
        #expect(found == "64,48,yuv420p,center,30000/1001\n")
    }

    @Test("A short picture is skipped and counted")
    func short() throws {
        let scratch = try Scratch()
        let video = Source.video(.yuyv)
        let writer = try ClipFormat.y4m.writer(
            on: ClipOutput(opening: .file(path: scratch.path("a.y4m"))), tracks: [Recording.track(video)])
        try writer.write(video: Array(Source.picture(video).dropLast()).span.bytes, at: 0)
        try writer.write(video: Source.picture(video).span.bytes, at: 33_000_000)
        #expect(writer.counts(of: 0).skipped == 1 && writer.counts(of: 0).frames == 1)
        _ = try writer.finish(ledger: LossLedger(), end: .complete)
    }

    @Test(
        "Formats that Y4M can't hold are usage errors that name those it can",
        arguments: [PixelFormat.mjpeg, .jpeg, PixelFormat(rawValue: 0x5655_5941)])
    func refused(pixelFormat: PixelFormat) throws {
        let scratch = try Scratch()
        let error = try #require(throws: CaptureError.self) {
            try Recording.pictures([], Source.video(pixelFormat), to: scratch.path("a.y4m"))
        }
        #expect(error.kind == .usage && error.remedies.first?.text.contains("YUYV") == true)
        #expect(scratch.names.isEmpty)
    }
}
