import CSystem

/// Has whoever has all frames in memory wait for an output that is behind, which would leave pictures out: but no longer
/// than a stuck pipe deserves.
struct Throttle {
    /// Milliseconds between two looks.
    static let pause: Int32 = 5
    /// Nanoseconds without any progress.
    private static let patience: Int64 = 2_000_000_000
    private var since: Int64?

    /// - Parameter isBusy: whether the output is behind.
    /// - Returns: whether to wait.
    mutating func holds(_ isBusy: Bool) -> Bool {
        holds(isBusy, now: isBusy ? cs_clock_ns(Int32(CS_CLOCK_MONOTONIC)) : 0)
    }

    /// - Parameter now: CLOCK_MONOTONIC nanoseconds.
    mutating func holds(_ isBusy: Bool, now: Int64) -> Bool {
        guard isBusy else {
            since = nil
            return false
        }
        let start = since ?? now
        since = start
        return now - start < Self.patience
    }
}
