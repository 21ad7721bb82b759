import CaptureBase
import CaptureEncoding
import ClipScenery
import Testing

@Suite("Files of a camera's own stream")
struct CameraStreamFileTests {
    private let sound = AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .s16)

    /// A writer of two cameras and a microphone, with this number of frames; the second camera's first key frame comes late.
    private func write(_ footage: CameraFootage, to path: String, frames: Int) throws -> any ClipWriter {
        let tracks = [Recording.track(footage.format), Recording.track(footage.format), Recording.track(sound)]
        let writer = try ClipFormat(for: .file(path: path)).writer(
            on: ClipOutput(opening: .file(path: path)), tracks: tracks)
        for number in 0..<frames {
            let time = Int64(number) * 40_000_000
            let first = footage.frames[number]
            try writer.write(first.span.bytes, to: 0, at: time)
            let second = footage.frames[number + 5]
            try writer.write(second.span.bytes, to: 1, at: time)
            let period = Source.sound(sound, frames: 1920, from: 1920 * number)
            try writer.write(period.span.bytes, to: 2, at: time)
        }
        return writer
    }

    private func streams(_ path: String, _ scratch: Scratch) throws -> String {
        try Tool.text(
            "ffprobe",
            [
                "-v", "error", "-count_packets", "-show_entries", "stream=codec_name,nb_read_packets,start_time", "-of",
                "csv=p=0", path,
            ], in: scratch)
    }

    @Test(
        "The header waits for each camera's parameter sets, and nothing that came before is lost",
        arguments: PixelFormat.streams, ["mkv", "mp4"])
    func late(pixels: PixelFormat, ending: String) throws {
        let scratch = try Scratch()
        let footage = try CameraFootage(pixels, 45, scratch)
        let path = scratch.path("a.\(ending)")
        let writer = try write(footage, to: path, frames: 40)
        #expect(writer.counts(of: 0).skipped == 0 && writer.counts(of: 1).skipped == 5)
        _ = try writer.finish(ledger: LossLedger(), end: .complete)
        let found = try streams(path, scratch).split(separator: "\n")
        let name = pixels == .h264 ? "h264" : "hevc"
        #expect(found.count == 3 && found[0].hasPrefix(name) && found[0].hasSuffix(",40"), "\(found)")
        #expect(found[1].hasPrefix(name) && found[1].contains("0.200") && found[1].hasSuffix(",35"), "\(found)")
        for track in 0..<2 {
            let decoded = try Tool.run(
                "ffmpeg", ["-v", "error", "-i", path, "-map", "0:v:\(track)", "-f", "null", "-"], in: scratch)
            #expect(decoded.status == 0 && decoded.errors.isEmpty)
        }
        let heard = try Tool.output("ffmpeg", ["-v", "error", "-i", path, "-f", "s16le", "-"], in: scratch)
        if ending == "mkv" { #expect(heard == Source.sound(sound, frames: 76_800)) }
    }

    @Test(
        "A recording that was killed is recovered with its parameter sets and its key frames",
        arguments: PixelFormat.streams, ["mkv", "mp4"])
    func recovered(pixels: PixelFormat, ending: String) throws {
        let scratch = try Scratch()
        let footage = try CameraFootage(pixels, 100, scratch)
        let writer = try write(footage, to: scratch.path("a.\(ending)"), frames: 90)
        let partial = try Scratch.read(scratch.path("a.\(ending).partial"))
        writer.discard()
        try scratch.write(partial, to: "b.\(ending).partial")
        let report = try ClipRecovery(of: scratch.path("b.\(ending).partial")).run()
        #expect(report.isComplete, "\(report.losses)")
        let found = try CameraFootage.pictures(report.path, scratch)
        let served = try footage.pictures(scratch)
        #expect(found.count > 60 && Array(served.prefix(found.count)) == found)
        #expect(try MovingPicture.keys(report.path, scratch).prefix(6) == [0, 10, 20, 30, 40, 50])
        // Torn in a packet, it ends with the one before.
        try scratch.write(Array(partial.dropLast(1000)), to: "c.\(ending).partial")
        let torn = try ClipRecovery(of: scratch.path("c.\(ending).partial")).run()
        let left = try CameraFootage.pictures(torn.path, scratch)
        #expect(left.count > 30 && left == Array(found.prefix(left.count)))
    }

    @Test("A stream without a single key frame leaves a file of the others")
    func never() throws {
        let scratch = try Scratch()
        let footage = try CameraFootage(.h264, 12, scratch)
        let path = scratch.path("a.mkv")
        let writer = try ClipFormat.matroska.writer(
            on: ClipOutput(opening: .file(path: path)),
            tracks: [Recording.track(footage.format), Recording.track(sound)])
        for number in 1..<10 {
            let frame = footage.frames[number]
            try writer.write(frame.span.bytes, to: 0, at: Int64(number) * 40_000_000)
            let period = Source.sound(sound, frames: 1920, from: 1920 * number)
            try writer.write(period.span.bytes, to: 1, at: Int64(number) * 40_000_000)
        }
        #expect(writer.counts(of: 0).skipped == 9)
        _ = try writer.finish(ledger: LossLedger(), end: .complete)
        let heard = try Tool.output("ffmpeg", ["-v", "error", "-i", path, "-f", "s16le", "-"], in: scratch)
        #expect(heard == Source.sound(sound, frames: 9 * 1920, from: 1920))
    }
}
