import ArgumentParser

/// An argument with a spelling of its own, which is told to whoever misspells it.
protocol SpelledArgument: ExpressibleByArgument {
    /// What to write, with examples.
    static var spelling: String { get }
}

extension SpelledArgument {
    /// For `@Option(transform:)`, whose errors say more than `init?` can.
    static func parse(_ argument: String) throws -> Self {
        guard let value = Self(argument: argument) else { throw ValidationError("Write \(spelling).") }
        return value
    }
}

/// A sample rate in Hz: `48000`, `44100`, `48k`, `44.1k`.
struct RateArgument: SpelledArgument, Hashable, Sendable {
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

/// Bits a second: `96k`, `96000`.
struct BitrateArgument: SpelledArgument, Hashable, Sendable {
    let bitsPerSecond: Int

    static let spelling = "bits a second such as 96k or 96000, from 6k to 130560k"

    init?(argument: String) {
        let isKilo = argument.lowercased().hasSuffix("k")
        guard let value = Double(isKilo ? String(argument.dropLast()) : argument), value.isFinite else { return nil }
        let bits = (isKilo ? value * 1000 : value).rounded()
        guard (6000...130_560_000).contains(bits) else { return nil }
        bitsPerSecond = Int(bits)
    }
}

/// A number of channels, 1 to 64.
struct ChannelsArgument: SpelledArgument, Hashable, Sendable {
    let count: Int

    static let spelling = "a number of channels from 1 to 64"

    init?(argument: String) {
        guard let count = Int(argument), (1...64).contains(count) else { return nil }
        self.count = count
    }
}

/// A picture's size, such as `1280x720`.
struct SizeArgument: SpelledArgument, Hashable, Sendable {
    let width: Int
    let height: Int

    static let spelling = "a size in pixels such as 1280x720, each side from 16 to 16384"

    init?(argument: String) {
        let parts = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
            (16...16_384).contains(width), (16...16_384).contains(height)
        else { return nil }
        self.width = width
        self.height = height
    }
}

/// A file's size as people write it: `500M`, `1.5G`, `650MB`, `1GiB`, or a plain number of bytes.
struct ByteCountArgument: SpelledArgument, Hashable, Sendable {
    let bytes: Int64

    static let spelling = "a size such as 500M, 1.5G (of 1000), 700MiB (of 1024) or a number of bytes, at least 100K"

    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let value = Double(digits), value.isFinite,
            let unit = Self.units[argument.dropFirst(digits.count).lowercased()]
        else { return nil }
        let bytes = (value * unit).rounded(.down)
        guard bytes >= 100_000, bytes <= 1e15 else { return nil }
        self.bytes = Int64(bytes)
    }

    private static let units: [String: Double] = [
        "": 1, "b": 1, "k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9, "t": 1e12, "tb": 1e12,
        "kib": 1024, "mib": 1_048_576, "gib": 1_073_741_824, "tib": 1_099_511_627_776,
    ]
}
