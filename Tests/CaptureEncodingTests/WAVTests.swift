import CaptureBase
import ClipScenery
import Testing

@testable import CaptureEncoding

@Suite("WAV files")
struct WAVTests {
    @Test(
        "ffmpeg reads the samples that went in, bit by bit", arguments: Recording.sampleFormats, Recording.channelCounts
    )
    func roundTrip(sampleFormat: SampleFormat, channels: Int) throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 48000, channels: channels, sampleFormat: sampleFormat)
        let sound = Source.sound(format, frames: 4801)
        let clip = try Recording.sound(sound, format, to: scratch.path("a.wav"))
        #expect(clip.duration == .nanoseconds(100_020_833))
        let judged = try Tool.run(
            "ffmpeg", ["-v", "error", "-i", scratch.path("a.wav"), "-c", "copy", "-f", sampleFormat.rawName, "-"],
            in: scratch)
        #expect(judged.output == Source.stored(sound, sampleFormat) && judged.errors.isEmpty, "\(judged.errors)")
    }

    @Test(
        "sox reads the integer samples that went in, bit by bit",
        arguments: Recording.sampleFormats.filter { $0 != .float32 }, Recording.channelCounts)
    func soxRoundTrip(sampleFormat: SampleFormat, channels: Int) throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 48000, channels: channels, sampleFormat: sampleFormat)
        let sound = Source.sound(format, frames: 481)
        try Recording.sound(sound, format, to: scratch.path("a.wav"))
        let raw = scratch.path("a.raw")
        let judged = try Tool.run("sox", ["-D", scratch.path("a.wav"), raw], in: scratch)
        #expect(judged.status == 0 && judged.errors.isEmpty, "\(judged.errors)")
        #expect(try Scratch.read(raw) == Source.stored(sound, sampleFormat))
    }

    @Test("ffprobe finds the format and no fault", arguments: Recording.sampleFormats)
    func probed(sampleFormat: SampleFormat) throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 44100, channels: 2, sampleFormat: sampleFormat)
        try Recording.sound(Source.sound(format, frames: 44100), format, to: scratch.path("a.wav"))
        let found = try Tool.run(
            "ffprobe",
            [
                "-v", "warning", "-show_entries", "stream=codec_name,sample_rate,channels,duration_ts", "-of",
                "csv=p=0", scratch.path("a.wav"),
            ], in: scratch)
        let codec = [
            SampleFormat.s16: "pcm_s16le", .s24: "pcm_s24le", .s24Packed: "pcm_s24le", .s32: "pcm_s32le",
            .float32: "pcm_f32le",
        ]
        #expect(found.text == "\(codec[sampleFormat] ?? ""),44100,2,44100\n")
        #expect(found.errors.isEmpty)
    }

    @Test(
        "sox and ffprobe find no fault in any head, and the number of samples",
        arguments: Recording.sampleFormats, [1, 2, 6, 8])
    func heads(sampleFormat: SampleFormat, channels: Int) throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 48000, channels: channels, sampleFormat: sampleFormat)
        try Recording.sound(Source.sound(format, frames: 1201), format, to: scratch.path("a.wav"))
        let sox = try Tool.run("sox", ["--i", scratch.path("a.wav")], in: scratch)
        #expect(sox.status == 0 && sox.errors.isEmpty, "\(sox.errors)")
        #expect(sox.text.contains("Channels       : \(channels)\n") && sox.text.contains(" = 1201 samples"))
        let found = try Tool.run(
            "ffprobe",
            [
                "-v", "warning", "-show_entries", "stream=channels,duration_ts", "-of", "csv=p=0",
                scratch.path("a.wav"),
            ], in: scratch)
        #expect(found.text == "\(channels),1201\n" && found.errors.isEmpty, "\(found.errors)")
    }

    @Test("Floating point has WAVEFORMATEX and the number of its samples, past 4 GiB too", arguments: [1, 2, 6, 8])
    func floats(channels: Int) throws {
        let format = AudioFormat(sampleRate: 48000, channels: channels, sampleFormat: .float32)
        let stream = try WAVStream(Recording.track(format))
        let fact = stream.head.count - 20
        for frames: Int64 in [0, 1201, 1 << 31, 0xFFFF_FFFE, 1 << 33] {
            stream.setTotals(StreamTotals(frames: frames, bytes: frames * Int64(4 * channels)))
            #expect(stream.head[48..<58].elementsEqual("fmt ".utf8 + [18, 0, 0, 0, 3, 0] as [UInt8]))
            #expect(stream.head[70..<78].elementsEqual([32, 0, 0, 0] + "fact".utf8 as [UInt8]))
            #expect(stream.head[fact..<fact + 8].elementsEqual("fact".utf8 + [4, 0, 0, 0] as [UInt8]))
            #expect(Self.number(stream.head[(fact + 8)...].prefix(4)) == min(frames, 0xFFFF_FFFF))
            #expect(Self.number(stream.head[36...].prefix(8)) == (frames >= 1 << 31 ? frames : 0))
        }
    }

    /// The number that bytes are, the lowest first.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
        bytes.reversed().reduce(0) { $0 << 8 | Int64($1) }
    }

    /// Heads of floating point as versions before wrote them: 16 bytes of description, or the extensible form.
    private static func oldHead(_ format: AudioFormat) throws -> [UInt8] {
        let now = try WAVStream(Recording.track(format)).head
        var description = Array(now[56..<72])
        if format.channels > 2 {
            description[0...1] = [0xFE, 0xFF]
            description += [22, 0, 32, 0, 0, 0, 0, 0, 3, 0, 0, 0]
            description += [0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71]
        }
        return Array(now[..<52]) + [UInt8(description.count), 0, 0, 0] + description + Array(now[74...])
    }

    @Test("An interrupted file with a head of another form is recovered, and gets today's", arguments: [1, 2, 6, 8])
    func oldHeads(channels: Int) throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 48000, channels: channels, sampleFormat: .float32)
        let sound = Source.sound(format, frames: 1201)
        let old = try Self.oldHead(format)
        let now = try WAVStream(Recording.track(format)).head
        for head in [old, now] {
            let read = try #require(WAVHeader(head + sound))
            #expect(read.format == format && read.dataAt == head.count && read.saidBytes == nil)
        }
        try scratch.write(old + sound, to: "a.wav.partial")
        let report = try ClipRecovery(of: scratch.path("a.wav.partial")).run()
        #expect(report.isComplete && report.duration.exactNanoseconds == format.nanoseconds(ofFrames: 1201))
        try Recording.sound(sound, format, to: scratch.path("b.wav"))
        let isAsRecorded = try Scratch.read(report.path) == Scratch.read(scratch.path("b.wav"))
        #expect(isAsRecorded)
    }

    @Test("Python's wave module, which knows no extensible head, reads two channels")
    func plain() throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 16000, channels: 2, sampleFormat: .s24)
        try Recording.sound(Source.sound(format, frames: 160), format, to: scratch.path("a.wav"))
        let script =
            "import sys,wave; w=wave.open(sys.argv[1]); print(w.getnchannels(), w.getsampwidth(), w.getnframes())"
        #expect(try Tool.text("python3", ["-c", script, scratch.path("a.wav")], in: scratch) == "2 3 160\n")
    }

    @Test("The head is right whenever a quarter of a second is written, so a killed recording is whole until then")
    func killed() throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 8000, channels: 1, sampleFormat: .s24Packed)
        let output = try ClipOutput(opening: .file(path: scratch.path("a.wav")))
        let writer = try ClipFormat.wav.writer(on: output, tracks: [Recording.track(format)])
        for period in 0..<61 {
            let sound = Source.sound(format, frames: 81, from: 81 * period)
            try writer.write(audio: sound.span.bytes, at: Int64(81 * period) * 125_000)
            guard period > 0, period.isMultiple(of: 30) else { continue }
            try scratch.write(Scratch.read(scratch.path("a.wav.partial")), to: "killed\(period).wav")
            let killed = scratch.path("killed\(period).wav")
            let frames = try #require(Int(Tool.text("soxi", ["-s", killed], in: scratch).dropLast()))
            #expect((81 * (period + 1) - 2000...81 * (period + 1)).contains(frames))
        }
        writer.discard()
    }

    @Test("Past 4 GiB the head is RF64, which ffprobe measures right")
    func long() throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 48000, channels: 2, sampleFormat: .s32)
        let stream = try WAVStream(Recording.track(format))
        let frames: Int64 = 48000 * 15000
        stream.setTotals(StreamTotals(frames: frames, bytes: frames * 8))
        #expect(Array(stream.head[0..<4]) == Array("RF64".utf8))
        try scratch.write(stream.head, to: "a.wav")
        let size = "\(Int64(stream.head.count) + frames * 8)"
        _ = try Tool.output("truncate", ["-s", size, scratch.path("a.wav")], in: scratch)
        let found = try Tool.run(
            "ffprobe",
            ["-v", "warning", "-show_entries", "stream=duration_ts", "-of", "csv=p=0", scratch.path("a.wav")],
            in: scratch)
        #expect(found.text == "\(frames)\n" && found.errors.isEmpty)
        stream.setTotals(StreamTotals(frames: 1, bytes: 8))
        #expect(Array(stream.head[0..<4]) == Array("RIFF".utf8) && Array(stream.head[12..<16]) == Array("JUNK".utf8))
    }

    @Test("A pipe gets a head without an end, which sox reads to its end")
    func pipe() throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 8000, channels: 2, sampleFormat: .s16)
        let sound = Source.sound(format, frames: 800)
        let bytes = try Pipe.write(.wav, [Recording.track(format)]) { try $0.write(audio: sound.span.bytes, at: 0) }
        try scratch.write(bytes, to: "piped.wav")
        let decoded = try Tool.output(
            "sox", ["--ignore-length", scratch.path("piped.wav"), "-t", "raw", "-"], in: scratch)
        #expect(decoded == sound)
    }

    @Test("Half frames and impossible formats are usage errors")
    func refused() throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 8000, channels: 2, sampleFormat: .s16)
        let writer = try ClipFormat.wav.writer(
            on: ClipOutput(opening: .file(path: scratch.path("a.wav"))), tracks: [Recording.track(format)])
        let error = try #require(throws: CaptureError.self) {
            try writer.write(audio: ([1, 2, 3] as [UInt8]).span.bytes, at: 0)
        }
        #expect(error.kind == .usage)
        #expect(throws: CaptureError.self) { try writer.write(video: [1].span.bytes, at: 0) }
        writer.discard()
        let none = AudioFormat(sampleRate: 0, channels: 0, sampleFormat: .s16)
        #expect(throws: CaptureError.self) {
            _ = try ClipFormat.wav.writer(
                on: ClipOutput(opening: .file(path: scratch.path("b.wav"))), tracks: [Recording.track(none)])
        }
    }
}
