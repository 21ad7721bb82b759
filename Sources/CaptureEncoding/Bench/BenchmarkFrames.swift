import CaptureGate

/// Frames from memory, the same in every run: sound with tones and noise, pictures with shades, edges, texture and grain.
///
/// *thread-safe*
public struct BenchmarkFrames: Sendable {
    /// Each a picture as a driver delivers it, or a period of sound.
    public let frames: [[UInt8]]
    public let media: ClipTrack.Media

    /// How much sound is handed over at once.
    static let periodNanoseconds: Int64 = 100_000_000

    /// - Parameters:
    ///   - media: what they are frames of.
    ///   - count: how many different ones, 1 upwards. They are used one after the other, again and again.
    ///   - seed: another one gives other frames.
    /// - Throws: `.usage` for pictures of a format that nobody here knows.
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
        guard format.pixelFormat.isCompressed else {
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

    // MARK: Sound

    private static func periods(_ format: AudioFormat, _ count: Int, _ seed: UInt64) -> [[UInt8]] {
        var voice = Voice(format, seed: seed)
        return (0..<count).map { _ in voice.period(frames: format.sampleRate / 10) }
    }
}
