import CaptureBase
import CaptureEncoding
import ClipScenery
import Testing

@Suite("A full disk")
struct DiskFullTests {
    @Test("WAV ends with its last whole frames, which sox reads without a fault")
    func wav() async {
        await #expect(processExitsWith: .success) {
            let scratch = try Scratch()
            let format = AudioFormat(sampleRate: 8000, channels: 2, sampleFormat: .s24Packed)
            let full = try FullDisk.record(
                to: scratch.path("a.wav"), bytes: 10_001, tracks: [Recording.track(format)]
            ) { try $0.write(audio: Source.sound(format, frames: 80).span.bytes, at: Int64($1) * 10_000_000) }
            #expect(full.failure.kind == .diskFull)
            #expect(full.rounds == 24 && full.clip.end == .diskFull && scratch.names == ["a.wav"])
            #expect(full.clip.duration == .nanoseconds(200_000_000))
            #expect(full.clip.ledger.tracks[0].frames == 1600 && full.clip.ledger.tracks[0].asked == 1600)
            #expect(full.clip.ledger.tracks[0].lastNanoseconds == 199_875_000)
            let judged = try Tool.run("sox", [scratch.path("a.wav"), "-n", "stat"], in: scratch)
            #expect(judged.errors.contains("Samples read:              3200"), "\(judged.errors)")
        }
    }

    @Test("FLAC ends with its last whole block, which flac finds no fault in")
    func flac() async {
        await #expect(processExitsWith: .success) {
            let scratch = try Scratch()
            let format = AudioFormat(sampleRate: 8000, channels: 1, sampleFormat: .s16)
            let full = try FullDisk.record(
                to: scratch.path("a.flac"), bytes: 50_001, tracks: [Recording.track(format)], claimed: 10
            ) { try $0.write(audio: Source.sound(format, frames: 80).span.bytes, at: Int64($1) * 10_000_000) }
            #expect(full.failure.kind == .diskFull && scratch.names == ["a.flac"])
            let judged = try Tool.run("flac", ["-ts", scratch.path("a.flac")], in: scratch)
            #expect(judged.status == 0, "\(judged.errors)")
            let samples = try Tool.text("metaflac", ["--show-total-samples", scratch.path("a.flac")], in: scratch)
            #expect(Int64(samples.dropLast()).map { $0 * 125_000 } == full.clip.duration.exactNanoseconds)
            // More than was reported: the last write was refused, but half of it is there.
            #expect(UInt64(samples.dropLast()) == full.clip.ledger.tracks[0].frames)
        }
    }

    @Test("Ogg Opus ends with its last whole page, marked as the stream's last")
    func opus() async {
        await #expect(processExitsWith: .success) {
            let scratch = try Scratch()
            let format = AudioFormat(sampleRate: 48_000, channels: 1, sampleFormat: .s16)
            let period = Source.tones(format, frames: 4800)
            let full = try FullDisk.record(
                to: scratch.path("a.opus"), bytes: 30_001, tracks: [Recording.track(format)]
            ) { try $0.write(audio: period.span.bytes, at: Int64($1) * 100_000_000) }
            #expect(full.failure.kind == .diskFull && scratch.names == ["a.opus"])
            let judged = try Tool.run("opusinfo", [scratch.path("a.opus")], in: scratch)
            #expect(judged.status == 0 && !(judged.text + judged.errors).contains("WARNING"), "\(judged.text)")
            let bytes = try Scratch.read(scratch.path("a.opus"))
            let last = try #require(bytes.indices.last { bytes[$0...].starts(with: Array("OggS".utf8)) })
            #expect(bytes[last + 5] & 4 == 4)
            let decoded = try Tool.run(
                "ffmpeg", ["-v", "error", "-i", scratch.path("a.opus"), "-f", "s16le", "-"], in: scratch)
            #expect(decoded.errors.isEmpty, "\(decoded.errors)")
            #expect(Int64(decoded.output.count / 2) * 1_000_000_000 / 48_000 <= full.clip.duration.exactNanoseconds)
            #expect(full.clip.ledger.tracks[0].frames == UInt64(decoded.output.count / 2))
        }
    }

    @Test("Y4M ends with its last whole picture")
    func y4m() async {
        await #expect(processExitsWith: .success) {
            let scratch = try Scratch()
            let format = Source.video(.grey)
            let full = try FullDisk.record(
                to: scratch.path("a.y4m"), bytes: 20_000, tracks: [Recording.track(format)]
            ) { try $0.write(video: Source.picture(format).span.bytes, at: Recording.time($1, format)) }
            #expect(full.failure.kind == .diskFull && full.rounds == 6)
            let decoded = try Tool.run(
                "ffmpeg", ["-v", "warning", "-i", scratch.path("a.y4m"), "-f", "rawvideo", "-"], in: scratch)
            #expect(decoded.output.count == 6 * 64 * 48 && decoded.errors.isEmpty)
            #expect(full.clip.ledger.tracks[0].frames == 6)
        }
    }

    @Test(
        "Matroska ends with its last whole cluster, its length and duration right", arguments: [AudioCodec.pcm, .flac])
    func matroska(codec: AudioCodec) async {
        await #expect(processExitsWith: .success) { [codec = codec.rawValue as String] in
            let scratch = try Scratch()
            let format = AudioFormat(sampleRate: 8000, channels: 1, sampleFormat: .s16)
            var settings = EncoderSettings()
            settings.audioCodec = try #require(AudioCodec(rawValue: codec))
            let full = try FullDisk.record(
                to: scratch.path("a.mka"), bytes: 70_001, tracks: [Recording.track(format)], settings: settings
            ) { try $0.write(audio: Source.sound(format, frames: 80).span.bytes, at: Int64($1) * 10_000_000) }
            #expect(full.failure.kind == .diskFull && scratch.names == ["a.mka"])
            let info = try Tool.run("mkvinfo", ["-v", scratch.path("a.mka")], in: scratch)
            #expect(info.status == 0 && !info.text.contains("unknown"), "\(info.text)")
            let decoded = try Tool.run(
                "ffmpeg", ["-v", "error", "-i", scratch.path("a.mka"), "-f", "s16le", "-"], in: scratch)
            #expect(decoded.errors.isEmpty, "\(decoded.errors)")
            #expect(Int64(decoded.output.count / 2) * 125_000 == full.clip.duration.exactNanoseconds)
            #expect(full.clip.ledger.tracks[0].frames == UInt64(decoded.output.count / 2))
        }
    }

    @Test(
        "MP4 ends with its last whole fragment, and has an index of it in the room kept for that",
        arguments: [AudioCodec.opus, .flac])
    func mp4(codec: AudioCodec) async {
        await #expect(processExitsWith: .success) { [codec = codec.rawValue as String] in
            let scratch = try Scratch()
            let format = AudioFormat(sampleRate: 8000, channels: 1, sampleFormat: .s16)
            var settings = EncoderSettings()
            settings.audioCodec = try #require(AudioCodec(rawValue: codec))
            let full = try FullDisk.record(
                to: scratch.path("a.m4a"), bytes: 100_001, tracks: [Recording.track(format)], settings: settings
            ) { try $0.write(audio: Source.sound(format, frames: 80).span.bytes, at: Int64($1) * 10_000_000) }
            #expect(full.failure.kind == .diskFull && scratch.names == ["a.m4a"])
            let layout = MP4Layout(try Scratch.read(scratch.path("a.m4a")))
            #expect(layout.types == ["ftyp", "free", "moov", "free", "mdat"])
            let decoded = try Tool.run(
                "ffmpeg", ["-v", "error", "-i", scratch.path("a.m4a"), "-f", "s16le", "-"], in: scratch)
            #expect(decoded.errors.isEmpty, "\(decoded.errors)")
            // Opus decodes at 48 kHz.
            let frames = decoded.output.count / 2 / (codec == "opus" ? 6 : 1)
            #expect(abs(Int64(frames) - Int64(full.clip.ledger.tracks[0].frames)) <= 1)
            #expect(Int64(frames) * 125_000 <= full.clip.duration.exactNanoseconds)
        }
    }

    @Test("A recovery whose last second, or index, finds no room says so, and leaves all as it was")
    func recovery() async {
        await #expect(processExitsWith: .success) {
            let scratch = try Scratch()
            let interrupted = try Interrupted.pictureAndSound.bytes(scratch).interrupted
            try scratch.write(interrupted, to: "a.mkv.partial")
            let source = scratch.path("a.mkv.partial")
            _ = try ClipRecovery(of: source, to: scratch.path("b.mkv")).run(removingSource: false)
            let whole = try Scratch.read(scratch.path("b.mkv"))
            let names = scratch.names
            let last = try #require(whole.places(of: [0x1F, 0x43, 0xB6, 0x75]).last)
            for limit in [last + 100, whole.count - 1] {
                let error = #expect(throws: CaptureError.self) {
                    try FullDisk.during(bytes: limit) { _ = try ClipRecovery(of: source).run() }
                }
                #expect(error?.kind == .diskFull)
                #expect(scratch.names == names)
                #expect(try Scratch.read(source) == interrupted)
            }
        }
    }

    @Test("A disk that is full from the start leaves nothing, and says so")
    func fromTheStart() async {
        await #expect(processExitsWith: .success) {
            let scratch = try Scratch()
            let format = Source.video(.yuyv)
            // Too small for a head, and for an image after it.
            for (name, bytes) in [
                ("a.mkv", 10), ("a.mkv", 2000), ("a.mp4", 10), ("a.mp4", 40_000), ("a.y4m", 10), ("a.y4m", 2000),
            ] {
                let error = try #require(throws: CaptureError.self) {
                    _ = try FullDisk.record(to: scratch.path(name), bytes: bytes, tracks: [Recording.track(format)]) {
                        try $0.write(video: Source.picture(format).span.bytes, at: Recording.time($1, format))
                    }
                }
                #expect(error.kind == .diskFull)
                #expect(scratch.names.isEmpty, "\(scratch.names)")
            }
        }
    }
}
