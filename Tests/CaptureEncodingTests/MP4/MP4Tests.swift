import CaptureBase
import ClipScenery
import Testing

@testable import CaptureEncoding

@Suite("MP4 files")
struct MP4Tests {
    private let video = Source.video(.yuyv, rate: 25)
    private let audio = AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .s16)

    private func fill(_ writer: any ClipWriter, seconds: Int) throws {
        for frame in 0..<25 * seconds {
            let time = Int64(frame) * 40_000_000
            try writer.write(video: Source.picture(video, number: frame % 20).span.bytes, at: time)
            try writer.write(audio: Source.sound(audio, frames: 1920, from: 1920 * frame).span.bytes, at: time)
        }
    }

    /// Codecs whose packets are known byte by byte.
    private static var lossless: EncoderSettings {
        var settings = EncoderSettings()
        settings.videoCodec = .mjpeg
        settings.audioCodec = .flac
        return settings
    }

    private func record(
        _ path: String, seconds: Int, settings: EncoderSettings = Self.lossless,
        ledger: LossLedger = Recording.ledger
    ) throws -> Clip {
        let writer = try ClipFormat.mp4.writer(
            on: ClipOutput(opening: .file(path: path)), tracks: [Recording.track(video), Recording.track(audio)],
            labels: ClipLabels(title: "A \"title\"", extra: ["GRANT": "17"]), settings: settings)
        try fill(writer, seconds: seconds)
        return try writer.finish(ledger: ledger, end: .complete)
    }

    private func pictures(at times: [Int64], to path: String, until end: Int64 = 0) throws -> Clip {
        let writer = try ClipFormat.mp4.writer(
            on: ClipOutput(opening: .file(path: path)), tracks: [Recording.track(video)], settings: Self.lossless)
        for time in times { try writer.write(video: Source.picture(video).span.bytes, at: time) }
        writer.extend(to: end)
        return try writer.finish(ledger: Recording.ledger, end: .complete)
    }

    @Test("ffprobe finds the frames, the durations and the names", arguments: [AudioCodec.flac, .opus])
    func probed(codec: AudioCodec) throws {
        let scratch = try Scratch()
        var settings = Self.lossless
        settings.audioCodec = codec
        let path = scratch.path("a.mp4")
        let clip = try record(path, seconds: 3, settings: settings)
        #expect(clip.duration == .nanoseconds(3_000_000_000) && clip.format == .mp4)
        let streams = try MP4Judge.probe(
            "stream=codec_name,nb_read_frames,r_frame_rate,avg_frame_rate,duration:stream_tags=handler_name", path,
            scratch)
        for line in [
            "codec_name=mjpeg", "r_frame_rate=25/1", "avg_frame_rate=25/1", "nb_read_frames=75",
            "TAG:handler_name=Test camera", "TAG:handler_name=Test microphone", "codec_name=" + codec.rawValue,
        ] { #expect(streams.contains(line), "\(line) is not in \(streams)") }
        #expect(streams.filter { $0 == "duration=3.000000" }.count == 2)
        #expect(try MP4Judge.probe("format=duration", path, scratch) == ["duration=3.000000"])
        #expect(try MP4Judge.fault(path, scratch) == nil)
        let images = try MP4Judge.packets("video_0", path, scratch).places(of: [0xFF, 0xD8, 0xFF])
        #expect(images.count == 75)
    }

    @Test("Sound comes back bit by bit from FLAC, and all of it from Opus", arguments: [AudioCodec.flac, .opus])
    func sound(codec: AudioCodec) throws {
        let scratch = try Scratch()
        var settings = Self.lossless
        settings.audioCodec = codec
        _ = try record(scratch.path("a.mp4"), seconds: 3, settings: settings)
        let heard = try Tool.output(
            "ffmpeg", ["-v", "error", "-i", scratch.path("a.mp4"), "-map", "0:a", "-f", "s16le", "-"], in: scratch)
        // ffmpeg plays the last packet of Opus to its end, although its sample is shorter: 960 samples at most.
        let (bytes, most) = (3 * 48_000 * 4, codec == .opus ? 960 * 4 : 0)
        #expect((bytes...bytes + most).contains(heard.count), "\(heard.count)")
        let isSame = codec == .opus || heard == Source.sound(audio, frames: 3 * 48_000)
        #expect(isSame)
    }

    @Test("A finished file has its index ahead, and one without room for it has it at the end", arguments: [0, 65_536])
    func index(room: Int) throws {
        let scratch = try Scratch()
        let path = scratch.path("a.mp4")
        let prepared = try PreparedTrack.video(FrameRate(unchecked: 30, 1), frames: 60, keyInterval: 30, in: scratch)
        let made = try MP4Track(number: 1, track: prepared.track, encoder: prepared.encoder)
        let writer = MP4Writer(
            output: try ClipOutput(opening: .file(path: path)), tracks: [made], labels: ClipLabels(), startedAt: 0,
            room: max(room, MP4Head.leastRoom))
        for frame in 0..<60 {
            try writer.write(video: [UInt8](repeating: 0, count: 1).span.bytes, at: Int64(frame) * 33_333_333)
        }
        let growing = try Scratch.read(path + ".partial")
        #expect(MP4Layout(growing).types.prefix(5) == ["ftyp", "free", "moov", "moof", "mdat"])
        _ = try writer.finish(ledger: Recording.ledger, end: .complete)
        let whole = try Scratch.read(path)
        #expect(MP4Layout(whole).isWhole(whole))
        let types = MP4Layout(whole).types
        #expect(
            types == (room == 0 ? ["ftyp", "free", "free", "mdat", "moov"] : ["ftyp", "free", "moov", "free", "mdat"]))
        #expect(try MP4Judge.fault(path, scratch) == nil)
        #expect(try MP4Judge.probe("stream=nb_read_frames", path, scratch) == ["nb_read_frames=60"])
    }

    @Test("Title, grant, end and ledger are tags, and losses chapters")
    func tags() throws {
        let scratch = try Scratch()
        var ledger = Recording.ledger
        ledger.tracks.insert(TrackLedger(kind: .video, name: "Test camera", device: "cam-1"), at: 0)
        ledger.tracks[1].marks = [LossEvent(atNanoseconds: 500_000_000, frames: 1)]
        _ = try record(scratch.path("a.mp4"), seconds: 1, ledger: ledger)
        let tags = try MP4Judge.probe("format_tags", scratch.path("a.mp4"), scratch)
        for tag in [
            "TAG:title=A \"title\"", "TAG:GRANT=17", "TAG:END_REASON=complete", "TAG:encoder=CaptureGate",
            "TAG:LOSS_LEDGER=" + ledger.json,
        ] { #expect(tags.contains(tag), "\(tag) is not in \(tags)") }
        let chapters = try Tool.text(
            "ffprobe", ["-v", "error", "-show_chapters", "-of", "default=nw=1", scratch.path("a.mp4")], in: scratch)
        #expect(chapters.contains("start_time=0.500000"), "\(chapters)")
        #expect(chapters.contains("TAG:title=1 sample lost: Test microphone"), "\(chapters)")
    }

    @Test("A clip whose last pictures were lost lasts as long as it was said to")
    func extended() throws {
        let scratch = try Scratch()
        let path = scratch.path("a.mp4")
        let clip = try pictures(at: [0, 40_000_000, 80_000_000], to: path, until: 2_000_000_000)
        #expect(clip.duration == .nanoseconds(2_000_000_000))
        #expect(try MP4Judge.probe("format=duration", path, scratch).contains("duration=2.000000"))
        #expect(try MP4Judge.packets("duration", path, scratch, stream: "v") == [3600, 3600, 172_800])
    }

    @Test("Times that stand still or go back are made to rise by a tick, and pauses are kept")
    func times() throws {
        let scratch = try Scratch()
        let path = scratch.path("a.mp4")
        let clip = try pictures(at: [-5, 0, 0, 40_000_000, 20_000_000, 80_000_000, 70_000_000_000], to: path)
        #expect(clip.duration == .nanoseconds(70_040_000_000))
        #expect(
            try MP4Judge.packets("pts", path, scratch, stream: "v") == [0, 1, 2, 3600, 3601, 7200, 6_300_000])
    }

    @Test("A pipe gets a movie of fragments that plays")
    func pipe() throws {
        let scratch = try Scratch()
        let bytes = try Pipe.write(
            .mp4, [Recording.track(video), Recording.track(audio)], settings: Self.lossless
        ) { try fill($0, seconds: 2) }
        try scratch.write(bytes, to: "piped.mp4")
        #expect(MP4Layout(bytes).types.starts(with: ["ftyp", "moov", "moof", "mdat", "moof", "mdat"]))
        #expect(MP4Layout(bytes).isWhole(bytes))
        let frames = try MP4Judge.probe("stream=nb_read_frames", scratch.path("piped.mp4"), scratch, stream: "v")
        #expect(frames == ["nb_read_frames=50"])
        #expect(try MP4Judge.fault(scratch.path("piped.mp4"), scratch) == nil)
    }

    @Test("A clip without a frame is a whole file too")
    func empty() throws {
        let scratch = try Scratch()
        let path = scratch.path("a.m4a")
        let writer = try ClipFormat.mp4.writer(
            on: ClipOutput(opening: .file(path: path)), tracks: [Recording.track(audio)], settings: Self.lossless)
        #expect(try writer.finish(ledger: LossLedger(), end: .deviceGone).duration == .zero)
        #expect(try MP4Judge.probe("stream=codec_name", path, scratch) == ["codec_name=flac"])
    }

    @Test("What MP4 does not hold is refused with what to do, and leaves no file")
    func refused() throws {
        let scratch = try Scratch()
        var settings = Self.lossless
        settings.audioCodec = .pcm
        settings.videoCodec = .raw
        for track in [Recording.track(audio), Recording.track(video)] {
            let error = try #require(throws: CaptureError.self) {
                try ClipFormat.mp4.writer(
                    on: ClipOutput(opening: .file(path: scratch.path("a.mp4"))), tracks: [track], settings: settings)
            }
            #expect(error.kind == .usage && error.remedies.first?.text.contains(".mkv") == true)
            #expect(scratch.names.isEmpty)
        }
    }
}
