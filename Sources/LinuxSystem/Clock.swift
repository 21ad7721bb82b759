import CSystem
import Glibc

/// The kernel's clocks. The corresponding C function is `clock_gettime`.
///
/// *thread-safe*
package enum SystemClock: Sendable {
    /// CLOCK_MONOTONIC: from an arbitrary start, never set, stopped while the machine sleeps.
    case monotonic
    /// CLOCK_REALTIME: since 1970 in UTC, and settable.
    case realtime
    /// CLOCK_BOOTTIME: since the boot, sleep included.
    case boot
    /// CLOCK_PROCESS_CPUTIME_ID: processor time of this process.
    case process
    /// CLOCK_THREAD_CPUTIME_ID: processor time of the calling thread.
    case thread

    /// Nanoseconds; `Int64.max` for a clock set beyond the year 2262, which is their maximum.
    package var now: Int64 {
        switch self {
        case .monotonic: cs_clock_ns(Int32(CS_CLOCK_MONOTONIC))
        case .realtime: cs_clock_ns(Int32(CS_CLOCK_REALTIME))
        case .boot: cs_clock_ns(Int32(CS_CLOCK_BOOTTIME))
        case .process: cs_clock_ns(Int32(CS_CLOCK_PROCESS))
        case .thread: cs_clock_ns(Int32(CS_CLOCK_THREAD))
        }
    }
}

/// A moment of CLOCK_MONOTONIC at which a wait ends.
package struct Deadline: Hashable, Sendable {
    /// Nanoseconds of CLOCK_MONOTONIC; `Int64.max` never comes.
    package let nanoseconds: Int64

    package static let never = Deadline(nanoseconds: .max)
    package static var now: Deadline { Deadline(nanoseconds: SystemClock.monotonic.now) }

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// - Parameter duration: from now; one beyond the clock's range never ends, a negative one has passed.
    package init(after duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !isTooLong else {
            self = seconds > 0 ? .never : .now
            return
        }
        let (end, isTooLate) = Deadline.now.nanoseconds.addingReportingOverflow(whole + attoseconds / 1_000_000_000)
        nanoseconds = isTooLate ? .max : end
    }

    package var hasPassed: Bool { Deadline.now.nanoseconds >= nanoseconds }

    package func earlier(of other: Deadline) -> Deadline { other.nanoseconds < nanoseconds ? other : self }
}

/// A moment in calendar and clock notation, to the second: by libc, which knows the time zones.
///
/// Standard: the proleptic Gregorian calendar; seconds as POSIX.1-2024 counts them, without leap seconds. *thread-safe*
package struct CivilTime: Hashable, Sendable {
    /// A calendar in which days and hours are counted.
    package enum Zone: Hashable, Sendable {
        case utc
        /// This user's, by the variable TZ or /etc/localtime (tzset(3)).
        case local
    }

    package let year: Int
    /// 1 to 12.
    package let month: Int
    /// 1 to 31.
    package let day: Int
    /// 0 to 23.
    package let hour: Int
    /// 0 to 59.
    package let minute: Int
    /// 0 to 59.
    package let second: Int

    /// Takes any numbers; ``nanoseconds(in:)`` detects those that no calendar has.
    package init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// A moment in a zone. The corresponding C functions are `gmtime_r` and `localtime_r`.
    ///
    /// - Parameters:
    ///   - nanoseconds: since 1970 in UTC.
    ///   - zone: zone of the calendar.
    package init(nanoseconds: Int64, in zone: Zone) {
        var seconds = time_t(nanoseconds / 1_000_000_000)
        if nanoseconds % 1_000_000_000 < 0 { seconds -= 1 }
        // Both have a record for every year in the range of 64 bits of nanoseconds, 1677 to 2262.
        var parts = tm()
        _ = zone == .utc ? gmtime_r(&seconds, &parts) : localtime_r(&seconds, &parts)
        self.init(
            year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday),
            hour: Int(parts.tm_hour), minute: Int(parts.tm_min), second: Int(parts.tm_sec))
    }

    /// The moment of this calendar time in a zone. The corresponding C functions are `timegm` and `mktime`.
    ///
    /// - Parameter zone: zone of the calendar. An hour that the zone skips counts as the one before or after; one that occurs
    ///   twice counts as either.
    /// - Returns: nanoseconds since 1970 in UTC; `nil` if the calendar has no such moment, or 64 bits can't hold it.
    package func nanoseconds(in zone: Zone) -> Int64? {
        guard (0...9999).contains(year), (1...12).contains(month), (1...31).contains(day), (0...23).contains(hour),
            (0...59).contains(minute), (0...59).contains(second)
        else { return nil }
        var parts = tm()
        parts.tm_year = Int32(year - 1900)
        parts.tm_mon = Int32(month - 1)
        parts.tm_mday = Int32(day)
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (Int32(hour), Int32(minute), Int32(second))
        parts.tm_isdst = -1
        let seconds = zone == .utc ? timegm(&parts) : mktime(&parts)
        // Both accept the 31st of February as a day of March, and store that in the record.
        guard parts.tm_mon == Int32(month - 1), parts.tm_mday == Int32(day) else { return nil }
        let (nanoseconds, isTooFar) = Int64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return isTooFar ? nil : nanoseconds
    }

    /// Text of a moment in this user's zone, such as `2026-01-31 18:00:00`.
    ///
    /// - Parameter nanoseconds: since 1970 in UTC.
    package static func localText(nanoseconds: Int64) -> String {
        CivilTime(nanoseconds: nanoseconds, in: .local).text
    }

    /// 1 to 366.
    package var dayOfYear: Int {
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let before = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
        return before[(month - 1) % 12] + day + (isLeap && month > 2 ? 1 : 0)
    }

    /// Text such as `2026-01-31 18:00:00`.
    package var text: String {
        "\(year)-\(Self.two(month))-\(Self.two(day)) \(Self.two(hour)):\(Self.two(minute)):\(Self.two(second))"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
