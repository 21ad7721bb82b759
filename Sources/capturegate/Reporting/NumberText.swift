import Glibc

/// Numbers as people read them.
enum NumberText {
    /// With a fixed number of digits after the point, 0 upwards.
    static func fixed(_ value: Double, _ digits: Int) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "?" }
        let scale = (0..<digits).reduce(Int64(1)) { power, _ in power * 10 }
        let scaled = Int64((abs(value) * Double(scale)).rounded())
        let sign = value < 0 && scaled != 0 ? "-" : ""
        guard digits > 0 else { return "\(sign)\(scaled)" }
        let fraction = String(scaled % scale)
        return "\(sign)\(scaled / scale).\(String(repeating: "0", count: digits - fraction.count))\(fraction)"
    }

    /// In the unit that leaves one to three digits before the point; powers of 1000.
    static func bytes(_ count: Int64) -> String {
        guard count >= 1000 else { return "\(count) B" }
        var value = Double(count) / 1000
        for unit in ["kB", "MB", "GB"] {
            if value < 1000 { return "\(fixed(value, 1)) \(unit)" }
            value /= 1000
        }
        return "\(fixed(value, 1)) TB"
    }

    /// `12.3 s`, or `1:02:03.4` from a minute on.
    static func time(nanoseconds: Int64) -> String {
        let tenths = (max(0, nanoseconds) + 50_000_000) / 100_000_000
        guard tenths >= 600 else { return "\(tenths / 10).\(tenths % 10) s" }
        let (hours, minutes, seconds) = (tenths / 36_000, tenths / 600 % 60, tenths / 10 % 60)
        let end = "\(two(minutes)):\(two(seconds)).\(tenths % 10)"
        return hours == 0 ? end : "\(hours):\(end)"
    }

    /// Bits a second; powers of 1000.
    static func bits(_ count: Int64) -> String {
        let text = bytes(max(0, count))
        return text.dropLast(text.hasSuffix(" B") ? 1 : 2)
            + (text.hasSuffix(" B") ? "bit/s" : "\(text.dropLast().last ?? " ")bit/s")
    }

    /// Roughly: `50 s`, `12 min`, `3 h`, `40 d`.
    static func span(seconds: Double) -> String {
        guard seconds.isFinite, seconds < 8.64e9 else { return "long" }
        for (unit, length) in [("d", 86_400.0), ("h", 3600.0), ("min", 60.0)] where seconds >= 3 * length {
            return "\(Int(seconds / length)) \(unit)"
        }
        return "\(Int(max(0, seconds))) s"
    }

    static func two(_ value: some BinaryInteger) -> String { value < 10 ? "0\(value)" : "\(value)" }

    /// `1 frame`, `2 frames`.
    static func counted(_ count: some BinaryInteger, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}

/// Moments of the wall clock in the time zone of this user.
enum WallTime {
    /// Nanoseconds since 1970.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        // A clock may be set beyond the year 2262, where the nanoseconds end.
        guard time.tv_sec < Int.max / 1_000_000_000 else { return .max }
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// `2026-01-31 18:00:00`
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
        guard (1970...2200).contains(year) else { return nil }
        var parts = tm()
        parts.tm_year = Int32(year - 1900)
        parts.tm_mon = Int32(month - 1)
        parts.tm_mday = Int32(day)
        parts.tm_hour = Int32(hour)
        parts.tm_min = Int32(minute)
        parts.tm_sec = Int32(second)
        parts.tm_isdst = -1
        let seconds = mktime(&parts)
        // mktime takes the 31st of February for a day of March.
        guard parts.tm_mon == Int32(month - 1), parts.tm_mday == Int32(day), hour < 24, minute < 60, second < 60 else {
            return nil
        }
        return Int64(seconds) * 1_000_000_000
    }

    /// Today's year, month and day.
    static func today(nanoseconds: Int64) -> (year: Int, month: Int, day: Int) {
        var seconds = time_t(nanoseconds / 1_000_000_000)
        var parts = tm()
        _ = localtime_r(&seconds, &parts)
        return (Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday))
    }
}
