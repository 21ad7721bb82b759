import ArgumentParser

/// A length of time as people write it: `5s`, `1.5s`, `250ms`, `10m`, `2h`, `7d`, or a plain number of seconds.
struct DurationArgument: SpelledArgument, Hashable, Sendable {
    let duration: Duration

    static let spelling = "a length of time such as 5s, 1.5s, 250ms, 10m, 2h or 7d, at least 1ms and at most ten years"

    init(duration: Duration) { self.duration = duration }

    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let value = Double(digits), value.isFinite, value > 0,
            let unit = Self.units[String(argument.dropFirst(digits.count))]
        else { return nil }
        let seconds = value * unit
        guard seconds >= 0.001, seconds <= Self.longest else { return nil }
        duration = .nanoseconds(Int64((seconds * 1e9).rounded()))
    }

    private static let units: [String: Double] = [
        "": 1, "ms": 0.001, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400,
    ]
    /// Ten years, so that nanoseconds always fit 64 bits.
    private static let longest = 315_360_000.0
}
