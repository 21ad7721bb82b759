import CaptureGate

/// Frames that the device made, or should have made, and the clip does not have, by cause.
///
/// *thread-safe*
public struct LostFrames: Hashable, Sendable, Codable {
    /// Missing in the driver's sequence, dropped without a gap in it as the stamps tell, or while the device was unplugged: lost before they reached the program.
    public var device: UInt64 = 0
    /// The ring had no free slot: the reader was too slow.
    public var ring: UInt64 = 0
    /// The driver's error flag was set, or the picture was broken beyond repair.
    public var corrupt: UInt64 = 0
    /// Buffers without a byte.
    public var empty: UInt64 = 0
    /// Buffers with fewer bytes than a frame has.
    public var short: UInt64 = 0
    /// Audio frames missing through xruns.
    public var xrun: UInt64 = 0
    /// What the device would have made between the last frame before it fell silent and the first one after it was started
    /// again, by the clock.
    public var stall: UInt64 = 0
    /// Audio frames that the sleeping device did not make, by the clock.
    public var suspend: UInt64 = 0
    /// Frames that the encoder was too slow for.
    public var encoder: UInt64 = 0
    /// Pictures that the device delivered while its input had no signal: they are in the clip, and stand for what is missing.
    public var noSignal: UInt64 = 0
    /// The same while a shutter covered the lens.
    public var covered: UInt64 = 0

    public init() {}

    private enum CodingKeys: String, CodingKey {
        case device, ring, corrupt, empty, short, xrun, stall, suspend, encoder, covered
        case noSignal = "no_signal"
    }

    /// The sum of all causes.
    public var total: UInt64 { Self.causes.reduce(0) { $0 + self[keyPath: $1] } }

    /// Counts what the device lost before a frame or period, by what its flags say of the cause.
    mutating func add(_ frames: UInt64, before flags: FrameFlags) {
        if flags.contains(.reattached) {
            device += frames
        } else if flags.contains(.suspended) {
            suspend += frames
        } else if flags.contains(.xrun) {
            xrun += frames
        } else if flags.contains(.restarted) {
            stall += frames
        } else {
            device += frames
        }
    }
}

extension LostFrames {
    private static let causes: [WritableKeyPath<LostFrames, UInt64> & Sendable] = [
        \.device, \.ring, \.corrupt, \.empty, \.short, \.xrun, \.stall, \.suspend, \.encoder,
        \.noSignal, \.covered,
    ]

    static func += (lost: inout LostFrames, more: LostFrames) {
        for cause in causes { lost[keyPath: cause] += more[keyPath: cause] }
    }

    /// What was lost since then; never less than none.
    static func -= (lost: inout LostFrames, before: LostFrames) {
        for cause in causes { lost[keyPath: cause] -= min(lost[keyPath: cause], before[keyPath: cause]) }
    }
}
