import CaptureBase
import CaptureEncoding
import ClipScenery
import Testing

@Suite("AAC", .enabled(if: AudioCodec.aac.isAvailable))
struct AACTests {
    private func record(
        _ format: AudioFormat, frames: Int, to path: String, bitrate: Int? = nil
    ) throws -> Clip {
        var settings = EncoderSettings()
        settings.audioCodec = .aac
        settings.aacBitrate = bitrate
        return try Recording.sound(Source.tones(format, frames: frames), format, to: path, settings: settings)
    }

    /// What ffmpeg decodes of it, as numbers; all of it, the decoder's delay included.
    private func decoded(_ path: String, _ scratch: Scratch) throws -> [Float] {
        let found = try Tool.run(
            "ffmpeg", ["-v", "error", "-flags2", "+skip_manual", "-i", path, "-f", "f32le", "-"], in: scratch)
        #expect(found.status == 0 && found.errors.isEmpty, "\(found.errors)")
        return found.output.withUnsafeBytes { bytes in
            (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
        }
    }

    @Test(
        "Every sample rate of AAC is as long as the recording",
        arguments: [8000, 16_000, 22_050, 44_100, 48_000, 96_000], [1, 2])
    func lengths(rate: Int, channels: Int) throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: rate, channels: channels, sampleFormat: .s16)
        let frames = rate * 3 / 5 + 7
        let clip = try record(format, frames: frames, to: scratch.path("a.mka"))
        #expect(abs(clip.duration.exactNanoseconds - Recording.time(frames, format)) < 130_000)
        let played = try decoded(scratch.path("a.mka"), scratch).count / channels
        #expect(played >= frames && played < frames + 1600 + 2048)
    }

    @Test(
        "What comes out is what went in, and none of it late",
        arguments: [(SampleFormat.s16, 48_000), (.s24Packed, 48_000), (.s32, 44_100), (.float32, 44_100)])
    func likeness(sampleFormat: SampleFormat, rate: Int) throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: rate, channels: 2, sampleFormat: sampleFormat)
        _ = try record(format, frames: rate, to: scratch.path("a.mka"), bitrate: 256_000)
        let found = try decoded(scratch.path("a.mka"), scratch)
        let shifts = (1500..<1700).map { shift in (shift, noise(found, shift, rate)) }
        let best = shifts.min { $0.1 < $1.1 }!
        #expect(best.0 == 1600, "\(best)")
        #expect(best.1 < 0.01, "\(best)")
    }

    /// Noise of the decoded signal relative to the signal, if it is late by this number of frames.
    private func noise(_ found: [Float], _ shift: Int, _ rate: Int) -> Double {
        var (signal, noise) = (0.0, 0.0)
        for frame in stride(from: 4000, to: 20_000, by: 7) {
            for channel in 0..<2 {
                let expected = Source.tone(Double(frame) / Double(rate), channel: channel)
                let difference = expected - Double(found[2 * (frame + shift) + channel])
                signal += expected * expected
                noise += difference * difference
            }
        }
        return noise / signal
    }

    @Test("The bitrate is kept to", arguments: [64_000, 128_000, 192_000])
    func bitrate(bitrate: Int) throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .s16)
        let clip = try record(format, frames: 192_000, to: scratch.path("a.mka"), bitrate: bitrate)
        let found = Double(clip.bytes) * 8 / 4
        #expect(found > 0.9 * Double(bitrate) && found < 1.1 * Double(bitrate), "\(found)")
    }

    @Test(
        "What AAC can't hold is refused with a remedy",
        arguments: [(48_000, 3, nil), (192_000, 2, nil), (48_000, 2, 1000), (48_000, 1, 400_000)] as [(Int, Int, Int?)])
    func refused(rate: Int, channels: Int, bitrate: Int?) throws {
        let format = AudioFormat(sampleRate: rate, channels: channels, sampleFormat: .s16)
        let error = try #require(throws: CaptureError.self) { try AACEncoder(format: format, bitrate: bitrate).begin() }
        #expect(error.kind == .usage && !error.remedies.isEmpty)
    }
}
