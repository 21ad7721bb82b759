import ArgumentParser

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
