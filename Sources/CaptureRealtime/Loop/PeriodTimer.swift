import CMedia

/// What a source without hardware waits for: an instant, or the control. The corresponding C functions are
/// `timerfd_settime` and `poll`.
///
/// *realtime-safe*
public struct PeriodTimer: ~Copyable, Sendable {
    private let descriptor: Int32
    private let pollSet: PollSet

    /// - Throws: `timerfd_create`, as the system says: close something, and try again.
    public init() throws(RealtimeFault) {
        let descriptor = try checked(.timer, cm_timerfd())
        self.descriptor = descriptor
        pollSet = PollSet(reading: descriptor)
    }

    deinit {
        _ = cm_close(descriptor)
    }

    /// - Parameters:
    ///   - instant: ns on CLOCK_MONOTONIC. Where it has passed, there is no wait at all.
    ///   - milliseconds: How long at most.
    @_noLocks @_noAllocation
    public func wait(until instant: Int64, control: Int32, milliseconds: Int32) -> SourceWakeup {
        guard cm_monotonic() < instant else { return .ready }
        let set = cm_timerfd_set(descriptor, instant)
        if set < 0 { return .failed(RealtimeFault(.timer, result: set)) }
        let called = pollSet.wait(control: control, milliseconds: milliseconds)
        if called < 0 { return .failed(RealtimeFault(.poll, result: called)) }
        return cm_monotonic() < instant ? .quiet : .ready
    }

    /// Waits for the control alone.
    @_noLocks @_noAllocation
    public func pause(control: Int32, milliseconds: Int32) {
        pollSet.pause(control: control, milliseconds: milliseconds)
    }
}
