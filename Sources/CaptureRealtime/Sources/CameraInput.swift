import CMedia
import CaptureBase

/// Input of a camera: selected, set up, and queried for its signal.
package struct CameraInput: BitwiseCopyable, Sendable {
    /// V4L2's number.
    var index: UInt32 = 0
    /// True if there is a signal to lose: the input takes a standard or timings, or reports already that something is
    /// missing.
    var hasSignal = false
    /// True for a digital input (HDMI, SDI).
    var hasTimings = false
    /// Timings of the signal; without a signal, those that are set.
    var shape: SignalTimings?
    /// Frames in `denominator` seconds, for a digital input; 0 if it is not known.
    var numerator: UInt64 = 0
    var denominator: UInt64 = 0
    var state = SignalState.present
    /// The input's bit in V4L2_CID_DV_RX_POWER_PRESENT, the power from the other end of the cable; 0 if nothing
    /// reports it.
    var powerBit: UInt32 = 0

    /// Selects and sets up the input as requested. Without a request, sets a digital input to the timings of its signal, since it
    /// does not follow them by itself.
    ///
    /// - Throws: EINVAL: there is no such input, standard or timings. EBUSY: another process streams. The selection remains after
    ///   the device is closed, as with any program.
    static func selected(_ node: borrowing CameraDescriptor, asked: CameraSettings) throws(RealtimeFault) -> CameraInput
    {
        let descriptor = node.descriptor
        if asked.input >= 0 {
            _ = try checked(.selectInput, cm_v4l2_s_input(descriptor, UInt32(clamping: asked.input)))
        }
        let index = cm_v4l2_g_input(descriptor)
        var raw = cm_v4l2_input()
        let result = index < 0 ? index : unsafe cm_v4l2_enuminput(descriptor, UInt32(index), &raw)
        // A driver without inputs is fine, unless the request has settings for an input.
        if asked.isOfInput { _ = try checked(.findInput, result) }
        guard result >= 0 else { return CameraInput() }
        let hasTimings = raw.capabilities & UInt32(V4L2_IN_CAP_DV_TIMINGS) != 0
        try refuse(asked, standards: raw.standards, hasTimings: hasTimings)
        var input = CameraInput(index: UInt32(index), hasTimings: hasTimings, state: SignalState(status: raw.status))
        input.hasSignal = hasTimings || raw.standards != 0 || input.isLost
        if raw.standards != 0 { try input.setStandard(descriptor, asked, all: raw.standards) }
        if hasTimings { try input.setTimings(descriptor, asked) }
        if hasTimings { input.powerBit = Self.powerBit(of: input.index, descriptor) }
        if !input.isLost, SignalState.isPowerless(descriptor, input.powerBit) { input.state = .noPower }
        return input
    }

    /// Finds an input's bit in V4L2_CID_DV_RX_POWER_PRESENT, which has one for each digital input, in their order.
    package static func powerBit(of index: UInt32, _ descriptor: Int32) -> UInt32 {
        var control = cm_v4l2_control()
        let known = unsafe cm_v4l2_queryctrl(descriptor, UInt32(V4L2_CID_DV_RX_POWER_PRESENT), &control) >= 0
        guard known, index < 64 else { return 0 }
        var input = cm_v4l2_input()
        let before = (0..<index).count {
            unsafe cm_v4l2_enuminput(descriptor, $0, &input) >= 0
                && input.capabilities & UInt32(V4L2_IN_CAP_DV_TIMINGS) != 0
        }
        let bit = before < 31 ? UInt32(1) << UInt32(before) : 0
        return control.maximum & Int64(bit) == 0 ? 0 : bit
    }

    private var isLost: Bool { state != .present }

    /// Refuses settings that the input can't use.
    private static func refuse(
        _ asked: CameraSettings, standards: UInt64, hasTimings: Bool
    ) throws(RealtimeFault) {
        let isAnalogue = asked.standard != 0 || asked.detectsStandard
        if isAnalogue, standards == 0 || asked.standard != 0 && asked.standard & standards == 0 {
            throw RealtimeFault(.setStandard, result: -EINVAL)
        }
        if asked.timings != nil, !hasTimings { throw RealtimeFault(.findTimings, result: -EINVAL) }
    }

    private mutating func setStandard(
        _ descriptor: Int32, _ asked: CameraSettings, all: UInt64
    ) throws(RealtimeFault) {
        // Not every driver can detect a standard at any time. A driver that can, reports 0 if there is no signal.
        var found = all
        let answered = unsafe cm_v4l2_querystd(descriptor, &found) >= 0
        if answered, found == 0, !isLost { state = .noSignal }
        let wanted = asked.detectsStandard ? (answered ? found : 0) : asked.standard & all
        if wanted != 0 { _ = try checked(.setStandard, cm_v4l2_s_std(descriptor, wanted)) }
    }

    /// Sets the requested timings, otherwise those of the signal.
    private mutating func setTimings(_ descriptor: Int32, _ asked: CameraSettings) throws(RealtimeFault) {
        var timings = cm_v4l2_timings()
        let result = unsafe cm_v4l2_query_dv_timings(descriptor, &timings)
        if result >= 0 {
            shape = SignalTimings(timings)
        } else if let lost = SignalState(query: result) {
            state = lost
        }
        if let wanted = asked.timings {
            timings = try Self.timings(like: wanted, descriptor)
            _ = try unsafe checked(.setTimings, cm_v4l2_s_dv_timings(descriptor, &timings))
        } else if result >= 0 {
            _ = try unsafe checked(.setTimings, cm_v4l2_s_dv_timings(descriptor, &timings))
        } else if unsafe cm_v4l2_g_dv_timings(descriptor, &timings) < 0 {
            return
        }
        // Without a signal, a later one is compared with the timings that are set.
        shape = shape ?? SignalTimings(timings)
        (numerator, denominator) = (timings.numerator, timings.denominator)
    }

    /// Driver's timings that match the request.
    private static func timings(
        like wanted: SignalTimings, _ descriptor: Int32
    ) throws(RealtimeFault) -> cm_v4l2_timings {
        var timings = cm_v4l2_timings()
        var index: UInt32 = 0
        // A driver with an endless list must not block the opening.
        while index < 512, unsafe cm_v4l2_enum_dv_timings(descriptor, index, &timings) >= 0 {
            if SignalTimings(timings).isMeant(by: wanted) { return timings }
            index += 1
        }
        throw RealtimeFault(.findTimings, result: -EINVAL)
    }
}

extension SignalState {
    /// - Parameter status: V4L2_IN_ST_*
    @_noLocks @_noAllocation
    package init(status: UInt32) {
        let bits = Int32(truncatingIfNeeded: status)
        if bits & V4L2_IN_ST_NO_POWER != 0 {
            self = .noPower
        } else if bits & (V4L2_IN_ST_NO_SIGNAL | V4L2_IN_ST_NO_CARRIER) != 0 {
            self = .noSignal
        } else if bits & Self.unlocked != 0 {
            self = .noLock
        } else {
            self = .present
        }
    }

    /// True if the other end of the cable is off or absent.
    ///
    /// - Parameters:
    ///   - descriptor: The open node.
    ///   - bit: ``CameraInput/powerBit``
    @_noLocks @_noAllocation
    package static func isPowerless(_ descriptor: Int32, _ bit: UInt32) -> Bool {
        var value: Int32 = 0
        guard bit != 0, unsafe cm_v4l2_g_ctrl(descriptor, UInt32(V4L2_CID_DV_RX_POWER_PRESENT), &value) >= 0 else {
            return false
        }
        return UInt32(bitPattern: value) & bit == 0
    }

    private static var unlocked: Int32 {
        @_noLocks @_noAllocation get {
            V4L2_IN_ST_NO_H_LOCK | V4L2_IN_ST_NO_V_LOCK | V4L2_IN_ST_NO_STD_LOCK | V4L2_IN_ST_NO_SYNC
                | V4L2_IN_ST_NO_ACCESS
        }
    }

    /// - Parameter result: VIDIOC_QUERY_DV_TIMINGS's -errno. `nil` for an error that shows nothing about the signal.
    @_noLocks @_noAllocation
    package init?(query result: Int32) {
        let errno = 0 &- result
        if errno == ENOLINK {
            self = .noSignal
        } else if errno == ENOLCK {
            self = .noLock
        } else if errno == ERANGE {
            self = .outOfRange
        } else {
            return nil
        }
    }
}

extension SignalTimings {
    /// Reads a driver's timings, of a signal or a setting.
    @_noLocks @_noAllocation
    package init(_ timings: cm_v4l2_timings) {
        // A driver may report any numbers. With these bounds, nothing below exceeds 64 bits.
        let clock = timings.numerator < 1 << 40 ? timings.numerator : 1 << 40
        let all = timings.denominator
        let millihertz = all == 0 ? 0 : clock / all &* 1000 &+ clock % all &* 1000 / all
        self.init(
            width: Int(timings.width), height: Int(timings.height), isInterlaced: timings.interlaced != 0,
            millihertz: Int(truncatingIfNeeded: millihertz & 0x7FFF_FFFF))
    }

    /// True if a person would call these timings `wanted`: 1080i50 has 25 frames of 50 fields, and 60 means 59.94, too.
    func isMeant(by wanted: SignalTimings) -> Bool {
        guard width == wanted.width, height == wanted.height, isInterlaced == wanted.isInterlaced else { return false }
        let fields = isInterlaced ? 2 * millihertz : millihertz
        return [millihertz, fields].contains { abs($0 - wanted.millihertz) <= 600 }
    }
}

/// Monitor of a camera's signal on the capture thread. It uses the driver's events. It also checks once a second an input that can
/// lose its signal, since many drivers send no events.
///
/// *realtime-safe*
struct SignalMonitor: BitwiseCopyable, Sendable {
    private let input: UInt32
    private let hasSignal: Bool
    private let hasTimings: Bool
    private let powerBit: UInt32
    /// True if the driver reports changes of the signal by itself.
    private let sendsChanges: Bool
    /// Frames between two checks.
    private let interval: Int
    /// Timings that the device is set up for; `nil` until there was a signal.
    private var shape: SignalTimings?
    private var state: SignalState
    private var isCovered = false
    private var reported = SignalState.present
    private var pictures = 0
    private var hasEvents = false
    private var isDue: Bool

    /// Maximum number of events to take at once: a driver with endless events must not delay the frames.
    private static var mostEvents: Int {
        @_noLocks @_noAllocation get { 64 }
    }

    /// Subscribes to the driver's events. A driver without events is queried instead.
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

    /// Notes a time without data.
    ///
    /// - Returns: True if the input can be queried for the reason.
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

    /// Changes since the last call.
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

    /// - Returns: The present signal, if it differs from the expected one.
    @_noLocks @_noAllocation
    private mutating func look(_ descriptor: Int32, wasChange: Bool) -> SignalTimings? {
        isDue = false
        pictures = 0
        guard hasSignal else { return nil }
        var status: UInt32 = 0
        if unsafe cm_v4l2_input_status(descriptor, input, &status) >= 0 { state = SignalState(status: status) }
        if state.code == 0, SignalState.isPowerless(descriptor, powerBit) { state = SignalState.noPower }
        // Some receivers need time to measure, so it is not done each second if the driver reports changes.
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

    /// Makes the first signal the expected one: before it there was nothing to compare with.
    @_noLocks @_noAllocation
    private mutating func compared(_ now: SignalTimings) -> SignalTimings? {
        guard let shape else {
            shape = now
            return nil
        }
        return now.isLike(shape) ? nil : now
    }
}
