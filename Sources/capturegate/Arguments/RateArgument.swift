import ArgumentParser

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
