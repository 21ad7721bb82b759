import CaptureGate
import CaptureRecording
import LinuxSystem

/// Frames from memory, the same in every run: audio with tones and noise, video with shades, edges, texture and grain.
///
/// An encoder's speed depends on its input: silence and grey frames take almost no time, white noise takes longer than anything
/// a device delivers. Tests check that a JPEG of such a frame takes one to four bits per pixel, and FLAC more than a quarter of
/// the audio's size.
///
/// *thread-safe*
public struct BenchmarkFrames: Sendable {
    /// The frames, each as a driver delivers it: a video frame, or a period of audio.
    public let frames: [[UInt8]]
    public let media: ClipTrack.Media

    /// Duration of a period of audio.
    static let periodNanoseconds: Int64 = 100_000_000

    /// - Parameters:
    ///   - media: format of the frames.
    ///   - count: number of different frames, 1 upwards, which a benchmark repeats.
    ///   - seed: of the pseudorandom numbers; a different one gives different frames.
    /// - Throws: `.usage` for video of an unknown format.
    public init(of media: ClipTrack.Media, count: Int, seed: UInt64 = 1) throws(CaptureError) {
        self.media = media
        switch media {
        case .audio(let format): frames = Self.periods(format, max(count, 1), seed)
        case .video(let format): frames = try Self.pictures(format, max(count, 1), seed)
        }
    }

    private static func pictures(
        _ format: VideoFormat, _ count: Int, _ seed: UInt64
    ) throws(CaptureError) -> [[UInt8]] {
        guard format.pixelFormat.isJPEG else {
            let painter = try PicturePainter(format, seed: seed)
            return (0..<count).map { painter.picture(number: $0) }
        }
        let raw = VideoFormat(
            width: format.width, height: format.height, pixelFormat: .yuyv, frameRate: format.frameRate,
            bytesPerLine: 2 * format.width)
        let encoder = try StillEncoder(raw, as: .jpeg)
        var images: [[UInt8]] = []
        for picture in try pictures(raw, count, seed) { images.append(try encoder.encode(picture.span.bytes)) }
        return images
    }

    // MARK: Audio

    private static func periods(_ format: AudioFormat, _ count: Int, _ seed: UInt64) -> [[UInt8]] {
        var voice = TestVoice(format, seed: seed)
        return (0..<count).map { _ in voice.period(frames: format.sampleRate / 10) }
    }
}

/// Audio that is neither too easy nor too hard to encode: tones of changing loudness, and noise 50 dB below.
struct TestVoice {
    private let format: AudioFormat
    private var noise: TestNoise
    private var frame = 0

    private static let tones = [(196.0, 0.30), (440.0, 0.15), (1318.5, 0.06), (3520.0, 0.02)]

    init(_ format: AudioFormat, seed: UInt64) {
        self.format = format
        noise = TestNoise(seed: seed)
    }

    mutating func period(frames: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(frames * format.bytesPerFrame)
        for _ in 0..<frames {
            let time = Double(frame) / Double(format.sampleRate)
            let tone = Self.tones.reduce(0) { $0 + sine(2 * .pi * $1.0 * time) * $1.1 }
            let loudness = 0.6 + 0.4 * sine(2 * .pi * 0.7 * time)
            for channel in 0..<format.channels {
                let value =
                    tone * loudness * (channel.isMultiple(of: 2) ? 1 : 0.8) + Double(noise.grain(1000)) / 300_000
                append(value, to: &bytes)
            }
            frame += 1
        }
        return bytes
    }

    private func append(_ value: Double, to bytes: inout [UInt8]) {
        let bits: UInt32
        switch format.sampleFormat {
        case .s16: bits = UInt32(bitPattern: Int32(value * 32_767))
        case .s24Packed, .s24: bits = UInt32(bitPattern: Int32(value * 8_388_607))
        case .s32: bits = UInt32(bitPattern: Int32(value * 2_147_483_520))
        case .float32: bits = Float(value).bitPattern
        }
        for byte in 0..<format.sampleFormat.bytesPerSample {
            bytes.append(UInt8(truncatingIfNeeded: bits >> (8 * UInt32(byte))))
        }
    }
}
