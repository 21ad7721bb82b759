import ArgumentParser

/// A moment in local time: `2026-01-31`, `2026-01-31T18:00`, `2026-01-31T18:00:30`, or `18:00`, the next there is.
struct MomentArgument: SpelledArgument, Hashable, Sendable {
    private let date: [Int]?
    private let time: [Int]

    static let spelling = "a moment in local time such as 2026-01-31, 2026-01-31T18:00 or 18:00"

    init?(argument: String) {
        let parts = argument.split(whereSeparator: { $0 == "T" || $0 == " " })
        guard let first = parts.first, parts.count <= 2 else { return nil }
        let hasDate = first.contains("-")
        guard let date = hasDate ? Self.numbers(first, "-", 3...3) : [],
            let time = hasDate && parts.count == 1 ? [0, 0] : parts.last.flatMap({ Self.numbers($0, ":", 2...3) }),
            hasDate || parts.count == 1
        else { return nil }
        self.date = hasDate ? date : nil
        self.time = time + (time.count == 2 ? [0] : [])
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
        WallTime.nanoseconds(year: year, month: month, day: day, hour: time[0], minute: time[1], second: time[2])
    }

    private static func numbers(_ text: Substring, _ separator: Character, _ count: ClosedRange<Int>) -> [Int]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.count <= 4 && $0.allSatisfy(\.isNumber) ? Int($0) : nil }
        return numbers.count == parts.count && count.contains(parts.count) ? numbers : nil
    }
}
