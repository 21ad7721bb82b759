/// What the capture thread says of one unit in a ring: one period of sound or one picture.
///
/// For any two units read in turn, `next.sequence == last.sequence + last.frameCount + next.lost.total`.
///
/// *thread-safe*
public struct FrameHeader: BitwiseCopyable, Sendable, Hashable {
    /// The number of the first frame since the start, lost ones counted: audio frames, or pictures.
    public var sequence: UInt64
    /// When the first sample, or the picture, was taken: ns on CLOCK_MONOTONIC, always later than that of the unit before.
    ///
    /// Of a picture it is when its exposure began. Webcams stamp that (V4L2_BUF_FLAG_TSTAMP_SRC_SOE); most capture cards and
    /// camera sensors stamp the end of a frame, and one frame's duration, half a second at most, is taken off: what is left
    /// is the driver's own inaccuracy, such as a tenth of a frame where reading a picture out takes nine.
    public var timestamp: Int64
    /// Bytes of payload, in all planes.
    public var byteCount: Int
    /// Audio frames; 1 for a picture.
    public var frameCount: Int
    public var flags: FrameFlags
    /// What is missing directly before this unit, by cause. Inside a ring: running totals.
    public var lost: Loss

    @_noLocks @_noAllocation @inlinable
    public init(
        sequence: UInt64, timestamp: Int64, byteCount: Int, frameCount: Int,
        flags: FrameFlags = FrameFlags(rawValue: 0),
        lost: Loss = Loss()
    ) {
        self.sequence = sequence
        self.timestamp = timestamp
        self.byteCount = byteCount
        self.frameCount = frameCount
        self.flags = flags
        self.lost = lost
    }
}

/// How many frames are missing, by cause: audio frames, or pictures.
///
/// *thread-safe*
public struct Loss: BitwiseCopyable, Sendable, Hashable {
    /// The device overran, or its sequence numbers have a hole.
    public var device: UInt64
    /// They came with an error flag, empty or too short.
    public var damaged: UInt64
    /// The reader was too slow.
    public var ring: UInt64

    @_noLocks @_noAllocation @inlinable
    public init(device: UInt64 = 0, damaged: UInt64 = 0, ring: UInt64 = 0) {
        self.device = device
        self.damaged = damaged
        self.ring = ring
    }

    public var total: UInt64 { device + damaged + ring }

    /// What these totals hold beyond earlier ones.
    @_noLocks @_noAllocation @inlinable
    package func since(_ earlier: Loss) -> Loss {
        Loss(device: device &- earlier.device, damaged: damaged &- earlier.damaged, ring: ring &- earlier.ring)
    }
}

/// What happened to a unit or right before it.
///
/// *thread-safe*
public struct FrameFlags: OptionSet, BitwiseCopyable, Sendable, Hashable {
    public let rawValue: UInt32

    @_noLocks @_noAllocation @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The device overran before this unit; the loss is measured by the clock.
    public static var xrun: FrameFlags {
        @_noLocks @_noAllocation get { FrameFlags(rawValue: 1) }
    }
    /// The device or its driver left something out before this unit.
    public static var gap: FrameFlags {
        @_noLocks @_noAllocation get { FrameFlags(rawValue: 2) }
    }
    /// The device's time stamp went backward, lay in the future or was missing, and was replaced.
    public static var repairedTimestamp: FrameFlags {
        @_noLocks @_noAllocation get { FrameFlags(rawValue: 4) }
    }
    /// The device had stalled and was started again before this unit.
    public static var restarted: FrameFlags {
        @_noLocks @_noAllocation get { FrameFlags(rawValue: 8) }
    }
    /// The device had slept and was woken before this unit.
    public static var suspended: FrameFlags {
        @_noLocks @_noAllocation get { FrameFlags(rawValue: 16) }
    }
    /// The device was unplugged and came back before this unit.
    public static var reattached: FrameFlags {
        @_noLocks @_noAllocation get { FrameFlags(rawValue: 32) }
    }
    /// The device's input had no signal that it could follow: what it delivers is noise, or a picture of its own.
    public static var noSignal: FrameFlags {
        @_noLocks @_noAllocation get { FrameFlags(rawValue: 64) }
    }
    /// A shutter covered the lens.
    public static var covered: FrameFlags {
        @_noLocks @_noAllocation get { FrameFlags(rawValue: 128) }
    }
    /// Of pictures that come field by field: this one is the bottom field. Whole pictures never have it.
    package static var bottomField: FrameFlags {
        @_noLocks @_noAllocation get { FrameFlags(rawValue: 256) }
    }

    // OptionSet's own union and contains are generic, and so not for the fence.

    @_noLocks @_noAllocation
    package mutating func add(_ flag: FrameFlags) {
        self = FrameFlags(rawValue: rawValue | flag.rawValue)
    }

    @_noLocks @_noAllocation
    package func holds(_ flag: FrameFlags) -> Bool {
        rawValue & flag.rawValue != 0
    }
}
