/// State of the signal at a source's input, or of the shutter at its lens.
///
/// *thread-safe*
public enum SignalState: UInt8, BitwiseCopyable, Sendable, Hashable, CaseIterable {
    /// A signal, as far as the source can tell.
    case present
    /// A shutter is closed (`V4L2_CID_PRIVACY`).
    case covered
    /// The other end of the cable is off or absent (`V4L2_IN_ST_NO_POWER`, `V4L2_CID_DV_RX_POWER_PRESENT`).
    case noPower
    /// Nothing is connected, or it sends nothing (`V4L2_IN_ST_NO_SIGNAL`, `ENOLINK`).
    case noSignal
    /// The source can't follow the signal (`V4L2_IN_ST_NO_H_LOCK`, `V4L2_IN_ST_NO_SYNC`, `ENOLCK`).
    case noLock
    /// The source can't take the signal's size or rate (`ERANGE`).
    case outOfRange

    /// The raw value, for the fence: the synthesized `rawValue` and `==` carry no marks.
    package var code: UInt8 {
        @_noLocks @_noAllocation get {
            switch self {
            case .present: 0
            case .covered: 1
            case .noPower: 2
            case .noSignal: 3
            case .noLock: 4
            case .outOfRange: 5
            }
        }
    }

    /// Flag of each frame that is taken in this state.
    package var flag: FrameFlags {
        @_noLocks @_noAllocation get {
            switch self {
            case .present: FrameFlags(rawValue: 0)
            case .covered: FrameFlags.covered
            case .noPower, .noSignal, .noLock, .outOfRange: FrameFlags.noSignal
            }
        }
    }
}

/// Size and rate of a digital signal.
///
/// *thread-safe*
public struct SignalTimings: BitwiseCopyable, Sendable, Hashable {
    /// Width in pixels.
    public var width: Int
    /// Height in pixels, of both fields together.
    public var height: Int
    public var isInterlaced: Bool
    /// Frame rate, in frames per 1000 s.
    public var millihertz: Int

    @_noLocks @_noAllocation
    public init(width: Int, height: Int, isInterlaced: Bool, millihertz: Int) {
        self.width = width
        self.height = height
        self.isInterlaced = isInterlaced
        self.millihertz = millihertz
    }

    /// True if a device that is set up for one signal can capture the other. Receivers measure a rate to a few
    /// thousandths.
    @_noLocks @_noAllocation
    public func isLike(_ other: SignalTimings) -> Bool {
        guard width == other.width, height == other.height, isInterlaced == other.isInterlaced else { return false }
        let off = millihertz - other.millihertz
        return off <= other.millihertz / 200 && -off <= other.millihertz / 200
    }

    /// Value in one word, for an atomic: 16 bits for each side, 31 for the rate. 0 stands for none.
    package var packed: UInt64 {
        @_noLocks @_noAllocation get {
            UInt64(truncatingIfNeeded: width & 0xFFFF) << 48 | UInt64(truncatingIfNeeded: height & 0xFFFF) << 32
                | UInt64(truncatingIfNeeded: millihertz & 0x7FFF_FFFF) << 1 | (isInterlaced ? 1 : 0)
        }
    }

    package init?(packed: UInt64) {
        guard packed != 0 else { return nil }
        self.init(
            width: Int(packed >> 48), height: Int(packed >> 32 & 0xFFFF), isInterlaced: packed & 1 == 1,
            millihertz: Int(packed >> 1 & 0x7FFF_FFFF))
    }
}

/// News of a source about its signal, told between two frames.
///
/// *realtime-safe*
public enum SignalEvent: BitwiseCopyable, Sendable, Hashable {
    case state(SignalState)
    /// The signal differs from the one that the device is set up for.
    case changed(SignalTimings)
    /// The device announced that no more data will come (`V4L2_EVENT_EOS`).
    case over
}
