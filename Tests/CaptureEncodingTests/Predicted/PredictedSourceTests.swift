import CaptureBase
import ClipScenery
import Testing

@testable import CaptureEncoding

@Suite("What predicted frames are made of")
struct PredictedSourceTests {
    private let best = PredictionParameters(quality: 95)

    private func settings(_ codec: VideoCodec) -> EncoderSettings {
        var settings = EncoderSettings()
        (settings.videoCodec, settings.prediction) = (codec, best)
        return settings
    }

    /// Smooth frame, and its planes of 4:2:0.
    private func frame(_ pixelFormat: PixelFormat) -> (format: VideoFormat, bytes: [UInt8]) {
        let format = Source.video(pixelFormat, MovingPicture.width, MovingPicture.height)
        return (format, Source.picture(format, number: 0))
    }

    @Test(
        "Each kind of raw frame keeps its colours",
        arguments: [PixelFormat.yuyv, .uyvy, .nv12, .yuv420, PixelFormat("YV12")!, PixelFormat("422P")!],
        VideoCodec.predicted)
    func raw(pixelFormat: PixelFormat, codec: VideoCodec) throws {
        let scratch = try Scratch()
        let planes = Array(repeating: smooth(.yuv420), count: 3)
        let format = Source.video(pixelFormat, MovingPicture.width, MovingPicture.height)
        let frames = Array(repeating: smooth(pixelFormat), count: 3)
        try Recording.pictures(frames, format, to: scratch.path("a.mkv"), settings: settings(codec))
        let found = try MovingPicture.decoded(scratch.path("a.mkv"), scratch)
        #expect(MovingPicture.likeness(planes, found) > 36)
        let luma = MovingPicture.width * MovingPicture.height
        #expect(MovingPicture.likeness(planes, found, in: luma..<luma * 5 / 4) > 36, "Cb")
        #expect(MovingPicture.likeness(planes, found, in: luma * 5 / 4..<luma * 3 / 2) > 36, "Cr")
    }

    /// Slopes, whose chroma is the same in each block of 2 x 2.
    private func smooth(_ pixelFormat: PixelFormat) -> [UInt8] {
        let (width, height) = (MovingPicture.width, MovingPicture.height)
        func y(_ x: Int, _ y: Int) -> UInt8 { UInt8(40 + x / 2) }
        func cb(_ x: Int, _ y: Int) -> UInt8 { UInt8(80 + y / 4) }
        func cr(_ x: Int, _ y: Int) -> UInt8 { UInt8(200 - x / 4) }
        let luma = (0..<width * height).map { y($0 % width, $0 / width) }
        func plane(_ value: (Int, Int) -> UInt8, _ rows: Int) -> [UInt8] {
            (0..<rows).flatMap { row in (0..<width / 2).map { value(2 * $0, row * height / rows) } }
        }
        switch pixelFormat.description {
        case "YUYV", "UYVY":
            return (0..<height).flatMap { row in
                (0..<width / 2).flatMap { pair -> [UInt8] in
                    let (first, second, even) = (y(2 * pair, row), y(2 * pair + 1, row), row / 2 * 2)
                    let (blue, red) = (cb(2 * pair, even), cr(2 * pair, even))
                    return pixelFormat == .yuyv ? [first, blue, second, red] : [blue, first, red, second]
                }
            }
        case "NV12":
            let (blue, red) = (plane(cb, height / 2), plane(cr, height / 2))
            return luma + zip(blue, red).flatMap { [$0, $1] }
        case "YV12": return luma + plane(cr, height / 2) + plane(cb, height / 2)
        case "422P": return luma + plane(cb, height) + plane(cr, height)
        default: return luma + plane(cb, height / 2) + plane(cr, height / 2)
        }
    }

    @Test("A camera's JPEG is decoded, with its range and matrix stated", arguments: VideoCodec.predicted)
    func jpeg(codec: VideoCodec) throws {
        let scratch = try Scratch()
        for chroma in [MJPEGParameters.Chroma.asSource, .yuv420] {
            let (source, bytes) = frame(.yuyv)
            let images = MJPEGEncoder(format: source, parameters: MJPEGParameters(quality: 95, chroma: chroma))
            try images.begin()
            var packets = PacketBuffer()
            try images.encode(bytes.span.bytes, at: 0, into: &packets)
            let image = packets.withBytes(of: 0) { Array($0) }
            let format = Source.video(.mjpeg, MovingPicture.width, MovingPicture.height)
            let path = scratch.path("\(chroma.rawValue).mkv")
            try Recording.pictures(
                Array(repeating: image, count: 3), format, to: path, settings: settings(codec))
            try scratch.write(image, to: "a.jpg")
            // VP8 knows limited range alone; ffmpeg converts both to RGB by what the stream says.
            let expected = try rgb(scratch.path("a.jpg"), scratch)
            #expect(MovingPicture.likeness([expected], [try rgb(path, scratch)]) > 30)
        }
    }

    /// First frame in RGB.
    private func rgb(_ path: String, _ scratch: Scratch) throws -> [UInt8] {
        try Tool.output(
            "ffmpeg", ["-v", "error", "-i", path, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
            in: scratch)
    }

    @Test("RGB and grey become what they show", arguments: VideoCodec.predicted)
    func colours(codec: VideoCodec) throws {
        let scratch = try Scratch()
        for pixelFormat in [PixelFormat.rgb24, .grey] {
            let format = Source.video(pixelFormat, MovingPicture.width, MovingPicture.height)
            let bytes = (0..<format.width * format.height).flatMap { index -> [UInt8] in
                let (x, y) = (index % format.width, index / format.width)
                return pixelFormat == .grey ? [UInt8(x / 2 + 50)] : [UInt8(x / 2), UInt8(y), 128]
            }
            let path = scratch.path("\(pixelFormat).mkv")
            try Recording.pictures([bytes, bytes], format, to: path, settings: settings(codec))
            let expected = pixelFormat == .grey ? bytes.flatMap { [$0, $0, $0] } : bytes
            #expect(MovingPicture.likeness([expected], [try rgb(path, scratch)]) > 30, "\(pixelFormat)")
        }
    }

    @Test("An odd size keeps its last column and row", arguments: [VideoCodec.vp8, .vp9].filter(\.isAvailable))
    func odd(codec: VideoCodec) throws {
        let scratch = try Scratch()
        let format = Source.video(.yuv420, 65, 47)
        let frame = (0..<65 * 47).map { UInt8(40 + $0 % 65) } + [UInt8](repeating: 128, count: 2 * 33 * 24)
        try Recording.pictures([frame, frame], format, to: scratch.path("a.mkv"), settings: settings(codec))
        let found = try Tool.output(
            "ffmpeg", ["-v", "error", "-i", scratch.path("a.mkv"), "-frames:v", "1", "-f", "rawvideo", "-"], in: scratch
        )
        #expect(MovingPicture.likeness([frame], [found]) > 36)
    }

    @Test(
        "A broken image of a camera is left out, and one that lacks its end is completed",
        .enabled(if: VideoCodec.h264.isAvailable))
    func broken() throws {
        let (source, bytes) = frame(.yuyv)
        let image = try StillEncoder(source, as: .jpeg).encode(bytes.span.bytes)
        let format = Source.video(.mjpeg, MovingPicture.width, MovingPicture.height)
        let encoder = H264Encoder(format: format)
        try encoder.begin()
        var packets = PacketBuffer()
        for (number, frame) in [image, Array(image.prefix(image.count / 2)), Array(image.dropLast(2)), []].enumerated()
        {
            try encoder.encode(frame.span.bytes, at: Int64(number) * 40_000_000, into: &packets)
        }
        #expect(packets.count == 2 && encoder.counts.skipped == 2 && encoder.counts.repaired == 1)
    }
}
