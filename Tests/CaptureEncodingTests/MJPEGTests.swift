import CaptureEncoding
import CaptureGate
import Foundation
import Testing

@Suite("MJPEG")
struct MJPEGTests {
    private static let formats: [(PixelFormat, String)] = [
        (.yuyv, "yuyv422"), (.uyvy, "uyvy422"), (.nv12, "nv12"), (.yuv420, "yuv420p"), (.grey, "gray"),
        (.rgb24, "rgb24"),
        (.bgr24, "bgr24"),
    ]

    /// Peak signal to noise ratio in dB of 8 bit samples.
    private func ratio(_ first: [UInt8], _ second: [UInt8]) -> Double {
        guard first.count == second.count, !first.isEmpty else { return -1 }
        let sum = zip(first, second).reduce(0.0) { $0 + pow(Double($1.0) - Double($1.1), 2) }
        return sum == 0 ? .infinity : 10 * log10(255 * 255 / (sum / Double(first.count)))
    }

    @Test("ffmpeg decodes the picture that went in, with more than 30 dB", arguments: formats, [(64, 48), (70, 35)])
    func quality(format: (PixelFormat, String), size: (Int, Int)) throws {
        let scratch = try Scratch()
        let video = Source.video(format.0, size.0, size.1)
        let frames = (0..<3).map { Source.picture(video, number: $0) }
        try Recording.pictures(frames, video, to: scratch.path("a.mkv"))
        try scratch.write(Array(frames.joined()), to: "source.raw")
        let sourceArguments = [
            "-f", "rawvideo", "-pix_fmt", format.1, "-s", "\(size.0)x\(size.1)", "-i", scratch.path("source.raw"),
        ]
        // Limited range in the source, JFIF's full range in the picture: both as grey and as RGB.
        for (target, least) in [("gray", 35.0), ("rgb24", 30.0)] {
            let expected = try Tool.output(
                "ffmpeg", ["-v", "error"] + sourceArguments + ["-f", "rawvideo", "-pix_fmt", target, "-"], in: scratch)
            let found = try Tool.output(
                "ffmpeg", ["-v", "error", "-i", scratch.path("a.mkv"), "-f", "rawvideo", "-pix_fmt", target, "-"],
                in: scratch)
            #expect(ratio(expected, found) > least, "\(format.1) as \(target): \(ratio(expected, found)) dB")
        }
    }

    @Test(
        "Chroma is as the source has it, or 4:2:0 where asked",
        arguments: [
            (PixelFormat.yuyv, MJPEGParameters.Chroma.asSource, "yuvj422p"), (.yuyv, .yuv420, "yuvj420p"),
            (.uyvy, .yuv422, "yuvj422p"), (.nv12, .asSource, "yuvj420p"), (.rgb24, .yuv420, "yuvj420p"),
            (.grey, .asSource, "gray"),
        ])
    func chroma(format: PixelFormat, chroma: MJPEGParameters.Chroma, name: String) throws {
        let scratch = try Scratch()
        let video = Source.video(format, 62, 35)
        var settings = EncoderSettings()
        settings.mjpeg.chroma = chroma
        try Recording.pictures([Source.picture(video)], video, to: scratch.path("a.mkv"), settings: settings)
        let found = try Tool.text(
            "ffprobe",
            ["-v", "error", "-show_entries", "stream=pix_fmt,width,height", "-of", "csv=p=0", scratch.path("a.mkv")],
            in: scratch)
        #expect(found == "62,35,\(name)\n")
    }

    @Test(
        "Each plane is the source's, of full range as it is",
        arguments: [PixelFormat.yuyv, .uyvy, .nv12, .yuv420, .grey],
        [192, 0])
    func planes(pixelFormat: PixelFormat, bytesPerLine: Int) throws {
        let video = Source.video(pixelFormat, bytesPerLine: bytesPerLine)
        let encoder = MJPEGEncoder(format: video, parameters: MJPEGParameters(quality: 95, range: .full))
        try encoder.begin()
        var packets = PacketBuffer()
        try encoder.encode(Source.picture(video).span.bytes, at: 0, into: &packets)
        let decoded = try #require(Decoded(packets.withBytes(of: 0) { Array($0) }))
        #expect(decoded.width == 64 && decoded.height == 48)
        let rows = pixelFormat == .nv12 || pixelFormat == .yuv420 ? 2 : 1
        let luma = (0..<48).flatMap { y in (0..<64).map { Source.luma($0, y, 0) } }
        let chroma = { (value: (Int, Int) -> UInt8) in
            (0..<48 / rows).flatMap { y in (0..<32).map { value(2 * $0, rows * y) } }
        }
        #expect(ratio(decoded.planes[0], luma) > 35)
        if pixelFormat == .grey { return }
        #expect(ratio(decoded.planes[1], chroma(Source.blue)) > 35)
        #expect(ratio(decoded.planes[2], chroma(Source.red)) > 35)
    }

    @Test("A higher quality makes a larger and better picture")
    func parameters() throws {
        let video = Source.video(.yuyv)
        var sizes: [UInt64] = []
        for quality in [10, 50, 90, 100] {
            let encoder = MJPEGEncoder(format: video, parameters: MJPEGParameters(quality: quality))
            try encoder.begin()
            var packets = PacketBuffer()
            try encoder.encode(Source.picture(video).span.bytes, at: 0, into: &packets)
            sizes.append(encoder.counts.bytes)
        }
        #expect(sizes == sizes.sorted() && Set(sizes).count == 4)
    }

    @Test("Values out of range and formats it can't encode are usage errors")
    func refused() throws {
        let cases: [(VideoFormat, MJPEGParameters)] = [
            (Source.video(.yuyv), MJPEGParameters(quality: 0)), (Source.video(.yuyv), MJPEGParameters(quality: 101)),
            (Source.video(.nv12), MJPEGParameters(chroma: .yuv422)), (Source.video(.yuyv, 63), MJPEGParameters()),
            (Source.video(.grey, 20000), MJPEGParameters()),
            (Source.video(try #require(PixelFormat("H264"))), MJPEGParameters()),
        ]
        for (format, parameters) in cases {
            let error = try #require(throws: CaptureError.self) {
                try MJPEGEncoder(format: format, parameters: parameters).begin()
            }
            #expect(error.kind == .usage && !error.remedies.isEmpty)
        }
    }

    @Test("A short picture is skipped and counted, and the next one is good")
    func short() throws {
        let video = Source.video(.yuv420)
        let encoder = MJPEGEncoder(format: video)
        try encoder.begin()
        var packets = PacketBuffer()
        try encoder.encode(Array(Source.picture(video).dropLast()).span.bytes, at: 0, into: &packets)
        try encoder.encode(Source.picture(video).span.bytes, at: 1, into: &packets)
        #expect(packets.count == 1 && packets.time(of: 0) == 1)
        #expect(encoder.counts.skipped == 1 && encoder.counts.frames == 1)
    }
}
