import CaptureGate
import ClipScenery
import Testing

@testable import CaptureRecording

@Suite("The greatest size")
struct SizeLimitTests {
    private let sound = AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .s16)

    /// Writes until there is no more room.
    /// - Returns: frames that found room.
    private func fill(_ writer: any ClipWriter, _ write: (Int) throws -> Int) -> (frames: Int, error: CaptureError?) {
        var frames = 0
        for turn in 0..<100_000 {
            do {
                frames += try write(turn)
            } catch {
                return (frames, error as? CaptureError)
            }
        }
        return (frames, nil)
    }

    private func writer(_ path: String, _ track: ClipTrack, most: Int64) throws -> any ClipWriter {
        try RecordingTarget(.file(path: path), maxBytes: most).writer([track], ClipLabels(), EncoderSettings())
    }

    @Test("sound ends at or below it, whole, with every sample that was taken", arguments: ["wav", "flac", "mka"])
    func lossless(ending: String) throws {
        let scratch = try Scratch()
        let path = scratch.path("a.\(ending)")
        let writer = try writer(path, Recording.track(sound), most: 500_000)
        let (frames, error) = fill(writer) { turn in
            let bytes = Source.sound(sound, frames: 4800, from: 4800 * turn)
            try writer.write(bytes.span.bytes, to: 0, at: Recording.time(4800 * turn, sound))
            return 4800
        }
        #expect(error == .sizeReached)
        let clip = try writer.finish(ledger: LossLedger(), end: .maxSize)
        #expect(clip.bytes <= 500_000 && clip.bytes > 400_000)
        #expect(try Scratch.read(path).count == Int(clip.bytes))
        let heard = try Tool.output("ffmpeg", ["-v", "error", "-i", path, "-f", "s16le", "-"], in: scratch)
        #expect(heard == Source.sound(sound, frames: frames))
    }

    @Test("Opus ends at or below it, too")
    func opus() throws {
        let scratch = try Scratch()
        let writer = try writer(scratch.path("a.opus"), Recording.track(sound), most: 200_000)
        let tones = Source.tones(sound, frames: 48_000)
        let (frames, error) = fill(writer) { turn in
            let start = turn % 10 * 4800 * 4
            let period = Array(tones[start..<start + 4800 * 4])
            try writer.write(period.span.bytes, to: 0, at: Recording.time(4800 * turn, sound))
            return 4800
        }
        #expect(error == .sizeReached)
        let clip = try writer.finish(ledger: LossLedger(), end: .maxSize)
        #expect(clip.bytes <= 200_000 && clip.bytes > 60_000)
        let path = scratch.path("a.opus")
        let heard = try Tool.output("ffmpeg", ["-v", "error", "-i", path, "-f", "s16le", "-"], in: scratch)
        #expect(heard.count == frames * 4)
    }

    @Test("pictures end at or below it, each one whole", arguments: ["mkv", "mjpeg", "y4m"])
    func pictures(ending: String) throws {
        let scratch = try Scratch()
        let video = Source.video(.yuyv, 160, 120)
        let path = scratch.path("a.\(ending)")
        let writer = try writer(path, Recording.track(video), most: 300_000)
        let (frames, error) = fill(writer) { turn in
            let picture = Source.picture(video, number: turn % 40)
            try writer.write(picture.span.bytes, to: 0, at: Recording.time(turn, video))
            return 1
        }
        #expect(error == .sizeReached && frames > 2)
        let clip = try writer.finish(ledger: LossLedger(), end: .maxSize)
        #expect(clip.bytes <= 300_000 && clip.bytes > 200_000)
        let probe = ["-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", path]
        let count = try Tool.text("ffprobe", probe, in: scratch)
        #expect(count.split(separator: "\n").first == "\(frames)")
    }

    @Test("a picture that is larger than all before can't pass it either")
    func surprise() throws {
        let scratch = try Scratch()
        let video = Source.video(.yuyv, 640, 480)
        let path = scratch.path("a.mkv")
        let writer = try writer(path, Recording.track(video), most: 300_000)
        let flat = [UInt8](repeating: 128, count: 640 * 480 * 2)
        let noise = (0..<UInt32(flat.count)).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) }
        let (_, error) = fill(writer) { turn in
            let picture = turn < 20 ? flat : noise
            try writer.write(picture.span.bytes, to: 0, at: Recording.time(turn, video))
            return 1
        }
        #expect(error == .sizeReached)
        let clip = try writer.finish(ledger: LossLedger(), end: .maxSize)
        #expect(clip.bytes <= 300_000)
        #expect(try Scratch.read(path).count <= 300_000)
        #expect(try Tool.run("ffmpeg", ["-v", "error", "-i", path, "-f", "null", "-"], in: scratch).errors.isEmpty)
    }

    @Test("less than 100,000 bytes is refused")
    func least() throws {
        let scratch = try Scratch()
        let error = try #require(throws: CaptureError.self) {
            _ = try RecordingTarget(.file(path: scratch.path("a.wav")), maxBytes: 99_999)
        }
        #expect(error.kind == .usage)
        #expect(scratch.names.isEmpty)
    }
}
