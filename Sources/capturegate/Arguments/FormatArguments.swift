import ArgumentParser
import CaptureGate
import CaptureRecording

extension FrameRate: SpelledArgument {
    static var spelling: String { "a frame rate such as 30, 29.97 or 30000/1001" }

    /// Integer, decimal such as `29.97`, or fraction such as `30000/1001`.
    public init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 2, let numerator = Int(parts[0]), let denominator = Int(parts[1]) {
            // Bounds keep the products of later comparisons inside 64 bits.
            guard numerator < 1_000_000_000, denominator < 1_000_000_000 else { return nil }
            self.init(numerator, denominator)
        } else if let whole = Int(argument), whole < 100_000 {
            self.init(whole)
        } else if let decimal = Double(argument), decimal.isFinite, decimal >= 0.001, decimal < 100_000 {
            let digits = argument.split(separator: ".").last?.count ?? 0
            self = Self.television(decimal, digits) ?? FrameRate(unchecked: Int((decimal * 1000).rounded()), 1000)
        } else {
            return nil
        }
    }

    /// Exact rate of NTSC for a decimal, such as 30000/1001 for 29.97. Drivers list the exact one; with the decimal, an hour would
    /// be 3.6 ms longer.
    ///
    /// - Parameter digits: number of digits after the point.
    private static func television(_ decimal: Double, _ digits: Int) -> FrameRate? {
        let whole = Int((decimal * 1.001).rounded())
        let exact = Double(whole) * 1000 / 1001
        guard whole > 0, digits >= 2,
            NumberText.fixed(exact, min(digits, 9)) == NumberText.fixed(decimal, min(digits, 9))
        else { return nil }
        return FrameRate(whole * 1000, 1001)
    }
}

extension FrameRate {
    /// The rate for people: `30`, `29.97`, `7.5`.
    var phrase: String {
        guard numerator % denominator != 0 else { return "\(numerator / denominator)" }
        var text = NumberText.fixed(framesPerSecond, 3)
        while text.last == "0" { text.removeLast() }
        return text.last == "." ? String(text.dropLast()) : text
    }
}

extension PixelFormat: SpelledArgument {
    static var spelling: String {
        "a four-character code such as YUYV, NV12, MJPG or H264, or ffmpeg's name such as yuyv422"
    }

    /// Four-character code, such as `yuyv` for `YUYV`, or another program's name for it. Codes with an upper-case letter are taken
    /// unchanged, since some mix both cases, such as `pBAA`.
    public init?(argument: String) {
        if let code = Self.otherNames[argument.lowercased()] {
            self.init(code)
        } else {
            self.init(argument.contains(where: \.isUppercase) ? argument : argument.uppercased())
        }
    }

    /// Names of ffmpeg and GStreamer.
    private static let otherNames = [
        "mjpeg": "MJPG", "yuyv422": "YUYV", "yuy2": "YUYV", "uyvy422": "UYVY", "yvyu422": "YVYU", "yuv420p": "YU12",
        "i420": "YU12", "h265": "HEVC", "yuv422p": "422P", "gray": "GREY", "gray8": "GREY", "rgb24": "RGB3",
        "bgr24": "BGR3",
    ]
}

/// Format of a sample: ALSA's name, ffmpeg's, or one of arecord's shortcuts, which also set rate and channels.
struct SampleArgument: SpelledArgument, Hashable, Sendable {
    let format: SampleFormat
    /// Sample rate in Hz; `nil` if the word sets none.
    let sampleRate: Int?
    let channels: Int?

    static var spelling: String {
        "one of \(SampleFormat.allCases.map(\.rawValue).joined(separator: ", ")), ffmpeg's name such as s16le, or cd or dat"
    }

    /// ALSA's name in either case, with or without `_LE`: capture formats here are little-endian only.
    init?(argument: String) {
        let name = argument.uppercased()
        let shortcut = Self.shortcuts[name]
        guard
            let format = SampleFormat(rawValue: name) ?? SampleFormat(rawValue: name + "_LE") ?? Self.otherNames[name]
                ?? shortcut.map({ _ in .s16 })
        else { return nil }
        (self.format, sampleRate, channels) = (format, shortcut, shortcut.map { _ in 2 })
    }

    /// Rates of arecord's `-f cd` and `-f dat`: stereo of 16 bits.
    private static let shortcuts = ["CD": 44_100, "DAT": 48_000]
    /// ffmpeg's names.
    private static let otherNames: [String: SampleFormat] = [
        "S16LE": .s16, "S24LE": .s24Packed, "S32LE": .s32, "F32LE": .float32,
    ]
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

/// Capability that a command decides about: access to a device, or to a service of the machine.
///
/// Decisions about a program's custom capabilities are stored elsewhere, so their names are refused here.
struct DecidedCapability: ExpressibleByArgument {
    let name: CapabilityName

    /// Exactly as in policy files and in the log.
    init?(argument: String) {
        guard let name = CapabilityName.known.first(where: { $0.rawValue == argument }) else { return nil }
        self.name = name
    }

    static var allValueStrings: [String] { CapabilityName.known.map(\.rawValue) }
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

// Raw values are the spelling, so the library's names and the options' values can't drift apart.
extension AudioCodec: ExpressibleByArgument {}
extension VideoCodec: ExpressibleByArgument {}
extension SyncClock: ExpressibleByArgument {}
extension LossPolicy: ExpressibleByArgument {}
extension StillFormat: ExpressibleByArgument {}
