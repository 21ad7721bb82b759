import CaptureBase
import CaptureEncoding
import ClipScenery
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

    /// Encoded images of some frames.
    private func images(_ parameters: MJPEGParameters, of numbers: [Int], _ video: VideoFormat) throws -> [[UInt8]] {
        let encoder = MJPEGEncoder(format: video, parameters: parameters)
        try encoder.begin()
        var packets = PacketBuffer()
        for number in numbers {
            try encoder.encode(Source.picture(video, number: number).span.bytes, at: Int64(number), into: &packets)
        }
        return (0..<packets.count).map { packets.withBytes(of: $0) { Array($0) } }
    }

    @Test("Fitted codes change no sample and make each image smaller; each is whole by itself")
    func codes() throws {
        let video = Source.video(.yuyv, 160, 120)
        let numbers = Array(0..<80)
        let fitted = try images(MJPEGParameters(), of: numbers, video)
        let standard = try images(MJPEGParameters(codes: .standard), of: numbers, video)
        #expect(fitted.count == 80 && standard.count == 80)
        for (one, other) in zip(fitted, standard) {
            #expect(one.count < other.count && one.suffix(2) == [0xFF, 0xD9])
            let (first, second) = (try #require(Decoded(one)), try #require(Decoded(other)))
            #expect(first.planes == second.planes)
        }
        // The tables follow the frames.
        #expect(Set(fitted.map { Self.segments(0xC4, of: $0) }).count > 1)
        #expect(Set(standard.map { Self.segments(0xC4, of: $0) }).count == 1)
    }

    /// The bytes of an image's segments of one kind, before its scan.
    private static func segments(_ marker: UInt8, of image: [UInt8]) -> [UInt8] {
        var (found, at) = ([UInt8](), 2)
        while at + 4 < image.count, image[at] == 0xFF, image[at + 1] != 0xDA {
            let next = at + 2 + Int(image[at + 2]) << 8 + Int(image[at + 3])
            if image[at + 1] == marker { found += image[at..<min(next, image.count)] }
            at = next
        }
        return found
    }

    @Test("After black pictures, noise of the highest quality still fits")
    func suddenChange() throws {
        let video = Source.video(.yuv420, 160, 120)
        let black = [UInt8](repeating: 128, count: 160 * 120 * 3 / 2)
        var random = SystemRandomNumberGenerator.Seeded(3)
        let noise = black.map { _ in UInt8.random(in: 0...1, using: &random) * 255 }
        let encoder = MJPEGEncoder(format: video, parameters: MJPEGParameters(quality: 100, range: .full))
        try encoder.begin()
        var packets = PacketBuffer()
        for number in 0..<70 {
            try encoder.encode((number == 66 ? noise : black).span.bytes, at: Int64(number), into: &packets)
        }
        #expect(packets.count == 70 && encoder.counts.frames == 70)
        let decoded = try #require(Decoded(packets.withBytes(of: 66) { Array($0) }))
        #expect(ratio(decoded.planes[0], Array(noise[..<(160 * 120)])) > 35)
        #expect(Decoded(packets.withBytes(of: 69) { Array($0) })?.planes[0].allSatisfy { $0 == 128 } == true)
    }

    @Test("The tables of annex K, scaled to the quality as libjpeg does, are in the image where asked for")
    func annexK() throws {
        let video = Source.video(.yuyv)
        for (quality, first) in [(50, [UInt8](arrayLiteral: 16, 11, 12)), (25, [32, 22, 24]), (75, [8, 6, 6])] {
            let parameters = MJPEGParameters(quality: quality, quantization: .annexK)
            let image = try #require(images(parameters, of: [0], video).first)
            // Marker, length and number, then zigzag.
            #expect(Array(Self.segments(0xDB, of: image)[5..<8]) == first)
        }
        let even = try #require(images(MJPEGParameters(quality: 50), of: [0], video).first)
        let tables = Self.segments(0xDB, of: even)
        #expect(tables.count == 2 * 69 && tables[5..<69] == tables[74..<138])
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
