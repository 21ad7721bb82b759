import CSystem

/// The kernel's clocks. The corresponding C function is `clock_gettime`.
///
/// *thread-safe*
package enum SystemClock: Sendable {
    /// CLOCK_MONOTONIC: since some moment, never set, standing still while the machine sleeps.
    case monotonic
    /// CLOCK_REALTIME: since 1970 in UTC, and set whenever somebody does.
    case realtime
    /// CLOCK_BOOTTIME: since the boot, sleep included.
    case boot
    /// CLOCK_PROCESS_CPUTIME_ID: processor time of this process.
    case process
    /// CLOCK_THREAD_CPUTIME_ID: processor time of the calling thread.
    case thread

    /// Nanoseconds; `Int64.max` of a clock that is set beyond the year 2262, where they end.
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

/// A moment of CLOCK_MONOTONIC until which something may wait.
package struct Deadline: Hashable, Sendable {
    /// `Int64.max` never comes.
    package let nanoseconds: Int64

    package static let never = Deadline(nanoseconds: .max)
    package static var now: Deadline { Deadline(nanoseconds: SystemClock.monotonic.now) }

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// - Parameter duration: from now; what is beyond the clock's range never comes, what is negative has passed.
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
