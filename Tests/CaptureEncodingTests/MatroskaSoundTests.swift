import CaptureBase
import CaptureEncoding
import ClipScenery
import Testing

@Suite("Matroska sound")
struct MatroskaSoundTests {
    private static let integers = SampleFormat.allCases.filter { $0 != .float32 }

    @Test(
        "ffmpeg reads PCM that equals what went in, bit by bit", arguments: Recording.sampleFormats,
        Recording.channelCounts)
    func pcm(sampleFormat: SampleFormat, channels: Int) throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 48000, channels: channels, sampleFormat: sampleFormat)
        let sound = Source.sound(format, frames: 24001)
        var settings = EncoderSettings()
        settings.audioCodec = .pcm
        let clip = try Recording.sound(sound, format, to: scratch.path("a.mka"), settings: settings)
        let judged = try Tool.run(
            "ffmpeg", ["-v", "error", "-i", scratch.path("a.mka"), "-c", "copy", "-f", sampleFormat.rawName, "-"],
            in: scratch)
        #expect(judged.output == Source.stored(sound, sampleFormat) && judged.errors.isEmpty, "\(judged.errors)")
        #expect(clip.duration == .nanoseconds(500_020_833))
    }

    @Test(
        "Sound is FLAC where nothing is said and FLAC can hold it, else PCM",
        arguments: [
            (SampleFormat.s16, 2, "flac"), (.s32, 8, "flac"), (.float32, 2, "pcm_f32le"), (.s16, 9, "pcm_s16le"),
        ])
    func automatic(sampleFormat: SampleFormat, channels: Int, codec: String) throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 48000, channels: channels, sampleFormat: sampleFormat)
        try Recording.sound(Source.sound(format, frames: 4801), format, to: scratch.path("a.mka"))
        let found = try Tool.text(
            "ffprobe", ["-v", "error", "-show_entries", "stream=codec_name", "-of", "csv=p=0", scratch.path("a.mka")],
            in: scratch)
        #expect(found == codec + "\n")
    }

    @Test("The FLAC inside is whole and equals what went in, bit by bit", arguments: integers, Recording.channelCounts)
    func flac(sampleFormat: SampleFormat, channels: Int) throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 44100, channels: channels, sampleFormat: sampleFormat)
        let sound = Source.sound(format, frames: 24001)
        var settings = EncoderSettings()
        settings.audioCodec = .flac
        try Recording.sound(sound, format, to: scratch.path("a.mkv"), settings: settings)
        _ = try Tool.output(
            "mkvextract", [scratch.path("a.mkv"), "tracks", "0:" + scratch.path("a.flac")], in: scratch)
        let tested = try Tool.run("flac", ["-t", "-w", scratch.path("a.flac")], in: scratch)
        #expect(tested.status == 0 && !tested.errors.contains("WARNING"), "\(tested.errors)")
        let decoded = try Tool.output(
            "flac", ["-dcs", "--force-raw-format", "--endian=little", "--sign=signed", scratch.path("a.flac")],
            in: scratch)
        #expect(decoded == Source.stored(sound, sampleFormat))
    }

    @Test("ffprobe finds the times of periods exact to the tick of 31.25 µs", arguments: [8000, 44100, 48000, 192_000])
    func times(rate: Int) throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: rate, channels: 1, sampleFormat: .s16)
        var settings = EncoderSettings()
        settings.audioCodec = .pcm
        let writer = try ClipFormat.matroska.writer(
            on: ClipOutput(opening: .file(path: scratch.path("a.mka"))), tracks: [Recording.track(format)],
            settings: settings)
        let starts = (0..<200).map { Recording.time($0 * 441, format) }
        for start in starts { try writer.write(audio: Source.sound(format, frames: 441).span.bytes, at: start) }
        _ = try writer.finish(ledger: LossLedger(), end: .complete)
        let found = try Tool.text(
            "ffprobe", ["-v", "error", "-show_entries", "packet=pts", "-of", "csv=p=0", scratch.path("a.mka")],
            in: scratch)
        let expected = starts.map { "\(($0 + 15_625) / 31_250)" }
        #expect(found.split(whereSeparator: { $0 == "\n" || $0 == "," }).map(String.init) == expected)
    }

    @Test("A FLAC block has the time of its first sample, also when the device's clock runs fast")
    func blockTimes() throws {
        let format = AudioFormat(sampleRate: 48000, channels: 1, sampleFormat: .s16)
        let encoder = FLACEncoder(format: format)
        try encoder.begin()
        var packets = PacketBuffer()
        // 480 frames every 9.99 ms.
        for period in 0..<100 {
            let sound = Source.sound(format, frames: 480, from: 480 * period)
            try encoder.encode(sound.span.bytes, at: Int64(period) * 9_990_000, into: &packets)
        }
        try encoder.finish(into: &packets)
        #expect(packets.count == 11 && encoder.counts.frames == 48000)
        for index in 0..<packets.count {
            let exact = Double(index * 4608) / 480 * 9_990_000
            #expect(abs(Double(packets.time(of: index)) - exact) < 100_000)
        }
        #expect(packets.duration(of: 0) == 96_000_000 && packets.duration(of: 10) == 40_000_000)
    }
}
