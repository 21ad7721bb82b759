/// Header of a ring entry, written by the capture thread: one period of audio or one video frame.
///
/// For any two entries read in turn, `next.sequence == last.sequence + last.frameCount + next.lost.total`.
///
/// *thread-safe*
public struct FrameHeader: BitwiseCopyable, Sendable, Hashable {
    /// Number of the entry's first frame since the start, lost ones counted: audio frames, or video frames.
    public var sequence: UInt64
    /// Instant at which the first sample or the frame was taken: CLOCK_MONOTONIC in ns, always later than the entry
    /// before.
    ///
    /// A video frame's is the start of its exposure, which webcams report (V4L2_BUF_FLAG_TSTAMP_SRC_SOE). Most capture cards and
    /// camera sensors report the end of a frame; one frame's duration, half a second at most, is then subtracted. The rest is the
    /// driver's own inaccuracy, such as a tenth of a frame if reading a frame out takes nine.
    public var timestamp: Int64
    /// Bytes of payload, in all planes.
    public var byteCount: Int
    /// Audio frames; 1 for a video frame.
    public var frameCount: Int
    /// Events during this entry or right before it.
    public var flags: FrameFlags
    /// Frames missing directly before this entry, by cause. Inside a ring: running totals.
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

/// Numbers of missing frames, by cause: audio frames, or video frames.
///
/// *thread-safe*
public struct Loss: BitwiseCopyable, Sendable, Hashable {
    /// The device overran, or its sequence numbers have a hole.
    public var device: UInt64
    /// Delivered with an error flag, empty or too short.
    public var damaged: UInt64
    /// The reader was too slow.
    public var ring: UInt64

    @_noLocks @_noAllocation @inlinable
    public init(device: UInt64 = 0, damaged: UInt64 = 0, ring: UInt64 = 0) {
        self.device = device
        self.damaged = damaged
        self.ring = ring
    }

    /// Sum over all causes.
    public var total: UInt64 { device + damaged + ring }

    /// Difference between these totals and earlier ones. Wraps instead of trapping: a trap on the capture thread would
    /// end the process.
    @_noLocks @_noAllocation @inlinable
    package func since(_ earlier: Loss) -> Loss {
        Loss(device: device &- earlier.device, damaged: damaged &- earlier.damaged, ring: ring &- earlier.ring)
    }
}

/// Events during a ring entry, which is a period of audio or a video frame, or right before it.
///
/// *thread-safe*
public struct FrameFlags: OptionSet, BitwiseCopyable, Sendable, Hashable {
    public let rawValue: UInt32

    @_noLocks @_noAllocation @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The device overran before this entry; the loss is measured by the clock.
    public static var xrun: FrameFlags {
        @_noLocks @_noAllocation get { FrameFlags(rawValue: 1) }
    }
    /// The device or its driver left frames out before this entry.
    public static var gap: FrameFlags {
        @_noLocks @_noAllocation get { FrameFlags(rawValue: 2) }
    }
    /// The device's timestamp went backward, lay in the future or was missing, and was replaced.
    public static var repairedTimestamp: FrameFlags {
        @_noLocks @_noAllocation get { FrameFlags(rawValue: 4) }
    }
    /// The device had stalled and was started again before this entry.
    public static var restarted: FrameFlags {
        @_noLocks @_noAllocation get { FrameFlags(rawValue: 8) }
    }
    /// The device had slept and was woken before this entry.
    public static var suspended: FrameFlags {
        @_noLocks @_noAllocation get { FrameFlags(rawValue: 16) }
    }
    /// The device was unplugged and came back before this entry.
    public static var reattached: FrameFlags {
        @_noLocks @_noAllocation get { FrameFlags(rawValue: 32) }
    }
    /// The device's input had no usable signal: it delivers noise, or a frame that it makes itself.
    public static var noSignal: FrameFlags {
        @_noLocks @_noAllocation get { FrameFlags(rawValue: 64) }
    }
    /// A shutter covered the lens.
    public static var covered: FrameFlags {
        @_noLocks @_noAllocation get { FrameFlags(rawValue: 128) }
    }
    /// The frame is the bottom field of two that come one by one. Never set for whole frames.
    package static var bottomField: FrameFlags {
        @_noLocks @_noAllocation get { FrameFlags(rawValue: 256) }
    }

    // OptionSet's own union and contains are generic: the fence can't use them.

    @_noLocks @_noAllocation
    package mutating func add(_ flag: FrameFlags) {
        self = FrameFlags(rawValue: rawValue | flag.rawValue)
    }

    @_noLocks @_noAllocation
    package func holds(_ flag: FrameFlags) -> Bool {
        rawValue & flag.rawValue != 0
    }
}
