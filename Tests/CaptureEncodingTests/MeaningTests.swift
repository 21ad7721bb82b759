import CaptureBase
import ClipScenery
import Testing

@testable import CaptureEncoding

@Suite("what files say of their pictures")
struct MeaningTests {
    private static let matrices: [(Colorimetry.Matrix, String)] = [
        (.bt601, "smpte170m"), (.bt709, "bt709"), (.bt2020, "bt2020nc"), (.bt2020Constant, "bt2020c"),
        (.smpte240M, "smpte240m"),
    ]

    private func probed(_ file: String, _ entries: String, in scratch: Scratch) throws -> String {
        try Tool.text(
            "ffprobe", ["-v", "error", "-show_entries", "stream=\(entries)", "-of", "csv=p=0", scratch.path(file)],
            in: scratch)
    }

    private func store(
        _ video: VideoFormat, as name: String, _ codec: VideoCodec = .raw, in scratch: Scratch
    ) throws {
        var settings = EncoderSettings()
        settings.videoCodec = codec
        let writer = try (name.hasSuffix("y4m") ? ClipFormat.y4m : .matroska).writer(
            on: ClipOutput(opening: .file(path: scratch.path(name))), tracks: [Recording.track(video)],
            settings: settings)
        try writer.write(video: Source.picture(video).span.bytes, at: 0)
        _ = try writer.finish(ledger: LossLedger(), end: .complete)
    }

    @Test("ffprobe finds matrix, range, curve and primaries of raw pictures", arguments: matrices)
    func raw(_ matrix: Colorimetry.Matrix, _ name: String) throws {
        let scratch = try Scratch()
        var video = Source.video(.yuyv)
        video.colorimetry = Colorimetry(primaries: .bt2020, transfer: .pq, matrix: matrix, range: .full)
        try store(video, as: "a.mkv", in: scratch)
        let entries = "color_range,color_space,color_transfer,color_primaries"
        #expect(try probed("a.mkv", entries, in: scratch) == "pc,\(name),smpte2084,bt2020\n")
        video.colorimetry.range = .limited
        video.colorimetry.primaries = .smpte170M
        video.colorimetry.transfer = .bt709
        try store(video, as: "b.mkv", in: scratch)
        #expect(try probed("b.mkv", entries, in: scratch) == "tv,\(name),bt709,smpte170m\n")
    }

    @Test("JPEG in Matroska is of BT.601 and all values, whatever the camera's pictures were")
    func jpeg() throws {
        let scratch = try Scratch()
        var video = Source.video(.yuyv)
        video.colorimetry = Colorimetry(primaries: .bt709, transfer: .bt709, matrix: .bt709, range: .limited)
        try store(video, as: "a.mkv", .mjpeg, in: scratch)
        let found = try Tool.text("mkvinfo", [scratch.path("a.mkv")], in: scratch)
        #expect(found.contains("Color matrix coefficients: 6") || found.contains("matrix coefficients: 6"), "\(found)")
        #expect(found.contains("range: 2"), "\(found)")
    }

    @Test(
        "the order of fields and the shape of pixels are said",
        arguments: [(FieldOrder.topFirst, "tt"), (.bottomFirst, "bb"), (.progressive, "progressive")])
    func fields(_ order: FieldOrder, _ name: String) throws {
        let scratch = try Scratch()
        var video = Source.video(.yuyv, 720, 576)
        video.fieldOrder = order
        video.pixelAspect = PixelAspect(59, 54)
        for file in ["a.mkv", "a.y4m"] {
            try store(video, as: file, in: scratch)
            #expect(try probed(file, "sample_aspect_ratio,field_order", in: scratch) == "59:54,\(name)\n")
        }
        video.pixelAspect = PixelAspect(1, 1)
        try store(video, as: "b.mkv", in: scratch)
        #expect(try probed("b.mkv", "sample_aspect_ratio", in: scratch) == "1:1\n")
    }

    @Test("Y4M says the range; that of RGB is limited", arguments: [PixelFormat.yuyv, .rgb24, .grey])
    func y4m(_ pixelFormat: PixelFormat) throws {
        let scratch = try Scratch()
        var video = Source.video(pixelFormat)
        for (range, own) in [(Colorimetry.Range.limited, "tv"), (.full, "pc")] {
            video.colorimetry.range = range
            try store(video, as: "\(own).y4m", in: scratch)
            let expected = pixelFormat == .rgb24 ? "tv" : own
            #expect(try probed("\(own).y4m", "color_range", in: scratch) == "\(expected)\n")
        }
    }

    @Test("a recovered file says the same")
    func recovered() throws {
        var video = Source.video(.yuyv, 64, 48)
        video.colorimetry = Colorimetry(primaries: .bt2020, transfer: .pq, matrix: .bt2020, range: .full)
        video.fieldOrder = .bottomFirst
        video.pixelAspect = PixelAspect(10, 11)
        let encoder = RawVideoEncoder(format: video)
        let entry = MatroskaTrack(number: 1, track: Recording.track(video), encoder: encoder).entry
        let content = try #require(MatroskaChildren(entry[...]).map { $0 }.first).1
        let again = try #require(MatroskaTrack(recovering: content, devices: [:])?.track.video)
        #expect(again.colorimetry == video.colorimetry)
        #expect(again.fieldOrder == .bottomFirst && again.pixelAspect == video.pixelAspect)
        let rebuilt = try #require(MatroskaTrack(recovering: content, devices: [:]))
        #expect(rebuilt.entry == entry)
    }
}
