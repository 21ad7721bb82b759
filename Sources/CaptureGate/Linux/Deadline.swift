import CSystem

/// A moment of CLOCK_MONOTONIC, as `cs_poll_until` takes it.
struct Deadline: Hashable, Sendable {
    /// `Int64.max` never comes.
    let nanoseconds: Int64

    static let never = Deadline(nanoseconds: .max)
    static var now: Deadline { Deadline(nanoseconds: cs_clock_ns(Int32(CS_CLOCK_MONOTONIC))) }

    init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// - Parameter duration: from now; what is beyond the clock's range never comes, what is negative has passed.
    init(after duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !isTooLong else {
            self = seconds > 0 ? .never : .now
            return
        }
        let (end, isTooLate) = Deadline.now.nanoseconds.addingReportingOverflow(whole + attoseconds / 1_000_000_000)
        nanoseconds = isTooLate ? .max : end
    }

    var hasPassed: Bool { Deadline.now.nanoseconds >= nanoseconds }

    func earlier(of other: Deadline) -> Deadline { other.nanoseconds < nanoseconds ? other : self }
}
