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
