/// What a source says of the signal at its input, or of what covers its lens.
///
/// *thread-safe*
public enum SignalState: UInt8, BitwiseCopyable, Sendable, Hashable, CaseIterable {
    /// As far as the source can tell.
    case present
    /// A shutter is closed (`V4L2_CID_PRIVACY`).
    case covered
    /// Nothing that is switched on is connected (`V4L2_IN_ST_NO_POWER`, `V4L2_CID_DV_RX_POWER_PRESENT`).
    case noPower
    /// Nothing is connected, or it sends nothing (`V4L2_IN_ST_NO_SIGNAL`, `ENOLINK`).
    case noSignal
    /// There is a signal that the source can't follow (`V4L2_IN_ST_NO_H_LOCK`, `V4L2_IN_ST_NO_SYNC`, `ENOLCK`).
    case noLock
    /// There is a signal of a size or rate that the source can't take (`ERANGE`).
    case outOfRange

    /// The raw value, for the fence.
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

    /// What each picture has that is taken in this state.
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
    /// Pixels.
    public var width: Int
    /// Pixels, of both fields together.
    public var height: Int
    public var isInterlaced: Bool
    /// Frames in 1000 s.
    public var millihertz: Int

    @_noLocks @_noAllocation
    public init(width: Int, height: Int, isInterlaced: Bool, millihertz: Int) {
        self.width = width
        self.height = height
        self.isInterlaced = isInterlaced
        self.millihertz = millihertz
    }

    /// Whether a device that is set up for one can capture the other. Receivers measure a rate to a few thousandths.
    @_noLocks @_noAllocation
    public func isLike(_ other: SignalTimings) -> Bool {
        guard width == other.width, height == other.height, isInterlaced == other.isInterlaced else { return false }
        let off = millihertz - other.millihertz
        return off <= other.millihertz / 200 && -off <= other.millihertz / 200
    }

    /// 16 bits each for the sides, 31 for the rate; 0 stands for none.
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

/// What a source has to tell between two pictures.
///
/// *realtime-safe*
public enum SignalEvent: BitwiseCopyable, Sendable, Hashable {
    case state(SignalState)
    /// The signal is another than the device is set up for.
    case changed(SignalTimings)
    /// The device says that nothing more comes (`V4L2_EVENT_EOS`).
    case over
}
