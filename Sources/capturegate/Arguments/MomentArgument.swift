import ArgumentParser

/// A moment in local time, as ISO 8601 writes it: `2026-01-31`, `2026-01-31T18:00`, `2026-01-31T18:00:30.250`, or `18:00`, the
/// next there is.
struct MomentArgument: SpelledArgument, Hashable, Sendable {
    private let date: [Int]?
    private let time: [Int]
    /// Of the second, nanoseconds.
    private let fraction: Int64

    static let spelling = "a moment in local time such as 2026-01-31, 2026-01-31T18:00, 18:00 or 18:00:30.250"

    init?(argument: String) {
        let parts = argument.split(whereSeparator: { $0 == "T" || $0 == " " })
        guard var first = parts.first, var last = parts.last, parts.count <= 2 else { return nil }
        guard let fraction = Self.cutFraction(&last) else { return nil }
        if parts.count == 1 { first = last }
        let hasDate = first.contains("-")
        guard let date = hasDate ? Self.numbers(first, "-", 3...3) : [],
            let time = hasDate && parts.count == 1 ? [0, 0] : Self.numbers(last, ":", fraction > 0 ? 3...3 : 2...3),
            hasDate || parts.count == 1
        else { return nil }
        self.date = hasDate ? date : nil
        self.time = time + (time.count == 2 ? [0] : [])
        self.fraction = fraction
    }

    /// Takes `.250` off the end of a time.
    /// - Returns: nanoseconds; `nil` where it is no fraction.
    private static func cutFraction(_ text: inout Substring) -> Int64? {
        guard let point = text.lastIndex(where: { $0 == "." || $0 == "," }) else { return 0 }
        let digits = text[text.index(after: point)...]
        guard (1...9).contains(digits.count), digits.allSatisfy(\.isASCII), let value = UInt32(digits) else {
            return nil
        }
        text = text[..<point]
        return (digits.count..<9).reduce(Int64(value)) { value, _ in value * 10 }
    }

    /// Nanoseconds since 1970; `nil` where the calendar has no such moment.
    func nanoseconds(now: Int64) -> Int64? {
        if let date { return moment(date[0], date[1], date[2]) }
        let today = WallTime.today(nanoseconds: now)
        guard let moment = moment(today.year, today.month, today.day) else { return nil }
        // Tomorrow's, where today's has passed; a day may be an hour longer or shorter, so its date is asked for.
        guard moment <= now else { return moment }
        let tomorrow = WallTime.today(nanoseconds: moment + 86_400_000_000_000)
        return self.moment(tomorrow.year, tomorrow.month, tomorrow.day)
    }

    private func moment(_ year: Int, _ month: Int, _ day: Int) -> Int64? {
        let second = WallTime.nanoseconds(
            year: year, month: month, day: day, hour: time[0], minute: time[1], second: time[2])
        return second.map { $0 + fraction }
    }

    private static func numbers(_ text: Substring, _ separator: Character, _ count: ClosedRange<Int>) -> [Int]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.count <= 4 && $0.allSatisfy(\.isNumber) ? Int($0) : nil }
        return numbers.count == parts.count && count.contains(parts.count) ? numbers : nil
    }
}
