import CaptureBase
import CaptureEncoding
import ClipScenery
import Glibc
import Testing

/// Frames of planes that move, with some noise, and the output of other decoders for their clips.
struct MovingPicture {
    let format: VideoFormat
    /// Frames in planes of 4:2:0.
    let frames: [[UInt8]]

    static let width = 320
    static let height = 240
    /// Frames in a second.
    static let rate = 25

    init(_ count: Int, seed: UInt32 = 1) {
        format = Source.video(.yuv420, Self.width, Self.height, rate: Self.rate)
        var state = seed
        frames = (0..<count).map { Self.frame($0, &state) }
    }

    private static func frame(_ number: Int, _ state: inout UInt32) -> [UInt8] {
        let (luma, chroma) = (width * height, width * height / 4)
        return [UInt8](unsafeUninitializedCapacity: luma + 2 * chroma) { bytes, count in
            for index in 0..<luma {
                state = state &* 1_664_525 &+ 1_013_904_223
                let (x, y) = (index % width &+ 3 &* number, index / width &+ number)
                let wave = (x & 127) &+ (y & 63)
                bytes[index] = UInt8(truncatingIfNeeded: 30 &+ wave &+ Int(state >> 30))
            }
            for index in 0..<chroma {
                let (x, y) = (index % (width / 2) &+ number, index / (width / 2))
                bytes[luma + index] = UInt8(truncatingIfNeeded: 90 &+ (x & 63))
                bytes[luma + chroma + index] = UInt8(truncatingIfNeeded: 100 &+ (y & 63))
            }
            count = luma + 2 * chroma
        }
    }

    /// Records the frames.
    @discardableResult
    func record(_ codec: VideoCodec, to path: String, _ parameters: PredictionParameters) throws -> Clip {
        var settings = EncoderSettings()
        settings.videoCodec = codec
        settings.prediction = parameters
        return try Recording.pictures(frames, format, to: path, settings: settings)
    }

    /// Frames as ffmpeg decodes them.
    static func decoded(_ path: String, as pixels: String = "yuv420p", _ scratch: Scratch) throws -> [[UInt8]] {
        let found = try Tool.run(
            "ffmpeg",
            ["-v", "error", "-i", path, "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", pixels, "-"],
            in: scratch)
        #expect(found.status == 0 && found.errors.isEmpty, "\(found.errors)")
        let size = width * height * 3 / 2
        return stride(from: 0, to: found.output.count / size * size, by: size).map {
            Array(found.output[$0..<$0 + size])
        }
    }

    /// Peak signal to noise ratio of the planes, in dB.
    static func likeness(_ first: [[UInt8]], _ second: [[UInt8]], in range: Range<Int>? = nil) -> Double {
        var (error, count) = (0, 0)
        for (first, second) in zip(first, second) {
            first.withUnsafeBufferPointer { first in
                second.withUnsafeBufferPointer { second in
                    for index in range ?? 0..<min(first.count, second.count) {
                        let difference = Int(first[index]) &- Int(second[index])
                        error = error &+ difference &* difference
                        count = count &+ 1
                    }
                }
            }
        }
        return count == 0 ? 0 : error == 0 ? 99 : 10 * log10(255 * 255 * Double(count) / Double(error))
    }

    /// Numbers of the key frames among the packets of a file.
    static func keys(_ path: String, _ scratch: Scratch) throws -> [Int] {
        let found = try Tool.text(
            "ffprobe",
            ["-v", "error", "-select_streams", "v:0", "-show_entries", "packet=flags", "-of", "csv=p=0", path],
            in: scratch)
        return found.split(separator: "\n").enumerated().filter { $0.element.hasPrefix("K") }.map(\.offset)
    }
}
