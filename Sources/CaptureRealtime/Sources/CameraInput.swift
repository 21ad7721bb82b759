import CMedia
import CaptureBase

/// The input that a camera's pictures come from: chosen, set up, and asked for its signal.
package struct CameraInput: BitwiseCopyable, Sendable {
    /// V4L2's number.
    var index: UInt32 = 0
    /// It has a signal to lose: it takes a standard or timings, or says already that something is missing.
    var hasSignal = false
    /// It is digital (HDMI, SDI).
    var hasTimings = false
    /// Of the signal; without one, what is set.
    var shape: SignalTimings?
    /// Pictures in `denominator` seconds, of a digital one; 0 where it is not known.
    var numerator: UInt64 = 0
    var denominator: UInt64 = 0
    var state = SignalState.present
    /// Its bit in what tells of power from the other end of the cable; 0 where nothing does.
    var powerBit: UInt32 = 0

    /// Sets up what was asked for. A digital input else delivers what its signal is, once it is told so.
    ///
    /// - Throws: EINVAL: there is no such input, standard or timings. EBUSY: somebody streams. What is chosen stays so when
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
        // A driver without inputs is as good as any, unless something is wanted of one.
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

    /// Of V4L2_CID_DV_RX_POWER_PRESENT, which has a bit for each digital input, in their order.
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

    /// What was asked for and the input has nothing of.
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
        // Not every driver can tell, and some not now; who can, says 0 where there is nothing.
        var found = all
        let answered = unsafe cm_v4l2_querystd(descriptor, &found) >= 0
        if answered, found == 0, !isLost { state = .noSignal }
        let wanted = asked.detectsStandard ? (answered ? found : 0) : asked.standard & all
        if wanted != 0 { _ = try checked(.setStandard, cm_v4l2_s_std(descriptor, wanted)) }
    }

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
        // Without a signal, the one that comes is measured against what is set.
        shape = shape ?? SignalTimings(timings)
        (numerator, denominator) = (timings.numerator, timings.denominator)
    }

    private static func timings(
        like wanted: SignalTimings, _ descriptor: Int32
    ) throws(RealtimeFault) -> cm_v4l2_timings {
        var timings = cm_v4l2_timings()
        var index: UInt32 = 0
        // A driver whose list has no end must not hold the opening up for ever.
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

    /// Whether nothing that is switched on is at the other end of the cable.
    ///
    /// - Parameter bit: ``CameraInput/powerBit``
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

    /// - Parameter result: of VIDIOC_QUERY_DV_TIMINGS, -errno. `nil` for what says nothing of the signal.
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
    /// What a driver says of a signal or a setting.
    @_noLocks @_noAllocation
    package init(_ timings: cm_v4l2_timings) {
        // A driver's numbers may be any: bounded, nothing below leaves 64 bits.
        let clock = timings.numerator < 1 << 40 ? timings.numerator : 1 << 40
        let all = timings.denominator
        let millihertz = all == 0 ? 0 : clock / all &* 1000 &+ clock % all &* 1000 / all
        self.init(
            width: Int(timings.width), height: Int(timings.height), isInterlaced: timings.interlaced != 0,
            millihertz: Int(truncatingIfNeeded: millihertz & 0x7FFF_FFFF))
    }

    /// Whether it is what a person calls so: 1080i50 has 25 frames of 50 fields, and 60 stands for 59.94, too.
    func isMeant(by wanted: SignalTimings) -> Bool {
        guard width == wanted.width, height == wanted.height, isInterlaced == wanted.isInterlaced else { return false }
        let fields = isInterlaced ? 2 * millihertz : millihertz
        return [millihertz, fields].contains { abs($0 - wanted.millihertz) <= 600 }
    }
}
