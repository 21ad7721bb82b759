import CaptureBase

/// Requested setting that a device did not apply, or a conversion of its frames.
///
/// *thread-safe*
public enum FormatDifference: Hashable, Sendable, CustomStringConvertible {
    /// Hz.
    case sampleRate(asked: Int, got: Int)
    case channels(asked: Int, got: Int)
    case sampleFormat(asked: SampleFormat, got: SampleFormat)
    /// Pixels; `nil` if any was right.
    case size(askedWidth: Int?, askedHeight: Int?, gotWidth: Int, gotHeight: Int)
    case pixelFormat(asked: PixelFormat, got: PixelFormat)
    case frameRate(asked: FrameRate, got: FrameRate)
    /// The frames come in the first format, and are converted to the second.
    case conversion(from: PixelFormat, to: PixelFormat)
    /// The samples come in the first format, and are converted to the second.
    case sampleConversion(from: SampleFormat, to: SampleFormat)

    /// Words for a person, without a full stop.
    public var description: String {
        switch self {
        case .sampleRate(let asked, let got): "sample rate \(got) Hz instead of \(asked) Hz"
        case .channels(let asked, let got): "\(got) instead of \(asked) channels"
        case .sampleFormat(let asked, let got): "sample format \(got.rawValue) instead of \(asked.rawValue)"
        case .size(let askedWidth, let askedHeight, let gotWidth, let gotHeight):
            "size \(gotWidth)x\(gotHeight) instead of \(Self.text(askedWidth))x\(Self.text(askedHeight))"
        case .pixelFormat(let asked, let got): "pixel format \(got) instead of \(asked)"
        case .frameRate(let asked, let got): "\(got) fps instead of \(asked)"
        case .conversion(let source, let target): "frames are captured as \(source) and converted to \(target)"
        case .sampleConversion(let source, let target):
            "samples are captured as \(source.rawValue) and converted to \(target.rawValue)"
        }
    }

    private static func text(_ pixels: Int?) -> String { pixels.map(String.init) ?? "any" }
}

extension AudioSettings {
    /// Wishes that were not met. The period is not among them: it changes no sample.
    package func differences(from format: AudioFormat) -> [FormatDifference] {
        var differences: [FormatDifference] = []
        if let sampleRate, sampleRate != format.sampleRate {
            differences.append(.sampleRate(asked: sampleRate, got: format.sampleRate))
        }
        if let channels, channels != format.channels {
            differences.append(.channels(asked: channels, got: format.channels))
        }
        if let sampleFormat, sampleFormat != format.sampleFormat {
            differences.append(.sampleFormat(asked: sampleFormat, got: format.sampleFormat))
        }
        return differences
    }
}

extension VideoSettings {
    /// Wishes that were not met. Rates that differ by less than 0.01 are equal: drivers round intervals.
    package func differences(from format: VideoFormat) -> [FormatDifference] {
        var differences: [FormatDifference] = []
        if width.map({ $0 != format.width }) ?? false || height.map({ $0 != format.height }) ?? false {
            differences.append(
                .size(askedWidth: width, askedHeight: height, gotWidth: format.width, gotHeight: format.height))
        }
        if let pixelFormat, pixelFormat != format.pixelFormat {
            differences.append(.pixelFormat(asked: pixelFormat, got: format.pixelFormat))
        }
        if let frameRate, abs(frameRate.framesPerSecond - format.frameRate.framesPerSecond) > 0.01 {
            differences.append(.frameRate(asked: frameRate, got: format.frameRate))
        }
        return differences
    }
}
