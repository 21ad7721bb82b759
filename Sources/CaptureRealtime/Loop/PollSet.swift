import CMedia

/// Descriptors that a source waits for: the device's, followed by the control's.
///
/// *realtime-safe*
@safe
public struct PollSet: ~Copyable, @unchecked Sendable {
    // `@unchecked Sendable`: only this value owns the pointer.
    let entries: UnsafeMutablePointer<pollfd>
    let devices: Int

    /// - Parameter devices: Number of the device's descriptors, 0 or more.
    public init(devices: Int) {
        unsafe entries = .allocate(capacity: devices + 1)
        unsafe entries.initialize(repeating: pollfd(fd: -1, events: 0, revents: 0), count: devices + 1)
        self.devices = devices
    }

    /// A set for one descriptor that becomes readable.
    ///
    /// - Parameters:
    ///   - descriptor: Descriptor to poll.
    ///   - exceptions: True if it may report events as well (POLLPRI).
    public init(reading descriptor: Int32, exceptions: Bool = false) {
        self.init(devices: 1)
        let events = exceptions ? POLLIN | POLLPRI : POLLIN
        unsafe entries[0] = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    }

    deinit {
        unsafe entries.deallocate()
    }

    /// Waits for device and control. The corresponding C function is `poll`.
    ///
    /// - Returns: The number of descriptors that are ready, or -errno.
    @_noLocks @_noAllocation
    public func wait(control: Int32, milliseconds: Int32) -> Int32 {
        unsafe entries[devices] = pollfd(fd: control, events: Int16(truncatingIfNeeded: POLLIN), revents: 0)
        return unsafe cm_poll(entries, Int32(truncatingIfNeeded: devices &+ 1), milliseconds)
    }

    /// Waits for only the control.
    @_noLocks @_noAllocation
    public func pause(control: Int32, milliseconds: Int32) {
        unsafe entries[devices] = pollfd(fd: control, events: Int16(truncatingIfNeeded: POLLIN), revents: 0)
        _ = unsafe cm_poll(entries + devices, 1, milliseconds)
    }

    /// State of the first device descriptor: data, an error state, or nothing.
    @_noLocks @_noAllocation
    public func wakeup() -> SourceWakeup {
        meaning(Int32(unsafe entries[0].revents))
    }

    /// True if the first device descriptor has events.
    @_noLocks @_noAllocation
    func hasExceptions() -> Bool {
        Int32(unsafe entries[0].revents) & POLLPRI != 0
    }

    /// Data takes precedence over an error state: a driver that reports both still holds frames.
    @_noLocks @_noAllocation
    func meaning(_ revents: Int32) -> SourceWakeup {
        if revents & POLLIN != 0 { return .ready }
        return revents & (POLLERR | POLLHUP | POLLNVAL) != 0 ? .trouble : .quiet
    }
}

/// Timer for sources without hardware: waits for an instant or the control. The corresponding C functions are `timerfd_settime`
/// and `poll`.
///
/// *realtime-safe*
public struct PeriodTimer: ~Copyable, Sendable {
    private let descriptor: Int32
    private let pollSet: PollSet

    /// - Throws: `timerfd_create`'s error: close descriptors, and try again.
    public init() throws(RealtimeFault) {
        let descriptor = try checked(.timer, cm_timerfd())
        self.descriptor = descriptor
        pollSet = PollSet(reading: descriptor)
    }

    deinit {
        _ = cm_close(descriptor)
    }

    /// Waits until an instant.
    ///
    /// - Parameters:
    ///   - instant: CLOCK_MONOTONIC in ns. If it has passed, there is no wait at all.
    ///   - control: A descriptor that becomes readable when the loop is to stop.
    ///   - milliseconds: Longest wait.
    @_noLocks @_noAllocation
    public func wait(until instant: Int64, control: Int32, milliseconds: Int32) -> SourceWakeup {
        guard MonotonicClock.now < instant else { return .ready }
        let set = cm_timerfd_set(descriptor, instant)
        if set < 0 { return .failed(RealtimeFault(.timer, result: set)) }
        let called = pollSet.wait(control: control, milliseconds: milliseconds)
        if called < 0 { return .failed(RealtimeFault(.poll, result: called)) }
        return MonotonicClock.now < instant ? .quiet : .ready
    }

    /// Waits for only the control.
    @_noLocks @_noAllocation
    public func pause(control: Int32, milliseconds: Int32) {
        pollSet.pause(control: control, milliseconds: milliseconds)
    }
}

/// Eventfd that means "check again". The corresponding C function is `eventfd`.
///
/// *thread-safe*
struct EventSignal: ~Copyable, Sendable {
    let descriptor: Int32

    /// - Throws: `eventfd`'s error: close descriptors, and try again.
    init() throws(RealtimeFault) {
        descriptor = try checked(.eventDescriptor, cm_eventfd())
    }

    @_noLocks @_noAllocation
    func raise() {
        Self.raise(descriptor)
    }

    /// Raises a signal by its descriptor. The only possible error, a full counter, can be ignored: the signal is raised already.
    @_noLocks @_noAllocation
    static func raise(_ descriptor: Int32) {
        _ = cm_eventfd_write(descriptor)
    }

    @_noLocks @_noAllocation
    func clear() {
        _ = cm_eventfd_read(descriptor)
    }

    /// Waits for a signal by its descriptor. The corresponding C function is `poll`.
    static func wait(for descriptor: Int32, milliseconds: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = unsafe cm_poll(&entry, 1, milliseconds)
    }

    deinit {
        _ = cm_close(descriptor)
    }
}

/// The clock of timestamps and deadlines: CLOCK_MONOTONIC. The corresponding C function is `clock_gettime`.
///
/// *realtime-safe*
package enum MonotonicClock {
    /// Nanoseconds since an unspecified moment. This clock is never set.
    package static var now: Int64 {
        @_noLocks @_noAllocation get { cm_monotonic() }
    }
}
