import CaptureBase
import CaptureEncoding
import ClipScenery
import Testing

@Suite("Opus")
struct OpusTests {
    private func record(
        _ format: AudioFormat, frames: Int, to path: String, _ parameters: OpusParameters = OpusParameters()
    ) throws -> Clip {
        var settings = EncoderSettings()
        settings.audioCodec = .opus
        settings.opus = parameters
        return try Recording.sound(Source.tones(format, frames: frames), format, to: path, settings: settings)
    }

    /// What ffmpeg decodes of it, as numbers.
    private func decoded(_ path: String, _ scratch: Scratch, _ options: [String] = []) throws -> [Float] {
        let found = try Tool.run("ffmpeg", ["-v", "error"] + options + ["-i", path, "-f", "f32le", "-"], in: scratch)
        #expect(found.status == 0 && found.errors.isEmpty, "\(found.errors)")
        return found.output.withUnsafeBytes { bytes in
            (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
        }
    }

    @Test(
        "The file is as long as the recording to the sample, and no judge finds a fault",
        arguments: [8000, 11025, 16000, 22050, 44100, 48000], [1, 2])
    func lengths(rate: Int, channels: Int) throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: rate, channels: channels, sampleFormat: .s16)
        let frames = rate * 3 / 5 + 7
        let clip = try record(format, frames: frames, to: scratch.path("a.opus"))
        #expect(abs(clip.duration.exactNanoseconds - Recording.time(frames, format)) < 130_000)
        let info = try Tool.run("opusinfo", [scratch.path("a.opus")], in: scratch)
        #expect(info.status == 0 && !info.text.contains("WARNING"), "\(info.text)\(info.errors)")
        #expect(info.text.contains("Original sample rate: \(rate) Hz"), "\(info.text)")
        let played = try decoded(scratch.path("a.opus"), scratch).count / channels
        #expect(abs(Double(played) - Double(frames) * 48_000 / Double(rate)) <= 1)
    }

    @Test(
        "What comes out is what went in, and none of it late",
        arguments: [(SampleFormat.s16, 48000), (.s24Packed, 48000), (.s24, 48000), (.s32, 24000), (.float32, 44100)])
    func likeness(sampleFormat: SampleFormat, rate: Int) throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: rate, channels: 2, sampleFormat: sampleFormat)
        let parameters = OpusParameters(bitrate: 256_000)
        _ = try record(format, frames: rate, to: scratch.path("a.opus"), parameters)
        let found = try decoded(scratch.path("a.opus"), scratch)
        var (signal, noise) = (0.0, 0.0)
        for frame in 2000..<46_000 {
            for channel in 0..<2 {
                let expected = Source.tone(Double(frame) / 48_000, channel: channel)
                signal += expected * expected
                noise +=
                    (expected - Double(found[2 * frame + channel])) * (expected - Double(found[2 * frame + channel]))
            }
        }
        // One sample late would leave 23 dB.
        #expect(signal / noise > 1000, "\(signal / noise)")
    }

    @Test("Every packet length and every mode is whole", arguments: OpusParameters.FrameDuration.allCases)
    func packets(duration: OpusParameters.FrameDuration) throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 48000, channels: 2, sampleFormat: .s16)
        for (application, mode) in zip(OpusParameters.Application.allCases, OpusParameters.BitrateMode.allCases) {
            let name = scratch.path("\(application.rawValue)-\(mode.rawValue).opus")
            let parameters = OpusParameters(
                bitrate: 96_000, mode: mode, complexity: 3, application: application, frameDuration: duration)
            _ = try record(format, frames: 12_001, to: name, parameters)
            let info = try Tool.run("opusinfo", [name], in: scratch)
            #expect(info.status == 0 && !info.text.contains("WARNING"), "\(info.text)")
            #expect(try decoded(name, scratch).count == 24_002)
        }
    }

    @Test("Channels that stand for no loudspeaker are kept apart", arguments: [3, 8])
    func manyChannels(channels: Int) throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 48000, channels: channels, sampleFormat: .s16)
        _ = try record(format, frames: 48_000, to: scratch.path("a.opus"))
        let found = try decoded(scratch.path("a.opus"), scratch, ["-guess_layout_max", "0"])
        #expect(found.count == 48_000 * channels)
        for channel in 0..<channels {
            let product = (4800..<43_200).reduce(0.0) {
                $0 + Source.tone(Double($1) / 48_000, channel: channel) * Double(found[$1 * channels + channel])
            }
            #expect(product / 38_400 > 0.1, "channel \(channel)")
        }
    }

    @Test("Ogg and Matroska hold the same sound, as long to the sample", arguments: [48000, 44100, 16000])
    func matroska(rate: Int) throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: rate, channels: 2, sampleFormat: .s16)
        _ = try record(format, frames: rate * 3 / 2 + 11, to: scratch.path("a.opus"))
        let clip = try record(format, frames: rate * 3 / 2 + 11, to: scratch.path("a.mka"))
        #expect(try decoded(scratch.path("a.mka"), scratch) == decoded(scratch.path("a.opus"), scratch))
        let found = try Tool.text(
            "ffprobe",
            [
                "-v", "warning", "-show_entries", "stream=codec_name,sample_rate,start_pts:format=duration", "-of",
                "default=nw=1", scratch.path("a.mka"),
            ], in: scratch)
        #expect(found.contains("codec_name=opus\nsample_rate=48000\n"), "\(found)")
        let seconds = Double(clip.duration.exactNanoseconds) / 1e9
        #expect(
            abs((Double(found.split(separator: "=").last?.dropLast() ?? "") ?? 0) - seconds) < 0.000_002, "\(found)")
    }

    @Test("mkvinfo finds Opus' delay, its run-up, and what is not to be played")
    func matroskaElements() throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 48000, channels: 1, sampleFormat: .s16)
        _ = try record(format, frames: 48_000, to: scratch.path("a.mka"))
        let info = try Tool.run("mkvinfo", ["-v", "-v", "-v", scratch.path("a.mka")], in: scratch)
        #expect(info.status == 0 && info.errors.isEmpty)
        // 312 samples; 80 ms; 51 packets of 20 ms less 48,312 samples.
        for line in [
            "Codec-inherent delay: 00:00:00.006500000", "Seek pre-roll: 00:00:00.080000000",
            "Discard padding: 13500000",
        ] { #expect(info.text.contains(line), "\(line) is not in \(info.text)") }
        let merged = try Tool.run("mkvmerge", ["-o", scratch.path("b.mka"), scratch.path("a.mka")], in: scratch)
        #expect(merged.status == 0, "\(merged.text)")
    }

    @Test("opusinfo finds title and device")
    func labels() throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 48000, channels: 1, sampleFormat: .s16)
        _ = try record(format, frames: 480, to: scratch.path("a.ogg"))
        let info = try Tool.text("opusinfo", [scratch.path("a.ogg")], in: scratch)
        #expect(info.contains("TITLE=Test") && info.contains("DEVICE=Test microphone"), "\(info)")
    }

    @Test("A recording without a sample, and one of a single sample, are whole", arguments: [0, 1])
    func hardlyAny(frames: Int) throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 48000, channels: 2, sampleFormat: .s16)
        let writer = try ClipFormat.opus.writer(
            on: ClipOutput(opening: .file(path: scratch.path("a.opus"))), tracks: [Recording.track(format)])
        try writer.write(audio: Source.tones(format, frames: frames).span.bytes, at: 0)
        _ = try writer.finish(ledger: LossLedger(), end: .complete)
        let info = try Tool.run("opusinfo", [scratch.path("a.opus")], in: scratch)
        #expect(info.status == 0 && !info.text.contains("WARNING"), "\(info.text)")
        let played = try Tool.output(
            "ffmpeg", ["-v", "quiet", "-i", scratch.path("a.opus"), "-f", "s16le", "-"], in: scratch)
        #expect(played.count == 4 * frames)
    }

    @Test("A killed recording plays up to half a second before its end, and a pipe gets a whole stream")
    func killed() throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 48000, channels: 1, sampleFormat: .s16)
        let writer = try ClipFormat.opus.writer(
            on: ClipOutput(opening: .file(path: scratch.path("a.opus"))), tracks: [Recording.track(format)])
        try writer.write(audio: Source.tones(format, frames: 120_000).span.bytes, at: 0)
        try scratch.write(Scratch.read(scratch.path("a.opus.partial")), to: "b.opus")
        writer.discard()
        #expect(try decoded(scratch.path("b.opus"), scratch).count >= 120_000 - 24_000 - 960)
        let piped = try Pipe.write(.opus, [Recording.track(format)]) {
            try $0.write(audio: Source.tones(format, frames: 48_000).span.bytes, at: 0)
        }
        try scratch.write(piped, to: "piped.opus")
        #expect(try decoded(scratch.path("piped.opus"), scratch).count == 48_000)
    }

    @Test("What Opus can't do is a usage error that says what it can")
    func refused() throws {
        let cases: [(Int, Int, OpusParameters)] = [
            (96_000, 2, OpusParameters()), (48_000, 2, OpusParameters(complexity: 11)),
            (48_000, 2, OpusParameters(bitrate: 11_999)), (48_000, 1, OpusParameters(bitrate: 510_001)),
            (48_000, 256, OpusParameters()), (0, 2, OpusParameters()),
        ]
        for (rate, channels, parameters) in cases {
            let format = AudioFormat(sampleRate: rate, channels: channels, sampleFormat: .s16)
            let error = try #require(throws: CaptureError.self) {
                try OpusEncoder(format: format, parameters: parameters).begin()
            }
            #expect(error.kind == .usage && !error.remedies.isEmpty)
        }
    }
}
