import ArgumentParser
import CaptureEncoding
import CaptureGate

extension FrameRate: SpelledArgument {
    static var spelling: String { "frames a second such as 30, 29.97 or 30000/1001" }

    /// A whole number, a decimal such as `29.97`, or a fraction such as `30000/1001`.
    public init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 2, let numerator = Int(parts[0]), let denominator = Int(parts[1]) {
            guard numerator < 1_000_000_000, denominator < 1_000_000_000 else { return nil }
            self.init(numerator, denominator)
        } else if let whole = Int(argument), whole < 100_000 {
            self.init(whole)
        } else if let decimal = Double(argument), decimal.isFinite, decimal >= 0.001, decimal < 100_000 {
            self.init(Int((decimal * 1000).rounded()), 1000)
        } else {
            return nil
        }
    }
}

extension PixelFormat: SpelledArgument {
    static var spelling: String { "a four character code such as YUYV, NV12 or MJPG" }

    /// A four character code, such as `yuyv` for `YUYV`. Some have small letters among their capitals, as `pBAA`.
    public init?(argument: String) {
        self.init(argument.contains(where: \.isUppercase) ? argument : argument.uppercased())
    }
}

extension SampleFormat: SpelledArgument {
    static var spelling: String { "one of \(allCases.map(\.rawValue).joined(separator: ", "))" }

    /// ALSA's name in either case, with or without `_LE`.
    public init?(argument: String) {
        let name = argument.uppercased()
        guard let format = SampleFormat(rawValue: name) ?? SampleFormat(rawValue: name + "_LE") else { return nil }
        self = format
    }
}

extension CapabilityName: ExpressibleByArgument {
    public init?(argument: String) {
        switch argument {
        case "microphone": self = .microphone
        case "camera": self = .camera
        default: return nil
        }
    }

    public static var allValueStrings: [String] { ["microphone", "camera"] }
    public static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

extension AudioCodec: ExpressibleByArgument {}
extension VideoCodec: ExpressibleByArgument {}
extension SyncClock: ExpressibleByArgument {}
extension LossPolicy: ExpressibleByArgument {}
extension StillFormat: ExpressibleByArgument {}
