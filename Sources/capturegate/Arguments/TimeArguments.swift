import ArgumentParser
import CaptureRecording
import LinuxSystem

/// Duration as people write it: `5s`, `1.5s`, `250ms`, `10m`, `2h`, `7d`, `00:01:30`, or a plain number of seconds.
///
/// Not ISO 8601's `PT5S`: nobody types it, and sleep(1) taught these suffixes. `ms` is added, since pre-rolls
/// and silences need it.
struct DurationArgument: SpelledArgument, Hashable, Sendable {
    /// Duration from 1 ms to ten years.
    let duration: Duration

    static let spelling =
        "a time such as 5s, 1.5s, 250ms, 10m, 2h, 7d or 00:01:30, from 1ms to ten years"

    init(duration: Duration) { self.duration = duration }

    init?(argument: String) {
        // ASCII digits alone: `isNumber` is also true of other scripts' digits.
        let digits = argument.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = Self.units[String(argument.dropFirst(digits.count))]
        let counted = unit.flatMap { unit in Double(digits).map { $0 * unit } }
        guard let seconds = counted ?? Self.clock(argument), seconds.isFinite, seconds >= 0.001, seconds <= Self.longest
        else { return nil }
        duration = .nanoseconds(Int64((seconds * 1e9).rounded()))
    }

    /// Seconds of `[HH:]MM:SS[.fraction]`, as ffmpeg writes a duration.
    private static func clock(_ text: String) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x3A || $0 == 0x2E }
        guard (2...3).contains(parts.count), isPlain, let last = parts.last, let seconds = Double(last), seconds < 60
        else {
            return nil
        }
        let whole = parts.dropLast().compactMap { Int($0) }
        guard whole.count == parts.count - 1, whole.dropFirst().allSatisfy({ $0 < 60 }) else { return nil }
        return whole.reduce(0) { $0 * 60 + Double($1) } * 60 + seconds
    }

    /// Seconds of each unit, case-sensitive. Months are not offered, so `m` is minutes without doubt.
    private static let units: [String: Double] = [
        "": 1, "ms": 0.001, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400,
    ]
    /// Ten years in seconds, so that nanoseconds, even added to today's date, fit 64 bits.
    private static let longest = 315_360_000.0
}

/// Moment in local time, as ISO 8601 writes it: `2026-01-31`, `2026-01-31T18:00`, `2026-01-31T18:00:30.250`;
/// or `18:00`, its next occurrence.
///
/// Time zones are not accepted: the person at the terminal means the clock on the wall.
struct MomentArgument: SpelledArgument, Hashable, Sendable {
    /// Year, month, day; `nil` for a time alone.
    private let date: [Int]?
    /// Hour, minute, second; checked against the calendar only when the moment is computed.
    private let time: [Int]
    /// Fraction of the second in nanoseconds.
    private let fraction: Int64

    static let spelling = "a local time such as 2026-01-31, 2026-01-31T18:00, 18:00 or 18:00:30.250"

    init?(argument: String) {
        // RFC 3339 also permits a space instead of the T.
        let parts = argument.split(whereSeparator: { $0 == "T" || $0 == " " })
        guard var first = parts.first, var last = parts.last, parts.count <= 2 else { return nil }
        guard let fraction = Self.cutFraction(&last) else { return nil }
        if parts.count == 1 { first = last }
        // Only dates contain a dash, and only times a colon.
        let hasDate = first.contains("-")
        guard let date = hasDate ? Self.numbers(first, "-", 3...3) : [],
            // A fraction belongs to seconds: `18:00.5` could mean half a minute.
            let time = hasDate && parts.count == 1 ? [0, 0] : Self.numbers(last, ":", fraction > 0 ? 3...3 : 2...3),
            hasDate || parts.count == 1
        else { return nil }
        self.date = hasDate ? date : nil
        self.time = time + (time.count == 2 ? [0] : [])
        self.fraction = fraction
    }

    /// Removes a fraction such as `.250`, with a point or a comma (ISO 8601 allows both), from the end of a
    /// time.
    ///
    /// - Returns: nanoseconds, 0 without a fraction; `nil` if it is malformed.
    private static func cutFraction(_ text: inout Substring) -> Int64? {
        guard let point = text.lastIndex(where: { $0 == "." || $0 == "," }) else { return 0 }
        let digits = text[text.index(after: point)...]
        // Nine digits are nanoseconds; more would be cut off silently.
        guard (1...9).contains(digits.count), digits.allSatisfy(\.isASCII), let value = UInt32(digits) else {
            return nil
        }
        text = text[..<point]
        return (digits.count..<9).reduce(Int64(value)) { value, _ in value * 10 }
    }

    /// Nanoseconds since 1970; `nil` if the calendar has no such moment.
    ///
    /// - Parameter now: current wall time, for a time without a date.
    func nanoseconds(now: Int64) -> Int64? {
        if let date { return moment(date[0], date[1], date[2]) }
        guard let moment = moment(onDayOf: now) else { return nil }
        // Tomorrow's if today's has passed. A day can be an hour
        // longer or shorter, so the moment is computed from its date.
        return moment <= now ? self.moment(onDayOf: moment + 86_400_000_000_000) : moment
    }

    private func moment(onDayOf nanoseconds: Int64) -> Int64? {
        let day = CivilTime(nanoseconds: nanoseconds, in: .local)
        return moment(day.year, day.month, day.day)
    }

    /// Nanoseconds since 1970 of this time on a date.
    private func moment(_ year: Int, _ month: Int, _ day: Int) -> Int64? {
        guard (1970...2200).contains(year) else { return nil }
        let moment = CivilTime(
            year: year, month: month, day: day, hour: time[0], minute: time[1], second: time[2])
        return moment.nanoseconds(in: .local).map { $0 + fraction }
    }

    /// Numbers between separators; `nil` if their count or a digit is wrong.
    private static func numbers(_ text: Substring, _ separator: Character, _ count: ClosedRange<Int>) -> [Int]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.count <= 4 && $0.allSatisfy(\.isNumber) ? Int($0) : nil }
        return numbers.count == parts.count && count.contains(parts.count) ? numbers : nil
    }
}

/// Duration of silence and, after a comma, the level of silence: `3s`, or `3s,-45`.
struct SilenceArgument: SpelledArgument, Hashable, Sendable {
    /// Rule of the recorder, with its default level if none was given.
    let rule: SilenceRule

    static let spelling =
        "a time of at least 20ms, optionally with a level in dBFS from -120 to 0, such as 3s or 3s,-45"

    init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let time = DurationArgument(argument: String(parts[0])),
            // Levels are measured over 20 ms, so a shorter silence can't be found.
            time.duration >= .milliseconds(20)
        else { return nil }
        guard parts.count == 2 else {
            rule = SilenceRule(duration: time.duration)
            return
        }
        // `-45dB` is accepted, too; full scale as the reference is understood.
        let digits = parts[1].lowercased().hasSuffix("db") ? parts[1].dropLast(2) : parts[1]
        guard let level = Double(digits), (-120...0).contains(level) else { return nil }
        rule = SilenceRule(duration: time.duration, levelDBFS: level)
    }
}
