import CMedia
import CaptureBase

/// Monitor of a camera's signal on the capture thread: by the driver's events, and by a look once a second at an input
/// that has a signal to lose, since many drivers send no events.
///
/// *realtime-safe*
struct SignalMonitor: BitwiseCopyable, Sendable {
    private let input: UInt32
    private let hasSignal: Bool
    private let hasTimings: Bool
    private let powerBit: UInt32
    /// True if the driver reports changes of the signal by itself.
    private let sendsChanges: Bool
    /// Frames from one look to the next.
    private let interval: Int
    /// Timings that the device is set up for; `nil` until there was a signal.
    private var shape: SignalTimings?
    private var state: SignalState
    private var isCovered = false
    private var reported = SignalState.present
    private var pictures = 0
    private var hasEvents = false
    private var isDue: Bool

    /// Most events to take at once: a driver that has no end of them must not hold the frames up.
    private static var mostEvents: Int {
        @_noLocks @_noAllocation get { 64 }
    }

    /// Subscribes to the driver's events. A driver that knows none is asked instead.
    init(_ descriptor: Int32, _ input: CameraInput, frameNanoseconds: Int64) {
        self.input = input.index
        hasSignal = input.hasSignal
        hasTimings = input.hasTimings
        powerBit = input.powerBit
        shape = input.shape
        state = input.state
        isDue = input.state != .present
        sendsChanges = cm_v4l2_subscribe_event(descriptor, UInt32(V4L2_EVENT_SOURCE_CHANGE), input.index) >= 0
        _ = cm_v4l2_subscribe_event(descriptor, UInt32(V4L2_EVENT_CTRL), UInt32(V4L2_CID_PRIVACY))
        if powerBit != 0 {
            _ = cm_v4l2_subscribe_event(descriptor, UInt32(V4L2_EVENT_CTRL), UInt32(V4L2_CID_DV_RX_POWER_PRESENT))
        }
        _ = cm_v4l2_subscribe_event(descriptor, UInt32(V4L2_EVENT_EOS), 0)
        interval = frameNanoseconds > 0 ? Int(max(1, min(1_000_000_000 / frameNanoseconds, 1000))) : 30
    }

    /// Notes that the driver has events (POLLPRI).
    @_noLocks @_noAllocation
    mutating func called() { hasEvents = true }

    /// Nothing came for a while.
    ///
    /// - Returns: True if the input can be asked for the reason.
    @_noLocks @_noAllocation
    mutating func starved() -> Bool {
        if hasSignal { isDue = true }
        return hasSignal
    }

    /// Counts a frame.
    @_noLocks @_noAllocation
    mutating func fed() {
        pictures &+= 1
        if hasSignal, pictures >= interval { isDue = true }
    }

    /// News since the last call.
    @_noLocks @_noAllocation
    mutating func news(_ descriptor: Int32) -> SignalEvent? {
        guard hasEvents || isDue else { return nil }
        var wasChange = false
        if hasEvents, takeEvents(descriptor, &wasChange) { return SignalEvent.over }
        if isDue || wasChange, let changed = look(descriptor, wasChange: wasChange) {
            return SignalEvent.changed(changed)
        }
        let now = isCovered ? SignalState.covered : state
        guard now.code != reported.code else { return nil }
        reported = now
        return SignalEvent.state(now)
    }

    /// - Returns: True if the driver announced that no more data will come.
    @_noLocks @_noAllocation
    private mutating func takeEvents(_ descriptor: Int32, _ wasChange: inout Bool) -> Bool {
        var event = cm_v4l2_event()
        for _ in 0..<Self.mostEvents {
            guard unsafe cm_v4l2_dqevent(descriptor, &event) >= 0 else { break }
            let type = Int32(truncatingIfNeeded: event.type)
            if type == V4L2_EVENT_EOS { return true }
            if type == V4L2_EVENT_SOURCE_CHANGE { wasChange = true }
            let isShutter = event.id == UInt32(truncatingIfNeeded: V4L2_CID_PRIVACY)
            if type == V4L2_EVENT_CTRL, isShutter { isCovered = event.value != 0 }
            if type == V4L2_EVENT_CTRL, !isShutter { wasChange = true }
        }
        hasEvents = false
        return false
    }

    /// - Returns: The present signal, where it differs from the expected one.
    @_noLocks @_noAllocation
    private mutating func look(_ descriptor: Int32, wasChange: Bool) -> SignalTimings? {
        isDue = false
        pictures = 0
        guard hasSignal else { return nil }
        var status: UInt32 = 0
        if unsafe cm_v4l2_input_status(descriptor, input, &status) >= 0 { state = SignalState(status: status) }
        if state.code == 0, SignalState.isPowerless(descriptor, powerBit) { state = SignalState.noPower }
        // Measuring takes some receivers a while, so it is not done each second where the driver reports changes.
        let isLost = state.code != 0 || reported.code != 0
        guard hasTimings, wasChange || isLost || !sendsChanges else { return nil }
        var timings = cm_v4l2_timings()
        let result = unsafe cm_v4l2_query_dv_timings(descriptor, &timings)
        guard result >= 0 else {
            if let lost = SignalState(query: result) { state = lost }
            return nil
        }
        return compared(SignalTimings(timings))
    }

    /// The first signal is the expected one: without it nothing could differ.
    @_noLocks @_noAllocation
    private mutating func compared(_ now: SignalTimings) -> SignalTimings? {
        guard let shape else {
            shape = now
            return nil
        }
        return now.isLike(shape) ? nil : now
    }
}
