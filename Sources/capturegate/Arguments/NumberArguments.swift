import ArgumentParser
import CaptureRecording

/// Argument whose error message says how to spell it.
///
/// ArgumentParser's own message for a failed `init?(argument:)` repeats the value and no more.
protocol SpelledArgument: ExpressibleByArgument {
    /// Description of valid values with examples, fit to follow the word "Write".
    static var spelling: String { get }
}

extension SpelledArgument {
    /// Value of an argument, for `@Option(transform:)`, whose errors reach the user in full.
    ///
    /// - Throws: `ValidationError`, which says what to write.
    static func parse(_ argument: String) throws -> Self {
        guard let value = Self(argument: argument) else { throw ValidationError("Write \(spelling).") }
        return value
    }
}

/// Sample rate in Hz: `48000`, `44100`, `48k`, `44.1k`.
struct RateArgument: SpelledArgument, Hashable, Sendable {
    /// 1,000 to 768,000 Hz. Outside it no codec and no interface is of use, and a slip such as `44.1` for
    /// 44.1k is caught.
    let hertz: Int

    static let spelling = "a sample rate in Hz such as 48000 or 44.1k, from 1000 to 768000"

    init?(argument: String) {
        let isKilo = argument.lowercased().hasSuffix("k")
        guard let value = Double(isKilo ? String(argument.dropLast()) : argument), value.isFinite else { return nil }
        let hertz = (isKilo ? value * 1000 : value).rounded()
        guard (1000...768_000).contains(hertz) else { return nil }
        self.hertz = Int(hertz)
    }
}

/// Bit rate as codecs' tools write it: `96k`, `96000`.
struct BitrateArgument: SpelledArgument, Hashable, Sendable {
    /// Bits a second of all channels, 6,000 to 130,560,000: what libopus takes for one channel at least, and
    /// for 255 at most.
    let bitsPerSecond: Int

    static let spelling = "a bit rate such as 96k, 96000 or 4M, from 6k to 130560k"

    init?(argument: String) {
        let unit = argument.last.flatMap { ["k": 1000.0, "K": 1000, "m": 1e6, "M": 1e6][$0] }
        // Read as a Double, so that `6.5k` is accepted.
        guard let value = Double(unit == nil ? argument : String(argument.dropLast())), value.isFinite else {
            return nil
        }
        let bits = (value * (unit ?? 1)).rounded()
        guard (6000...130_560_000).contains(bits) else { return nil }
        bitsPerSecond = Int(bits)
    }
}

/// Number of audio channels, 1 to 64.
struct ChannelsArgument: SpelledArgument, Hashable, Sendable {
    let count: Int

    static let spelling = "a number of channels from 1 to 64"

    init?(argument: String) {
        guard let count = Int(argument), (1...64).contains(count) else { return nil }
        self.count = count
    }
}

/// Channels of a clip: how many, or which of the device's: `2`, `mono`, `left`, `right`, `1,3`, or `3,` for the third alone.
struct ChannelSelectionArgument: SpelledArgument, Hashable, Sendable {
    /// Number to ask the device for; `nil` if channels are chosen.
    let count: Int?
    let selection: ChannelSelection

    static let spelling = """
        a number of channels from 1 to 64, mono, left, right, or channel numbers such as 1,3 (3, for only the third)
        """

    init?(argument: String) {
        if let (count, selection) = Self.words[argument.lowercased()].map({ (nil as Int?, $0) })
            ?? ChannelsArgument(argument: argument).map({ ($0.count, .all) })
        {
            (self.count, self.selection) = (count, selection)
            return
        }
        var parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        if parts.count == 2, parts[1].isEmpty { parts.removeLast() } else if parts.count < 2 { return nil }
        let numbers = parts.compactMap { Int($0) }.filter { (1...64).contains($0) }
        guard numbers.count == parts.count, numbers.count <= 64 else { return nil }
        (count, selection) = (nil, .list(numbers))
    }

    private static let words: [String: ChannelSelection] = ["mono": .mono, "left": .left, "right": .right]
}

/// Amplification in dB: `6dB`, `6`, `+1.5`, `-3`.
struct GainArgument: SpelledArgument, Hashable, Sendable {
    /// dB, -120 to 60.
    let decibels: Double

    static let spelling = "a gain in dB such as 6dB or -3, from -120 to 60"

    init?(argument: String) {
        let isUnitSaid = argument.lowercased().hasSuffix("db")
        guard let value = Double(isUnitSaid ? String(argument.dropLast(2)) : argument), (-120...60).contains(value)
        else {
            return nil
        }
        decibels = value
    }
}

/// Size of a frame in pixels, such as `1280x720`, or a name for one.
struct SizeArgument: SpelledArgument, Hashable, Sendable {
    let width: Int
    let height: Int

    static let spelling =
        "a size in pixels such as 1280x720, each side from 16 to 16384, or a name such as 720p or hd720"

    init?(argument: String) {
        if let (width, height) = Self.names[argument.lowercased()] {
            (self.width, self.height) = (width, height)
            return
        }
        let parts = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        // Bounds against slips: no camera delivers less than 16, and 16,384 squared, at four bytes a pixel,
        // still fits 32 bits.
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
            (16...16_384).contains(width), (16...16_384).contains(height)
        else { return nil }
        self.width = width
        self.height = height
    }

    /// Names by the number of lines, and those of ffmpeg that cameras have.
    private static let names = [
        "240p": (426, 240), "360p": (640, 360), "480p": (854, 480), "720p": (1280, 720), "1080p": (1920, 1080),
        "1440p": (2560, 1440), "2160p": (3840, 2160), "4k": (3840, 2160), "qqvga": (160, 120), "qvga": (320, 240),
        "vga": (640, 480), "svga": (800, 600), "xga": (1024, 768), "sxga": (1280, 1024), "uxga": (1600, 1200),
        "ntsc": (720, 480), "pal": (720, 576), "hd480": (852, 480), "hd720": (1280, 720), "hd1080": (1920, 1080),
        "uhd2160": (3840, 2160),
    ]
}

/// File size as people write it: `500M`, `1.5G`, `650MB`, `1GiB`, or a plain number of bytes.
struct ByteCountArgument: SpelledArgument, Hashable, Sendable {
    /// Bytes, 100,000 to 10^15; a smaller file would hold hardly more than its headers.
    let bytes: Int64

    static let spelling = "a size such as 500M, 1.5G, 700MiB or a number of bytes, at least 100K"

    init?(argument: String) {
        // ASCII digits alone: `isNumber` is also true of other scripts' digits and of fractions such as ½.
        let digits = argument.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let value = Double(digits), value.isFinite,
            let unit = Self.units[argument.dropFirst(digits.count).lowercased()]
        else { return nil }
        let bytes = (value * unit).rounded(.down)
        guard bytes >= 100_000, bytes <= 1e15 else { return nil }
        self.bytes = Int64(bytes)
    }

    init(bytes: Int64) { self.bytes = bytes }

    /// Bytes of each unit: powers of 1000, and of 1024 with an i (IEC 80000-13). M alone is 1000², as in the
    /// figures that this program prints.
    private static let units: [String: Double] = [
        "": 1, "b": 1, "k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9, "t": 1e12, "tb": 1e12,
        "kib": 1024, "mib": 1_048_576, "gib": 1_073_741_824, "tib": 1_099_511_627_776,
    ]
}

/// Size of the write buffer: `64M`, `1G`, or 0 for none.
struct BufferArgument: SpelledArgument, Hashable, Sendable {
    /// Bytes, 0 to 16 GB.
    let bytes: Int64

    static let spelling = "a size such as 64M or 1G, from 100K to 16G, or 0"

    /// 64 MB.
    init() { bytes = 64_000_000 }

    init?(argument: String) {
        guard let size = argument == "0" ? ByteCountArgument(bytes: 0) : ByteCountArgument(argument: argument),
            size.bytes <= 16_000_000_000
        else { return nil }
        bytes = size.bytes
    }
}

/// Tag of a clip: `ARTIST=Ann`.
struct TagArgument: SpelledArgument, Hashable, Sendable {
    /// Name in upper case.
    let name: String
    let text: String

    static let spelling =
        "NAME=text with letters, digits and _ in the name, and not TITLE, DEVICE, GRANT, ENCODER or LEDGER"

    /// Names that the program itself fills in, or that have their own option.
    private static let taken: Set<String> = ["TITLE", "DEVICE", "GRANT", "ENCODER", "LEDGER"]

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "=") else { return nil }
        name = argument[..<equals].uppercased()
        text = String(argument[argument.index(after: equals)...])
        let isPlain = name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || $0 == 0x5F }
        guard !name.isEmpty, isPlain, !text.isEmpty, !Self.taken.contains(name) else { return nil }
    }

    /// Tags by name; of two with one name the later counts.
    static func tags(_ arguments: [TagArgument]) -> [String: String] {
        Dictionary(arguments.map { ($0.name, $0.text) }) { $1 }
    }
}
