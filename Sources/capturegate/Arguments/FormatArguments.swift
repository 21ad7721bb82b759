import ArgumentParser
import CaptureGate
import CaptureRecording

extension FrameRate: SpelledArgument {
    static var spelling: String { "frames a second such as 30, 29.97 or 30000/1001" }

    /// Integer, decimal such as `29.97`, or fraction such as `30000/1001`.
    ///
    /// NTSC's rates are fractions; 29.97 is only near 30000/1001, and drivers list the exact value.
    public init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 2, let numerator = Int(parts[0]), let denominator = Int(parts[1]) {
            // Bounds keep the products of later comparisons inside 64 bits.
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

    /// Four-character code, such as `yuyv` for `YUYV`. Codes with an upper-case letter are taken as they are:
    /// some mix both, such as `pBAA`.
    public init?(argument: String) {
        self.init(argument.contains(where: \.isUppercase) ? argument : argument.uppercased())
    }
}

extension SampleFormat: SpelledArgument {
    static var spelling: String { "one of \(allCases.map(\.rawValue).joined(separator: ", "))" }

    /// ALSA's name in either case, with or without `_LE`: capture formats here are little-endian only.
    public init?(argument: String) {
        let name = argument.uppercased()
        guard let format = SampleFormat(rawValue: name) ?? SampleFormat(rawValue: name + "_LE") else { return nil }
        self = format
    }
}

/// Names of the two capabilities that the command line knows; programs may define further ones, which no
/// command captures.
extension CapabilityName: ExpressibleByArgument {
    public init?(argument: String) {
        switch argument {
        case "microphone": self = .microphone
        case "camera": self = .camera
        default: return nil
        }
    }

    /// Written out, as in the initializer: the type is open and has no list of its cases.
    public static var allValueStrings: [String] { ["microphone", "camera"] }
    public static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

// Raw values are the spelling, so the library's names and the options' values can't drift apart.
extension AudioCodec: ExpressibleByArgument {}
extension VideoCodec: ExpressibleByArgument {}
extension SyncClock: ExpressibleByArgument {}
extension LossPolicy: ExpressibleByArgument {}
extension StillFormat: ExpressibleByArgument {}
