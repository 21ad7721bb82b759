import Glibc

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
