import CaptureBase
import CaptureEncoding
import ClipScenery
import Foundation
import Testing

@Suite("Stills")
struct StillTests {
    private func stored(
        _ frame: [UInt8], _ format: VideoFormat, _ still: StillFormat, _ parameters: StillParameters = StillParameters()
    ) throws -> [UInt8] {
        try StillEncoder(format, as: still, parameters: parameters).encode(frame.span.bytes)
    }

    /// What ffmpeg makes of the file.
    private func decoded(_ file: [UInt8], _ still: StillFormat, as pixels: String, _ scratch: Scratch) throws -> [UInt8]
    {
        let name = scratch.path("a." + (still.endings.first ?? ""))
        try Data(file).write(to: URL(fileURLWithPath: name))
        let found = try Tool.run(
            "ffmpeg", ["-v", "warning", "-i", name, "-f", "rawvideo", "-pix_fmt", pixels, "-"], in: scratch)
        #expect(found.status == 0, "\(found.errors)")
        return found.output
    }

    private func judge(_ png: [UInt8], _ scratch: Scratch) throws {
        try scratch.write(png, to: "judged.png")
        let judged = try Tool.run("pngcheck", ["-v", scratch.path("judged.png")], in: scratch)
        #expect(judged.status == 0 && judged.text.contains("No errors detected"), "\(judged.text)")
    }

    @Test(
        "PNG and QOI keep RGB and grey bit by bit", arguments: [StillFormat.png, .qoi], [(64, 48), (61, 35), (1, 1)])
    func lossless(still: StillFormat, size: (Int, Int)) throws {
        let scratch = try Scratch()
        for (pixelFormat, name) in [(PixelFormat.rgb24, "rgb24"), (.bgr24, "bgr24"), (.grey, "gray")] {
            let video = Source.video(pixelFormat, size.0, size.1)
            let frame = Source.picture(video)
            let file = try stored(frame, video, still)
            if still == .png { try judge(file, scratch) }
            #expect(try decoded(file, still, as: name, scratch) == frame, "\(name)")
        }
    }

    @Test("QOI has every kind of step: runs, pixels seen before, small and large differences")
    func steps() throws {
        let scratch = try Scratch()
        let video = Source.video(.rgb24, 256, 64)
        var random = SystemRandomNumberGenerator.Seeded(7)
        var frame: [UInt8] = []
        var pixel: [UInt8] = [0, 0, 0]
        while frame.count < 256 * 64 * 3 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0: frame += (0..<Int.random(in: 1...200, using: &random)).flatMap { _ in pixel }
            case 1: pixel = pixel.map { $0 &+ UInt8.random(in: 0...3, using: &random) &- 2 }
            case 2: pixel = pixel.map { $0 &+ UInt8.random(in: 0...63, using: &random) &- 32 }
            case 3: pixel = (0..<3).map { _ in UInt8.random(in: 0...255, using: &random) }
            default: pixel = [10, 20, UInt8.random(in: 0...7, using: &random)]
            }
            frame += pixel
        }
        frame.removeLast(frame.count - 256 * 64 * 3)
        let file = try stored(frame, video, .qoi)
        #expect(try decoded(file, .qoi, as: "rgb24", scratch) == frame)
        let kinds = Set(file.dropFirst(14).map { $0 >> 6 })
        #expect(kinds.count == 4 && file.contains(0xFE))
    }

    @Test(
        "YUV becomes the colours that ffmpeg makes of it, in every layout",
        arguments: ["YUYV", "UYVY", "YVYU", "NV12", "NV21", "NV16", "NV24", "YU12", "YV12", "422P"])
    func colours(code: String) throws {
        let scratch = try Scratch()
        let names = [
            "YUYV": "yuyv422", "UYVY": "uyvy422", "YVYU": "yvyu422", "NV12": "nv12", "NV21": "nv21", "NV16": "yuv422p",
            "NV24": "nv24", "YU12": "yuv420p", "422P": "yuv422p", "YV12": "yuv420p",
        ]
        let video = Source.video(try #require(PixelFormat(code)), 64, 48)
        // A smooth picture by ffmpeg, whose planes we read.
        let source = try Tool.output(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", Self.gradient, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt",
                try #require(names[code]), "-",
            ], in: scratch)
        var frame = source
        if code == "YV12" {
            let (luma, chroma) = (64 * 48, 32 * 24)
            frame = Array(source[..<luma] + source[(luma + chroma)...] + source[luma..<(luma + chroma)])
        }
        if code == "NV16" {
            let (luma, chroma) = (64 * 48, 32 * 48)
            frame = Array(source[..<luma]) + (0..<chroma).flatMap { [source[luma + $0], source[luma + chroma + $0]] }
        }
        try scratch.write(source, to: "source.raw")
        let expected = try Tool.output(
            "ffmpeg",
            [
                "-v", "error", "-f", "rawvideo", "-pix_fmt", try #require(names[code]), "-s", "64x48", "-i",
                scratch.path("source.raw"), "-sws_flags", "accurate_rnd+full_chroma_int", "-f", "rawvideo", "-pix_fmt",
                "rgb24", "-",
            ], in: scratch)
        for still in StillFormat.allCases {
            let found = try decoded(stored(frame, video, still), still, as: "rgb24", scratch)
            let sum = zip(expected, found).reduce(0.0) { $0 + pow(Double($1.0) - Double($1.1), 2) }
            let ratio = 10 * log10(255 * 255 / (sum / Double(expected.count)))
            #expect(found.count == expected.count && ratio > 33, "\(still) of \(code): \(ratio) dB")
        }
    }

    /// ffmpeg chooses a missing colour or corner at random, whatever the seed.
    private static let gradient =
        "gradients=s=64x48:n=4:c0=0xC03020:c1=0x20A040:c2=0x3050D0:c3=0xE0D0A0:x0=0:y0=0:x1=63:y1=47:d=1:speed=0.00001"

    @Test(
        "Grey of more than 8 bits keeps them in PNG, and white is white", arguments: ["Y10 ", "Y12 ", "Y16 ", "Y16-BE"])
    func deepGrey(code: String) throws {
        let scratch = try Scratch()
        let video = Source.video(try #require(PixelFormat(code)), 16, 4)
        let bits = code == "Y10 " ? 10 : code == "Y12 " ? 12 : 16
        let white = (1 << bits) - 1
        let values = (0..<64).map { UInt16($0 * white / 63) }
        let frame = values.flatMap { value -> [UInt8] in
            let (low, high) = (UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8))
            return code == "Y16-BE" ? [high, low] : [low, high]
        }
        let file = try stored(frame, video, .png)
        try judge(file, scratch)
        let found = try decoded(file, .png, as: "gray16be", scratch)
        let samples = (0..<64).map { at -> UInt16 in UInt16(found[2 * at]) << 8 | UInt16(found[2 * at + 1]) }
        let kept = samples.map { $0 >> UInt16(16 - bits) }
        #expect(kept == values && samples[63] == 0xFFFF && samples[0] == 0)
        #expect(try decoded(stored(frame, video, .qoi), .qoi, as: "gray", scratch).last == 255)
    }

    @Test("A camera's own JPEG is stored bit by bit, and decoded for PNG and QOI")
    func compressed() throws {
        let scratch = try Scratch()
        let raw = Source.video(.yuyv)
        let image = try stored(Source.picture(raw), raw, .jpeg)
        let video = Source.video(.mjpeg)
        #expect(try stored(image + [0, 0, 0], video, .jpeg) == image)
        let expected = try decoded(image, .jpeg, as: "rgb24", scratch)
        let png = try stored(image, video, .png)
        try judge(png, scratch)
        let found = try decoded(png, .png, as: "rgb24", scratch)
        #expect(found == (try decoded(stored(image, video, .qoi), .qoi, as: "rgb24", scratch)))
        let sum = zip(expected, found).reduce(0.0) { $0 + pow(Double($1.0) - Double($1.1), 2) }
        #expect(found.count == expected.count && 10 * log10(255 * 255 / (sum / Double(found.count))) > 33)
    }

    @Test("A higher level makes a smaller PNG, and one encoder makes many pictures")
    func parameters() throws {
        let video = Source.video(.rgb24, 160, 120)
        let sizes = try [0, 1, 9].map {
            try stored(Source.picture(video), video, .png, StillParameters(pngLevel: $0)).count
        }
        #expect(sizes == sizes.sorted(by: >) && Set(sizes).count == 3)
        let encoder = try StillEncoder(video, as: .png)
        let first = try encoder.encode(Source.picture(video).span.bytes)
        #expect(try encoder.encode(Source.picture(video, number: 1).span.bytes) != first)
        #expect(try encoder.encode(Source.picture(video).span.bytes) == first)
    }

    @Test("A short or broken picture is told apart from one that can never be made")
    func refused() throws {
        for still in StillFormat.allCases {
            for video in [Source.video(.yuyv), Source.video(.rgb24), Source.video(.mjpeg)] {
                let encoder = try StillEncoder(video, as: still)
                let error = try #require(throws: CaptureError.self) {
                    _ = try encoder.encode([UInt8](repeating: 1, count: 100).span.bytes)
                }
                #expect(error.kind == .unavailable && !error.remedies.isEmpty)
            }
            let h264 = Source.video(try #require(PixelFormat("H264")))
            for video in [h264, Source.video(.yuyv, 63), Source.video(.grey, 20_000), Source.video(.mjpeg, 0)] {
                let error = try #require(throws: CaptureError.self) { _ = try StillEncoder(video, as: still) }
                #expect(error.kind == .usage && !error.remedies.isEmpty)
            }
        }
        #expect(throws: CaptureError.self) {
            _ = try StillEncoder(Source.video(.yuyv), as: .png, parameters: StillParameters(pngLevel: 10))
        }
    }

    @Test("The ending of a name decides, in any case of letters")
    func endings() throws {
        for (name, format) in [("a.jpg", StillFormat.jpeg), ("b.JPEG", .jpeg), ("c.png", .png), ("d/e.qoi", .qoi)] {
            #expect(try StillFormat(ofEnding: name) == format)
        }
        let error = try #require(throws: CaptureError.self) { try StillFormat(ofEnding: "a.bmp") }
        #expect(error.kind == .usage && error.remedies.first?.text.contains(".jpg, .jpeg, .png, .qoi") == true)
    }
}
