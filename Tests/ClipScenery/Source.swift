import CaptureBase
import Foundation

/// Deterministic audio and video.
package enum Source {
    /// Samples that use every bit: Knuth's multiplicative hash of their number; S24_LE has a dirty fourth byte.
    package static func sound(_ format: AudioFormat, frames: Int, from first: Int = 0) -> [UInt8] {
        (first * format.channels..<(first + frames) * format.channels).flatMap { sample(format.sampleFormat, $0) }
    }

    /// A different tone for each channel, and a slower swell.
    package static func tone(_ seconds: Double, channel: Int) -> Double {
        let swell = 0.6 + 0.3 * sin(2 * .pi * 1.5 * seconds)
        return swell * sin(2 * .pi * Double(440 + 110 * channel) * seconds)
    }

    /// Audio that a lossy codec keeps.
    package static func tones(_ format: AudioFormat, frames: Int) -> [UInt8] {
        (0..<frames).flatMap { frame in
            (0..<format.channels).flatMap { channel in
                stored(tone(Double(frame) / Double(format.sampleRate), channel: channel), format.sampleFormat)
            }
        }
    }

    private static func stored(_ value: Double, _ format: SampleFormat) -> [UInt8] {
        switch format {
        case .s16: little(UInt32(bitPattern: Int32(value * 32_767)), 2)
        case .s24Packed: little(UInt32(bitPattern: Int32(value * 8_388_607)), 3)
        case .s24: little(UInt32(bitPattern: Int32(value * 8_388_607)), 4)
        case .s32: little(UInt32(bitPattern: Int32(value * 2_147_483_647)), 4)
        case .float32: little(Float(value).bitPattern, 4)
        }
    }

    private static func sample(_ format: SampleFormat, _ number: Int) -> [UInt8] {
        let bits = UInt32(truncatingIfNeeded: number &+ 1) &* 2_654_435_761
        switch format {
        case .s16: return little(bits >> 16, 2)
        case .s24Packed: return little(bits >> 8, 3)
        case .s24: return little(bits >> 8 | (bits << 24), 4)
        case .s32: return little(bits, 4)
        case .float32: return little((Float(Int32(bitPattern: bits)) / 2_147_483_648).bitPattern, 4)
        }
    }

    /// Stored bytes of such audio: S24_LE without its fourth byte.
    package static func stored(_ bytes: [UInt8], _ format: SampleFormat) -> [UInt8] {
        format == .s24 ? bytes.enumerated().filter { $0.offset % 4 != 3 }.map(\.element) : bytes
    }

    private static func little(_ value: UInt32, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
    }

    package static func video(
        _ pixelFormat: PixelFormat, _ width: Int = 64, _ height: Int = 48, bytesPerLine: Int = 0, rate: Int = 30
    ) -> VideoFormat {
        guard let frameRate = FrameRate(rate) else { preconditionFailure("\(rate) is no frame rate") }
        return VideoFormat(
            width: width, height: height, pixelFormat: pixelFormat, frameRate: frameRate, bytesPerLine: bytesPerLine)
    }

    /// A smooth image that moves with its number, in limited range, and its planes.
    package static func picture(_ format: VideoFormat, number: Int = 0) -> [UInt8] {
        switch format.pixelFormat {
        case .yuyv, .uyvy: packed(format, number)
        case .nv12, .yuv420: planar(format, number)
        case .grey: rows(format, format.width) { [luma($0, $1, number)] }
        default: rows(format, 3 * format.width) { [luma($0, $1, number), blue($0, $1), red($0, $1)] }
        }
    }

    package static func luma(_ x: Int, _ y: Int, _ number: Int) -> UInt8 {
        UInt8(16 + (2 * x + 3 * y + 5 * number) % 220)
    }
    package static func blue(_ x: Int, _ y: Int) -> UInt8 { UInt8(60 + (x + y) % 128) }
    package static func red(_ x: Int, _ y: Int) -> UInt8 { UInt8(180 - (x + 2 * y) % 128) }

    private static func rows(_ format: VideoFormat, _ used: Int, _ pixel: (Int, Int) -> [UInt8]) -> [UInt8] {
        (0..<format.height).flatMap { y in
            (0..<format.width).flatMap { pixel($0, y) }
                + [UInt8](repeating: 0xEE, count: max(0, format.bytesPerLine - used))
        }
    }

    private static func packed(_ format: VideoFormat, _ number: Int) -> [UInt8] {
        rows(format, 2 * format.width) { x, y in
            let (y0, chroma) = (luma(x, y, number), x % 2 == 0 ? blue(x, y) : red(x - 1, y))
            return format.pixelFormat == .yuyv ? [y0, chroma] : [chroma, y0]
        }
    }

    private static func planar(_ format: VideoFormat, _ number: Int) -> [UInt8] {
        let first = rows(format, format.width) { x, y in [luma(x, y, number)] }
        let (width, height) = ((format.width + 1) / 2, (format.height + 1) / 2)
        let stride = max(format.bytesPerLine, format.width)
        func plane(_ value: (Int, Int) -> [UInt8], _ stride: Int) -> [UInt8] {
            (0..<height).flatMap { y in
                let row = (0..<width).flatMap { value(2 * $0, 2 * y) }
                return row + [UInt8](repeating: 0xEE, count: max(0, stride - row.count))
            }
        }
        if format.pixelFormat == .nv12 { return first + plane({ [blue($0, $1), red($0, $1)] }, stride) }
        return first + plane({ [blue($0, $1)] }, stride / 2) + plane({ [red($0, $1)] }, stride / 2)
    }
}

extension SampleFormat {
    /// ffmpeg's name for the format as it is stored.
    package var rawName: String {
        switch self {
        case .s16: "s16le"
        case .s24Packed, .s24: "s24le"
        case .s32: "s32le"
        case .float32: "f32le"
        }
    }
}
