import CaptureBase
import ClipScenery
import Testing

@testable import CaptureEncoding

@Suite("WebM files", .enabled(if: VideoCodec.vp8.isAvailable))
struct WebMTests {
    private let audio = AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .s16)
    private let source = MovingPicture(60)

    /// Records video and audio, up to `count` frames.
    private func writer(_ path: String, _ settings: EncoderSettings = EncoderSettings()) throws -> any ClipWriter {
        let writer = try ClipFormat(for: .file(path: path)).writer(
            on: ClipOutput(opening: .file(path: path)),
            tracks: [Recording.track(source.format), Recording.track(audio)],
            settings: settings)
        let sound = Source.tones(audio, frames: 1920)
        for (number, frame) in source.frames.enumerated() {
            let time = Int64(number) * 40_000_000
            try writer.write(frame.span.bytes, to: 0, at: time)
            try writer.write(sound.span.bytes, to: 1, at: time)
        }
        return writer
    }

    private var often: EncoderSettings {
        var settings = EncoderSettings()
        settings.prediction.keyFrameInterval = .milliseconds(400)
        return settings
    }

    @Test("A clip is VP8 and Opus, of the type that browsers look for")
    func codecs() throws {
        let scratch = try Scratch()
        _ = try writer(scratch.path("a.webm")).finish(ledger: Recording.ledger, end: .complete)
        #expect(try Scratch.read(scratch.path("a.webm")).prefix(64).contains(Array("webm".utf8)))
        let found = try Tool.text(
            "ffprobe",
            ["-v", "warning", "-show_entries", "stream=codec_name", "-of", "csv=p=0", scratch.path("a.webm")],
            in: scratch)
        #expect(found == "vp8\nopus\n")
        #expect(try MovingPicture.decoded(scratch.path("a.webm"), scratch).count == 60)
    }

    @Test("The judge of Matroska finds no fault", arguments: [VideoCodec.vp8, .vp9, .av1].filter(\.isAvailable))
    func judged(codec: VideoCodec) throws {
        let scratch = try Scratch()
        var settings = often
        settings.videoCodec = codec
        _ = try writer(scratch.path("a.webm"), settings).finish(ledger: Recording.ledger, end: .complete)
        // Each run has its own home: runs that share MediaConch's database lock one another out.
        let judge = ["HOME=\(scratch.path("home"))", "mediaconch", "-fs", scratch.path("a.webm")]
        let report = try Tool.text("env", judge, in: scratch)
        #expect(report.hasPrefix("pass"), "\(report)")
        let info = try Tool.run("mkvinfo", ["-v", scratch.path("a.webm")], in: scratch)
        #expect(info.status == 0 && !info.text.contains("unknown"), "\(info.text)")
    }

    @Test("Codecs that browsers do not play are refused with a remedy")
    func refused() throws {
        let scratch = try Scratch()
        var (picture, sound) = (EncoderSettings(), EncoderSettings())
        picture.videoCodec = .mjpeg
        sound.audioCodec = .flac
        for settings in [picture, sound] {
            let error = try #require(throws: CaptureError.self) { try writer(scratch.path("a.webm"), settings) }
            #expect(error.kind == .usage && !error.remedies.isEmpty)
        }
        #expect(scratch.names.isEmpty)
    }

    @Test("Each key frame begins a cluster, which the index has")
    func clusters() throws {
        let scratch = try Scratch()
        _ = try writer(scratch.path("a.webm"), often).finish(ledger: Recording.ledger, end: .complete)
        let bytes = try Scratch.read(scratch.path("a.webm"))
        let cues = try #require(bytes.places(of: MatroskaID.cues.bytes).last)
        let element = try #require(MatroskaElement(bytes[cues...], at: Int64(cues)))
        let points = MatroskaChildren(bytes[Int(element.contentAt)..<Int(element.end ?? 0)])
        #expect(points.reduce(0) { count, _ in count + 1 } == 6)
        // Cluster, length of eight bytes, Timestamp of ten; then the first block is a key frame of track 1.
        let clusters = bytes.places(of: MatroskaID.cluster.bytes + [0x01]).filter { bytes[$0 + 12] == 0xE7 }
        let starts = clusters.filter { start in
            let block = bytes[(start + 22)...]
            guard let first = MatroskaElement(block, at: Int64(start + 22)) else { return false }
            return bytes[Int(first.contentAt)] == 0x81 && bytes[Int(first.contentAt) + 3] & 0x80 != 0
        }
        #expect(starts.count == 6)
    }

    @Test("A clip that was interrupted is recovered with its key frames, and stays WebM")
    func recovered() throws {
        let scratch = try Scratch()
        let writer = try writer(scratch.path("a.webm"), often)
        let bytes = try Scratch.read(scratch.path("a.webm.partial"))
        writer.discard()
        // The last cluster is torn.
        try scratch.write(Array(bytes.dropLast(1000)), to: "a.webm.partial")
        let report = try ClipRecovery(of: scratch.path("a.webm.partial")).run()
        #expect(report.format == .webm && report.tracks[0].frames >= 40)
        let found = try MovingPicture.decoded(scratch.path("a.webm"), scratch)
        #expect(found.count == Int(report.tracks[0].frames))
        #expect(MovingPicture.likeness(source.frames, found) > 30)
        let keys = try MovingPicture.keys(scratch.path("a.webm"), scratch)
        #expect(keys == Array(stride(from: 0, to: found.count, by: 10)))
    }

    @Test("Frames that are predicted from damaged ones are left out, up to the next key frame")
    func damaged() throws {
        let scratch = try Scratch()
        let writer = try writer(scratch.path("a.webm"), often)
        var bytes = try Scratch.read(scratch.path("a.webm.partial"))
        writer.discard()
        // The third cluster, from its first block on.
        let clusters = bytes.places(of: MatroskaID.cluster.bytes + [0x01]).filter { bytes[$0 + 12] == 0xE7 }
        for index in clusters[2] + 30..<clusters[2] + 2000 { bytes[index] = 0xFF }
        try scratch.write(bytes, to: "a.webm.partial")
        let report = try ClipRecovery(of: scratch.path("a.webm.partial")).run()
        #expect(!report.isComplete)
        let found = try MovingPicture.decoded(scratch.path("a.webm"), scratch)
        #expect(found.count == Int(report.tracks[0].frames) && found.count < 60 && found.count >= 30)
    }
}
