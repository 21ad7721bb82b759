import Glibc

/// Numbers as people read them.
///
/// By hand: `String(format:)` needs Foundation, and so ICU, in a program that starts in milliseconds; and a
/// decimal comma, by the user's locale, would break scripts that read the plain text.
enum NumberText {
    /// Value with a fixed number of digits behind the point; 0 digits leave out the point.
    static func fixed(_ value: Double, _ digits: Int) -> String {
        // Larger values would overflow 64 bits once they are scaled.
        guard value.isFinite, abs(value) < 1e15 else { return "?" }
        let scale = (0..<digits).reduce(Int64(1)) { power, _ in power * 10 }
        let scaled = Int64((abs(value) * Double(scale)).rounded())
        // No "-0.0" for what rounds to nothing.
        let sign = value < 0 && scaled != 0 ? "-" : ""
        guard digits > 0 else { return "\(sign)\(scaled)" }
        let fraction = String(scaled % scale)
        return "\(sign)\(scaled / scale).\(String(repeating: "0", count: digits - fraction.count))\(fraction)"
    }

    /// Size in the unit that leaves one to three digits before the point; powers of 1000, as disks are sold
    /// and `df -H` counts.
    static func bytes(_ count: Int64) -> String {
        guard count >= 1000 else { return "\(count) B" }
        var value = Double(count) / 1000
        for unit in ["kB", "MB", "GB"] {
            if value < 1000 { return "\(fixed(value, 1)) \(unit)" }
            value /= 1000
        }
        return "\(fixed(value, 1)) TB"
    }

    /// Time as `12.3 s`, or as `1:02:03.4` from a minute on.
    static func time(nanoseconds: Int64) -> String {
        // Rounded before it is split, so that 59.97 s becomes 1:00.0 and not 60.0 s.
        let tenths = (max(0, nanoseconds) + 50_000_000) / 100_000_000
        guard tenths >= 600 else { return "\(tenths / 10).\(tenths % 10) s" }
        let (hours, minutes, seconds) = (tenths / 36_000, tenths / 600 % 60, tenths / 10 % 60)
        let end = "\(two(minutes)):\(two(seconds)).\(tenths % 10)"
        return hours == 0 ? end : "\(hours):\(end)"
    }

    /// Bit rate in powers of 1000, as codecs' rates are given.
    static func bits(_ count: Int64) -> String {
        let text = bytes(max(0, count))
        return text.dropLast(text.hasSuffix(" B") ? 1 : 2)
            + (text.hasSuffix(" B") ? "bit/s" : "\(text.dropLast().last ?? " ")bit/s")
    }

    /// Approximate time: `50 s`, `12 min`, `3 h`, `40 d`.
    static func span(seconds: Double) -> String {
        guard seconds.isFinite, seconds < 8.64e9 else { return "long" }
        // A unit begins at three of its own: "2 h" would hide up to an hour, "150 min" hides a minute.
        for (unit, length) in [("d", 86_400.0), ("h", 3600.0), ("min", 60.0)] where seconds >= 3 * length {
            return "\(Int(seconds / length)) \(unit)"
        }
        return "\(Int(max(0, seconds))) s"
    }

    /// At least two digits, as clocks and dates have.
    static func two(_ value: some BinaryInteger) -> String { value < 10 ? "0\(value)" : "\(value)" }

    /// Count with its noun: `1 frame`, `2 frames`. For nouns whose plural ends in s.
    static func counted(_ count: some BinaryInteger, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}

/// Moments of the wall clock in the user's time zone; the gate and the recorder count nanoseconds since 1970
/// in UTC.
enum WallTime {
    /// CLOCK_REALTIME in nanoseconds since 1970.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        // A clock may be set beyond the year 2262, where 64 bits of nanoseconds end.
        guard time.tv_sec < Int.max / 1_000_000_000 else { return .max }
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Local time as `2026-01-31 18:00:00`: ISO 8601's order with a space, as RFC 3339 permits for
    /// readability.
    static func text(nanoseconds: Int64) -> String {
        var seconds = time_t(nanoseconds / 1_000_000_000)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return "?" }
        let date = "\(parts.tm_year + 1900)-\(NumberText.two(parts.tm_mon + 1))-\(NumberText.two(parts.tm_mday))"
        let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { NumberText.two($0) }.joined(separator: ":")
        return "\(date) \(time)"
    }

    /// Nanoseconds since 1970 of a moment in local time; `nil` where the calendar has no such moment.
    static func nanoseconds(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) -> Int64? {
        // Begins with the epoch, and ends far from where 64 bits do.
        guard (1970...2200).contains(year) else { return nil }
        var parts = tm()
        parts.tm_year = Int32(year - 1900)
        parts.tm_mon = Int32(month - 1)
        parts.tm_mday = Int32(day)
        parts.tm_hour = Int32(hour)
        parts.tm_min = Int32(minute)
        parts.tm_sec = Int32(second)
        // Unknown: the time zone's rules decide whether daylight saving time is in force.
        parts.tm_isdst = -1
        let seconds = mktime(&parts)
        // mktime(3) normalizes: it takes the 31st of February for a day of March.
        guard parts.tm_mon == Int32(month - 1), parts.tm_mday == Int32(day), hour < 24, minute < 60, second < 60 else {
            return nil
        }
        return Int64(seconds) * 1_000_000_000
    }

    /// Local date of a moment, nanoseconds since 1970.
    static func today(nanoseconds: Int64) -> (year: Int, month: Int, day: Int) {
        var seconds = time_t(nanoseconds / 1_000_000_000)
        var parts = tm()
        _ = localtime_r(&seconds, &parts)
        return (Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday))
    }
}
