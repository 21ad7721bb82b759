import CaptureBase
import ClipScenery
import Foundation
import Testing

@testable import CaptureEncoding

@Suite("Conversion of a clip's audio")
struct AudioConversionTests {
    static let stereo = AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .s16)

    static func track(_ name: String, _ format: AudioFormat = stereo) -> ClipTrack {
        ClipTrack(.audio(format), name: name, device: "\(name)-1")
    }

    /// Writers in a row, the last of which keeps what came out.
    static func open(
        _ conversion: AudioConversion, _ tracks: [ClipTrack], own: [String: AudioConversion] = [:]
    ) throws -> (writer: any ClipWriter, memory: MemoryWriter) {
        var memory: MemoryWriter?
        let writer = try conversion.writer(for: tracks, own: own) { stored throws(CaptureError) in
            let made = MemoryWriter(stored)
            memory = made
            return made
        }
        return (writer, try #require(memory))
    }

    /// Converts samples in periods of uneven length.
    private static func converted(
        _ conversion: AudioConversion, _ bytes: [UInt8], _ format: AudioFormat
    ) throws -> MemoryWriter {
        let (writer, memory) = try open(conversion, [track("mic", format)])
        try write(bytes, format, to: writer)
        _ = try writer.finish(ledger: ledger([bytes.count / format.bytesPerFrame]), end: .complete)
        return memory
    }

    static func write(_ bytes: [UInt8], _ format: AudioFormat, to writer: any ClipWriter, track: Int = 0) throws {
        var frame = 0
        for size in sequence(first: 441, next: { $0 % 997 + 101 }) where frame * format.bytesPerFrame < bytes.count {
            let start = frame * format.bytesPerFrame
            let period = Array(bytes[start..<min(start + size * format.bytesPerFrame, bytes.count)])
            try writer.write(period.span.bytes, to: track, at: Recording.time(frame, format))
            frame += size
            if frame * format.bytesPerFrame >= bytes.count { break }
        }
    }

    static func ledger(_ frames: [Int]) -> LossLedger {
        LossLedger(
            tracks: frames.map { frames in
                var track = TrackLedger(kind: .audio, name: "mic", device: "mic-1")
                (track.asked, track.delivered) = (UInt64(frames), UInt64(frames))
                (track.firstNanoseconds, track.lastNanoseconds) = (0, 1)
                return track
            })
    }

    private static func bytes(_ samples: [Int16]) -> [UInt8] { samples.withUnsafeBytes { Array($0) } }

    // MARK: Nothing

    static let idle: [AudioConversion] = [
        AudioConversion(), AudioConversion(sampleRate: 48_000), AudioConversion(channels: .list([1, 2])),
        AudioConversion(mixesMicrophones: true),
    ]

    @Test("Where nothing is to be done no writer stands in between", arguments: idle)
    func identity(conversion: AudioConversion) throws {
        let (writer, memory) = try Self.open(conversion, [Self.track("mic"), Recording.track(Source.video(.yuyv))])
        #expect(writer === memory && memory.tracks == [Self.track("mic"), Recording.track(Source.video(.yuyv))])
    }

    @Test(
        "A microphone that needs no conversion passes bit for bit beside one that does",
        arguments: SampleFormat.allCases)
    func passed(sampleFormat: SampleFormat) throws {
        let format = AudioFormat(sampleRate: 16_000, channels: 3, sampleFormat: sampleFormat)
        let (writer, memory) = try Self.open(
            AudioConversion(sampleRate: 16_000), [Self.track("a"), Self.track("b", format)])
        let sound = Source.sound(format, frames: 1000)
        try Self.write(sound, format, to: writer, track: 1)
        #expect(memory.bytes == [[], sound])
    }

    @Test("A microphone with a conversion of its own has that one alone, also within a mix")
    func own() throws {
        let tracks = [Self.track("a"), Self.track("b")]
        let sound = Self.bytes([100, 300, -6, -10])
        let own = ["b-1": AudioConversion(channels: .mono)]
        let (writer, memory) = try Self.open(AudioConversion(channels: .right), tracks, own: own)
        for track in 0..<2 { try Self.write(sound, Self.stereo, to: writer, track: track) }
        #expect(memory.bytes == [Self.bytes([300, -10]), Self.bytes([200, -8])])
        let (mixer, mix) = try Self.open(AudioConversion(channels: .right, mixesMicrophones: true), tracks, own: own)
        for track in 0..<2 { try Self.write(sound, Self.stereo, to: mixer, track: track) }
        #expect(mix.bytes.count == 1 && mix.bytes[0] == Self.bytes([250, -9]), "\(mix.bytes)")
    }

    @Test("What a microphone of its own can't be converted to is refused")
    func ownNonsense() {
        let error = #expect(throws: CaptureError.self) {
            _ = try Self.open(AudioConversion(), [Self.track("a")], own: ["a-1": AudioConversion(gain: 900)])
        }
        #expect(error?.kind == .usage)
    }

    // MARK: Channels

    @Test("Channels are chosen by their numbers, in that order, bit for bit", arguments: SampleFormat.allCases)
    func channels(sampleFormat: SampleFormat) throws {
        let format = AudioFormat(sampleRate: 48_000, channels: 4, sampleFormat: sampleFormat)
        let sound = Source.sound(format, frames: 2000)
        let memory = try Self.converted(AudioConversion(channels: .list([3, 1])), sound, format)
        let size = sampleFormat.bytesPerSample
        var expected: [UInt8] = []
        for first in stride(from: 0, to: sound.count, by: 4 * size) {
            expected += sound[first + 2 * size..<first + 3 * size]
            expected += sound[first..<first + size]
        }
        #expect(Source.stored(memory.bytes[0], sampleFormat) == Source.stored(expected, sampleFormat))
        #expect(memory.tracks[0].audio?.channels == 2)
    }

    @Test("Left is the first channel, right the second, and mono the mean of all")
    func names() throws {
        let sound = Self.bytes([100, 300, -7, -8, 32_767, 32_767, -32_768, -32_768])
        for (choice, expected) in [
            (ChannelSelection.left, [100, -7, 32_767, -32_768] as [Int16]), (.right, [300, -8, 32_767, -32_768]),
            (.mono, [200, -8, 32_767, -32_768]),
        ] {
            #expect(try Self.converted(AudioConversion(channels: choice), sound, Self.stereo).shorts() == expected)
        }
    }

    @Test("A channel that the microphone does not have is wrong usage, and says which it has")
    func missingChannel() throws {
        for (count, has) in [(2, "mic has 2 channels"), (1, "mic has 1 channel,")] {
            let format = AudioFormat(sampleRate: 48_000, channels: count, sampleFormat: .s16)
            let error = #expect(throws: CaptureError.self) {
                try Self.open(AudioConversion(channels: .list([1, 3])), [Self.track("mic", format)])
            }
            #expect(error?.kind == .usage && error?.message.contains(has) == true && error?.remedies.count == 1)
        }
    }

    @Test(
        "What can't be is wrong usage before a device is opened",
        arguments: [
            AudioConversion(gain: 61), AudioConversion(gain: .nan), AudioConversion(sampleRate: 999),
            AudioConversion(channels: .list([])), AudioConversion(channels: .list([0])),
        ])
    func usage(conversion: AudioConversion) {
        let error = #expect(throws: CaptureError.self) { try conversion.check() }
        #expect(error?.kind == .usage && error?.remedies.isEmpty == false)
    }

    // MARK: Gain

    @Test("A gain multiplies, rounds to the nearest and saturates")
    func gain() throws {
        let sound = Self.bytes([1000, -1000, 20_000, -20_000, 3, -3])
        let loud = try Self.converted(AudioConversion(gain: 6), sound, Self.stereo).shorts()
        #expect(loud == [1995, -1995, 32_767, -32_768, 6, -6])
        let quiet = try Self.converted(AudioConversion(gain: -6), sound, Self.stereo).shorts()
        #expect(quiet == [501, -501, 10_024, -10_024, 2, -2])
    }

    @Test("Floating point keeps what is above full scale, and has silence for what is no number")
    func floats() throws {
        let format = AudioFormat(sampleRate: 48_000, channels: 1, sampleFormat: .float32)
        let samples: [Float] = [0.75, -1.5, .nan, .infinity, 0.5]
        let memory = try Self.converted(
            AudioConversion(gain: 20), samples.withUnsafeBytes { Array($0) }, format)
        let out = memory.bytes[0].withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        #expect(out == [7.5, -15, 0, 0, 5])
    }

    // MARK: Rate

    @Test(
        "At another rate the clip lasts as long, and a click stays in its place",
        arguments: [8000, 16_000, 44_100, 96_000])
    func rate(rate: Int) throws {
        var samples = [Int16](repeating: 0, count: 2 * 24_000)
        (samples[2 * 7777], samples[2 * 7777 + 1]) = (20_000, -20_000)
        let memory = try Self.converted(AudioConversion(sampleRate: rate), Self.bytes(samples), Self.stereo)
        let out = memory.shorts()
        #expect(memory.tracks[0].audio == AudioFormat(sampleRate: rate, channels: 2, sampleFormat: .s16))
        #expect(out.count == rate)
        for channel in 0...1 {
            let own = stride(from: channel, to: out.count, by: 2).map { abs(Int(out[$0])) }
            let peak = try #require(own.indices.max { own[$0] < own[$1] })
            #expect(abs(Double(peak) / Double(rate) - 7777.0 / 48_000) * Double(rate) <= 1)
        }
        // The times are those of the frames: no hole, and no shift.
        #expect(memory.times[0] == memory.starts[0].map { SampleClock(rate: rate).nanoseconds(Int64($0)) })
    }

    @Test("A track that begins later keeps its time")
    func later() throws {
        let (writer, memory) = try Self.open(AudioConversion(sampleRate: 24_000), [Self.track("mic")])
        let period = [UInt8](repeating: 0, count: 4 * 2400)
        try writer.write(period.span.bytes, to: 0, at: 250_000_000)
        try writer.write(period.span.bytes, to: 0, at: 300_000_000)
        #expect(memory.times[0].count == 2 && memory.times[0].first == 250_000_000)
        // The first period without the filter's reach, 80 frames.
        #expect(abs((memory.times[0].last ?? 0) - 300_000_000 + 3_333_333) < 100_000)
    }

    @Test("sox and ffprobe find a WAV file of the format that was asked for, and of its length")
    func file() throws {
        let scratch = try Scratch()
        let path = scratch.path("a.wav")
        let conversion = AudioConversion(channels: .mono, gain: -3, sampleRate: 16_000)
        let writer = try conversion.writer(for: [Self.track("mic")]) { stored throws(CaptureError) in
            let destination = ClipDestination(path)
            return try ClipFormat(for: destination).writer(on: ClipOutput(opening: destination), tracks: stored)
        }
        try Self.write(Source.tones(Self.stereo, frames: 48_000), Self.stereo, to: writer)
        let clip = try writer.finish(ledger: Self.ledger([48_000]), end: .complete)
        let probed = try Tool.text(
            "ffprobe",
            ["-v", "warning", "-show_entries", "stream=sample_rate,channels,duration_ts", "-of", "csv=p=0", path],
            in: scratch)
        #expect(probed == "16000,1,16000\n")
        #expect(try Tool.text("soxi", ["-s", path], in: scratch) == "16000\n")
        #expect(clip.ledger.tracks[0].frames == 16_000 && clip.duration == .seconds(1))
        #expect(clip.tracks[0].audio == AudioFormat(sampleRate: 16_000, channels: 1, sampleFormat: .s16))
    }
}
