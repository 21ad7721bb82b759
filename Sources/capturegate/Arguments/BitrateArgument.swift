import ArgumentParser

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
