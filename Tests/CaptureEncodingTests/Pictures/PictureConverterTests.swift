import CaptureBase
import CaptureEncoding
import ClipScenery
import Foundation
import Testing

@Suite("Pixels of a camera's frames")
struct PictureConverterTests {
    private func pixels(_ frame: [UInt8], _ source: VideoFormat, _ format: PixelFormat) throws -> [UInt8] {
        let converter = try PictureConverter(source, to: format)
        return try #require(
            converter.withPixels(of: frame.span.bytes) { pixels in pixels.withUnsafeBytes { Array($0) } })
    }

    /// ffmpeg's names of the formats.
    private static let names: [(PixelFormat, String)] = [
        (.bgra32, "bgra"), (.rgba32, "rgba"), (.rgb24, "rgb24"), (.grey, "gray"),
    ]

    /// Pixels that ffmpeg makes of a frame.
    private func judged(_ frame: [UInt8], _ input: [String], _ name: String, _ scratch: Scratch) throws -> [UInt8] {
        let file = scratch.path("frame")
        try Data(frame).write(to: URL(fileURLWithPath: file))
        return try Tool.output(
            "ffmpeg",
            ["-v", "error"] + input + [
                "-i", file, "-sws_flags", "accurate_rnd+full_chroma_int+neighbor", "-f", "rawvideo",
            ]
                + (name == "gray" ? ["-color_range", "pc"] : []) + ["-pix_fmt", name, "-"], in: scratch)
    }

    /// Mean difference of bytes, and the share of those that differ by more than a tenth of all values: at edges of colours, whose
    /// samples each program spreads in its own way.
    private func difference(_ first: [UInt8], _ second: [UInt8]) -> (mean: Double, far: Double) {
        let all = zip(first, second).map { abs(Int($0) - Int($1)) }
        let count = Double(max(all.count, 1))
        return (Double(all.reduce(0, +)) / count, Double(all.count { $0 > 25 }) / count)
    }

    @Test("Raw frames have the colours that ffmpeg gives them", arguments: ["YUYV", "UYVY", "NV12", "YU12"])
    func raw(code: String) throws {
        let scratch = try Scratch()
        let source = Source.video(try #require(PixelFormat(code)))
        let frame = Source.picture(source)
        let raw = ["YUYV": "yuyv422", "UYVY": "uyvy422", "NV12": "nv12", "YU12": "yuv420p"]
        for (format, name) in Self.names {
            let found = try pixels(frame, source, format)
            let expected = try judged(
                frame, ["-f", "rawvideo", "-pix_fmt", raw[code] ?? "", "-s", "64x48"], name, scratch)
            #expect(found.count == expected.count)
            let (mean, far) = difference(found, expected)
            #expect(mean < 1.5 && far < 0.02, "\(code) to \(name): \(mean) in the mean, \(far) far off")
        }
    }

    /// Pixels of four bytes, the last one opaque.
    private func four(_ rgb: [UInt8], _ places: [Int]) -> [UInt8] {
        var pixels: [UInt8] = []
        for first in stride(from: 0, to: rgb.count, by: 3) {
            for place in places { pixels.append(rgb[first + place]) }
            pixels.append(255)
        }
        return pixels
    }

    @Test("Frames of R, G and B, and of grey, keep every bit")
    func exact() throws {
        let rgb = Source.picture(Source.video(.rgb24))
        let turned = four(rgb, [2, 1, 0])
        let same = four(rgb, [0, 1, 2])
        #expect(try pixels(rgb, Source.video(.rgb24), .bgra32) == turned)
        #expect(try pixels(rgb, Source.video(.rgb24), .rgba32) == same)
        #expect(try pixels(rgb, Source.video(.rgb24), .rgb24) == rgb)
        let grey = Source.picture(Source.video(.grey))
        #expect(try pixels(grey, Source.video(.grey), .grey) == grey)
        #expect(try pixels(grey, Source.video(.grey), .bgra32) == grey.flatMap { [$0, $0, $0, 255] })
        #expect(try pixels(grey, Source.video(.grey), .rgb24) == grey.flatMap { [$0, $0, $0] })
    }

    @Test("JPEG images are the pixels that ffmpeg decodes")
    func jpeg() throws {
        let scratch = try Scratch()
        let raw = Source.video(.yuv420)
        let image = try StillEncoder(raw, as: .jpeg).encode(Source.picture(raw).span.bytes)
        for (format, name) in Self.names {
            let found = try pixels(image, Source.video(.mjpeg), format)
            let expected = try judged(image, ["-f", "mjpeg"], name, scratch)
            let (mean, far) = difference(found, expected)
            #expect(
                found.count == expected.count && mean < 2 && far < 0.02, "\(name): \(mean) in the mean, \(far) far off")
        }
    }

    @Test("Black is 0 and white 255 for every matrix and range", arguments: [Colorimetry.Range.limited, .full])
    func ends(range: Colorimetry.Range) throws {
        for matrix in [Colorimetry.Matrix.bt601, .bt709, .bt2020, .smpte240M] {
            var source = Source.video(.nv12, 8, 2)
            source.colorimetry.matrix = matrix
            source.colorimetry.range = range
            let ends: [UInt8] = range == .limited ? [16, 235] : [0, 255]
            let frame =
                [UInt8](repeating: ends[0], count: 8) + [UInt8](repeating: ends[1], count: 8)
                + [UInt8](repeating: 128, count: 8)
            for (format, size) in [(PixelFormat.grey, 1), (.rgb24, 3)] {
                let found = try pixels(frame, source, format)
                #expect(
                    found.prefix(8 * size).allSatisfy { $0 == 0 } && found.suffix(8 * size).allSatisfy { $0 == 255 })
            }
        }
    }

    @Test("A frame that is broken or cut short has no pixels, and the next one has them again")
    func broken() throws {
        for (source, frame) in [
            (Source.video(.yuyv), Source.picture(Source.video(.yuyv))),
            (
                Source.video(.mjpeg),
                try StillEncoder(Source.video(.yuv420), as: .jpeg)
                    .encode(Source.picture(Source.video(.yuv420)).span.bytes)
            ),
        ] {
            for format in PictureConverter.formats {
                let converter = try PictureConverter(source, to: format)
                let half = Array(frame.prefix(frame.count / 2))
                #expect(converter.withPixels(of: half.span.bytes) { $0.byteCount } == nil)
                let count = try #require(converter.target.planes.first).row(47).upperBound
                #expect(converter.withPixels(of: frame.span.bytes) { $0.byteCount } == count)
            }
        }
    }

    @Test("A camera's own H.264, and a layout that is none of pixels, are refused in words")
    func refused() {
        let stream = #expect(throws: CaptureError.self) { try PictureConverter(Source.video(.h264), to: .bgra32) }
        #expect(stream?.kind == .usage && stream?.message == "64x48 H264 can't be converted to an image.")
        let layout = #expect(throws: CaptureError.self) { try PictureConverter(Source.video(.yuyv), to: .yuyv) }
        #expect(layout?.message == "Frames can't be converted to YUYV.")
    }

    @Test("Planes have the places that V4L2 gives them, padding included")
    func planes() throws {
        func places(_ code: String, _ bytesPerLine: Int = 0) throws -> [[Int]] {
            try Source.video(#require(PixelFormat(code)), 64, 48, bytesPerLine: bytesPerLine).planes
                .map { [$0.offset, $0.stride, $0.rowBytes, $0.rows] }
        }
        #expect(try places("YUYV", 160) == [[0, 160, 128, 48]])
        #expect(try places("NV12", 80) == [[0, 80, 64, 48], [80 * 48, 80, 64, 24]])
        #expect(try places("YU12", 80) == [[0, 80, 64, 48], [80 * 48, 40, 32, 24], [80 * 60, 40, 32, 24]])
        #expect(try places("AR24") == [[0, 256, 256, 48]])
        #expect(try places("MJPG").isEmpty && places("H264").isEmpty)
        let plane = try #require(Source.video(.nv12, 64, 48, bytesPerLine: 80).planes.last)
        #expect(plane.row(0) == 3840..<3904 && plane.row(23) == 5680..<5744)
    }
}
