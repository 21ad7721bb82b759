import CaptureBase
import ClipScenery
import Testing

@testable import CaptureEncoding

@Suite("FLAC files")
struct FLACTests {
    private static let integers = SampleFormat.allCases.filter { $0 != .float32 }

    @Test("flac decodes the samples that went in, bit by bit", arguments: integers, Recording.channelCounts)
    func roundTrip(sampleFormat: SampleFormat, channels: Int) throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 48000, channels: channels, sampleFormat: sampleFormat)
        let sound = Source.sound(format, frames: 9601)
        let clip = try Recording.sound(sound, format, to: scratch.path("a.flac"))
        let tested = try Tool.run("flac", ["-t", "-w", scratch.path("a.flac")], in: scratch)
        #expect(tested.status == 0 && !tested.errors.contains("WARNING"), "\(tested.errors)")
        let decoded = try Tool.output(
            "flac", ["-dcs", "--force-raw-format", "--endian=little", "--sign=signed", scratch.path("a.flac")],
            in: scratch)
        #expect(decoded == Source.stored(sound, sampleFormat))
        #expect(clip.duration == .nanoseconds(200_020_833))
    }

    @Test("metaflac finds length and labels")
    func labels() throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 44100, channels: 2, sampleFormat: .s16)
        try Recording.sound(Source.sound(format, frames: 44100), format, to: scratch.path("a.flac"))
        let found = try Tool.text(
            "metaflac", ["--show-total-samples", "--show-tag=TITLE", "--show-tag=DEVICE", scratch.path("a.flac")],
            in: scratch)
        #expect(found == "44100\nTITLE=Test\nDEVICE=Test microphone\n")
    }

    @Test(
        "Every level and odd rate is whole", arguments: [(0, 8000), (8, 96000), (5, 11025), (3, 192_000), (5, 65_537)])
    func levels(level: Int, rate: Int) throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: rate, channels: 1, sampleFormat: .s16)
        var settings = EncoderSettings()
        settings.flacLevel = level
        try Recording.sound(Source.sound(format, frames: 10000), format, to: scratch.path("a.flac"), settings: settings)
        #expect(try Tool.run("flac", ["-ts", "-w", scratch.path("a.flac")], in: scratch).status == 0)
    }

    @Test("A killed recording decodes up to its last block")
    func killed() throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 48000, channels: 2, sampleFormat: .s16)
        let writer = try ClipFormat.flac.writer(
            on: ClipOutput(opening: .file(path: scratch.path("a.flac"))), tracks: [Recording.track(format)])
        let sound = Source.sound(format, frames: 48000)
        try writer.write(audio: sound.span.bytes, at: 0)
        let decoded = try Tool.output(
            "flac", ["-dcs", "--force-raw-format", "--endian=little", "--sign=signed", scratch.path("a.flac.partial")],
            in: scratch)
        writer.discard()
        #expect(decoded.count >= (48000 - 2 * 4608) * 4 && sound.starts(with: decoded))
    }

    @Test("A pipe gets a whole stream")
    func pipe() throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 48000, channels: 1, sampleFormat: .s32)
        let sound = Source.sound(format, frames: 5000)
        let bytes = try Pipe.write(.flac, [Recording.track(format)]) { try $0.write(audio: sound.span.bytes, at: 0) }
        try scratch.write(bytes, to: "piped.flac")
        #expect(try Tool.run("flac", ["-ts", scratch.path("piped.flac")], in: scratch).status == 0)
    }

    @Test(
        "A count of samples that its 36 bits can't hold is not known, and changes nothing beside it",
        arguments: [(1, 1), ((1 << 36) - 1, (1 << 36) - 1), (1 << 36, 0), (.max, 0)] as [(Int64, Int64)])
    func endless(samples: Int64, said: Int64) throws {
        let format = AudioFormat(sampleRate: 48000, channels: 2, sampleFormat: .s16)
        let stream = try FLACStream(
            Recording.track(format), labels: ClipLabels(), settings: EncoderSettings())
        let before = stream.head
        stream.setTotals(StreamTotals(frames: samples, isComplete: false))
        let info = try #require(FLACStreamInfo(before[8..<42]))
        let bytes = info.bytes(samples: samples, smallestBlock: 16, largestBlock: 4096, frameSizes: 0...0)
        for field in [stream.head[18..<26], bytes[10..<18]] {
            let value = field.reduce(0) { $0 << 8 | Int64($1) }
            #expect(value & 0xF_FFFF_FFFF == said)
            #expect(value >> 36 == before[18..<26].reduce(0) { $0 << 8 | Int64($1) } >> 36)
        }
    }

    @Test("What FLAC can't hold is a usage error that says what can")
    func refused() throws {
        let scratch = try Scratch()
        for (sampleFormat, channels, level) in [(SampleFormat.float32, 2, 5), (.s16, 9, 5), (.s16, 2, 9)] {
            let format = AudioFormat(sampleRate: 48000, channels: channels, sampleFormat: sampleFormat)
            var settings = EncoderSettings()
            settings.flacLevel = level
            let error = try #require(throws: CaptureError.self) {
                _ = try ClipFormat.flac.writer(
                    on: ClipOutput(opening: .file(path: scratch.path("a.flac"))), tracks: [Recording.track(format)],
                    settings: settings)
            }
            #expect(error.kind == .usage && !error.remedies.isEmpty)
        }
        #expect(scratch.names.isEmpty)
    }
}
