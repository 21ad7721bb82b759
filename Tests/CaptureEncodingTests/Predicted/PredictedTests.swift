import CaptureBase
import ClipScenery
import Testing

@testable import CaptureEncoding

extension VideoCodec {
    /// Codecs of predicted frames that this build has.
    static var predicted: [VideoCodec] { [.h264, .vp8, .vp9, .av1].filter(\.isAvailable) }
}

@Suite("Frames that are predicted from one another")
struct PredictedTests {
    /// Key frames each 400 ms: every tenth.
    private let often = PredictionParameters(bitrate: 1_000_000, keyFrameInterval: .milliseconds(400))

    @Test(
        "ffmpeg decodes every frame, and finds it like the source, from the first key frame to the last",
        arguments: VideoCodec.predicted)
    func likeness(codec: VideoCodec) throws {
        let scratch = try Scratch()
        let source = MovingPicture(45)
        let clip = try source.record(codec, to: scratch.path("a.mkv"), often)
        #expect(clip.duration == .milliseconds(1800))
        let found = try MovingPicture.decoded(scratch.path("a.mkv"), scratch)
        #expect(found.count == 45)
        #expect(MovingPicture.likeness(source.frames, found) > 34)
        #expect(MovingPicture.likeness(Array(source.frames[35...]), Array(found[35...])) > 34)
    }

    @Test("Key frames come as often as asked for", arguments: VideoCodec.predicted)
    func keyFrames(codec: VideoCodec) throws {
        let scratch = try Scratch()
        try MovingPicture(45).record(codec, to: scratch.path("a.mkv"), often)
        #expect(try MovingPicture.keys(scratch.path("a.mkv"), scratch) == [0, 10, 20, 30, 40])
    }

    @Test("Key frames keep to time where frames are missing", arguments: [VideoCodec.h264, .vp8].filter(\.isAvailable))
    func uneven(codec: VideoCodec) throws {
        let source = MovingPicture(20)
        var settings = EncoderSettings()
        settings.videoCodec = codec
        settings.prediction = often
        let encoder = settings.encoder(for: Recording.track(source.format))
        try encoder.begin()
        var packets = PacketBuffer()
        for (number, frame) in source.frames.enumerated() {
            // Every other frame is missing, and each comes up to 7 ms early or late.
            let time = Int64(number) * 80_000_000 + (number % 2 == 0 ? 0 : 7_000_000)
            try encoder.encode(frame.span.bytes, at: time, into: &packets)
        }
        try encoder.finish(into: &packets)
        #expect((0..<packets.count).filter { packets.isKey($0) } == [0, 5, 10, 15])
    }

    @Test("The bitrate is kept to", arguments: VideoCodec.predicted, [300_000, 800_000])
    func bitrate(codec: VideoCodec, bitrate: Int) throws {
        let scratch = try Scratch()
        let parameters = PredictionParameters(bitrate: bitrate)
        let clip = try MovingPicture(100).record(codec, to: scratch.path("a.mkv"), parameters)
        let found = Double(clip.bytes) * 8 / 4
        #expect(found > 0.6 * Double(bitrate) && found < 1.35 * Double(bitrate), "\(found)")
    }

    @Test("Better quality takes more bytes and is more like the source", arguments: VideoCodec.predicted)
    func quality(codec: VideoCodec) throws {
        let scratch = try Scratch()
        let source = MovingPicture(15)
        var last: (bytes: Int64, likeness: Double) = (0, 0)
        // SVT-AV1's fast presets can't reach a higher similarity for such frames.
        for quality in codec == .av1 ? [20, 60] : [20, 60, 95] {
            let path = scratch.path("\(quality).mkv")
            let clip = try source.record(codec, to: path, PredictionParameters(quality: quality))
            let likeness = MovingPicture.likeness(source.frames, try MovingPicture.decoded(path, scratch))
            #expect(clip.bytes > last.bytes && likeness > last.likeness, "\(quality): \(clip.bytes), \(likeness)")
            last = (clip.bytes, likeness)
        }
        #expect(last.likeness > 38)
    }

    @Test("Settings out of range are refused with a remedy", arguments: VideoCodec.predicted)
    func refused(codec: VideoCodec) throws {
        let format = Source.video(.yuyv, 320, 240)
        for parameters in [
            PredictionParameters(bitrate: 9999), PredictionParameters(quality: 0), PredictionParameters(quality: 101),
            PredictionParameters(complexity: 11), PredictionParameters(keyFrameInterval: .milliseconds(99)),
            PredictionParameters(keyFrameInterval: .seconds(61)), PredictionParameters(bitrate: 10_000, quality: 50),
        ] {
            var settings = EncoderSettings()
            (settings.videoCodec, settings.prediction) = (codec, parameters)
            let error = try #require(throws: CaptureError.self) {
                try settings.encoder(for: Recording.track(format)).begin()
            }
            #expect(error.kind == .usage && !error.remedies.isEmpty, "\(parameters)")
        }
    }

    @Test(
        "Sizes and pixel formats that a codec can't hold are refused with a remedy",
        arguments: [
            (VideoCodec.h264, Source.video(.yuv420, 321, 240)), (.h264, Source.video(.yuv420, 14, 240)),
            (.h264, Source.video(.yuv420, 4098, 4098)), (.av1, Source.video(.yuv420, 62, 64)),
            (.vp8, Source.video(.yuv420, 16_384, 16)), (.vp9, Source.video(PixelFormat(rawValue: 0x1234_5678), 64, 64)),
        ].filter { $0.0.isAvailable })
    func unholdable(codec: VideoCodec, format: VideoFormat) throws {
        var settings = EncoderSettings()
        settings.videoCodec = codec
        let error = try #require(throws: CaptureError.self) {
            try settings.encoder(for: Recording.track(format)).begin()
        }
        #expect(error.kind == .usage && !error.remedies.isEmpty)
    }

    @Test("A frame that is short is left out and counted", arguments: VideoCodec.predicted)
    func short(codec: VideoCodec) throws {
        let source = MovingPicture(4)
        var settings = EncoderSettings()
        settings.videoCodec = codec
        let encoder = settings.encoder(for: Recording.track(source.format))
        try encoder.begin()
        var packets = PacketBuffer()
        for (number, frame) in source.frames.enumerated() {
            let bytes = number == 1 ? Array(frame.dropLast()) : frame
            try encoder.encode(bytes.span.bytes, at: Int64(number) * 40_000_000, into: &packets)
        }
        try encoder.finish(into: &packets)
        #expect(packets.count == 3 && encoder.counts.skipped == 1 && encoder.counts.frames == 3)
        #expect(encoder.counts.packets == 3)
    }

    @Test(
        "H.264 has its parameter sets in the head alone, and they are those of every key frame",
        .enabled(if: VideoCodec.h264.isAvailable))
    func parameterSets() throws {
        let source = MovingPicture(45)
        let encoder = H264Encoder(format: source.format, parameters: often)
        try encoder.begin()
        let head = encoder.description.privateBytes
        // Version 1, High profile, lengths of four bytes, one sequence parameter set.
        #expect(head[0] == 1 && head[1] == 100 && head[4] == 0xFF && head[5] == 0xE1)
        var packets = PacketBuffer()
        for (number, frame) in source.frames.enumerated() {
            try encoder.encode(frame.span.bytes, at: Int64(number) * 40_000_000, into: &packets)
        }
        // The shim compares the parameter sets of each key frame with those of the head; any other is an error.
        #expect(packets.count == 45 && encoder.description.privateBytes == head)
        for index in 0..<packets.count {
            let units = packets.withBytes(of: index) { UnitCodec.units(behindLengths: Array($0)) }
            #expect(units.reduce(0) { $0 + 4 + $1.count } == packets.byteCount(of: index))
            // 5 is a slice of a key frame, 1 of another.
            #expect(units.allSatisfy { $0.first! & 31 == (packets.isKey(index) ? 5 : 1) })
        }
    }
}
