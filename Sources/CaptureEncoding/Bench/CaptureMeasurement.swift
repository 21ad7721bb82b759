import CaptureGate

/// How a device was captured while nothing was done with its frames.
///
/// *thread-safe*
public struct CaptureMeasurement: Hashable, Sendable {
    public let device: Device
    public let media: ClipTrack.Media
    /// What was asked for and is otherwise, a sentence each.
    public let differences: [String]
    public let statistics: CaptureStatistics
    /// Pictures, or periods of sound, that came.
    public let units: Int
    /// By the clock, nanoseconds.
    public let elapsedNanoseconds: Int64
    /// Of all processors, for this process, nanoseconds.
    public let processorNanoseconds: Int64
    /// From one unit's time stamp to the next one's, where nothing was lost in between.
    public let intervals: Spread
    /// From a unit's time stamp until the reader had it. Sound is stamped with its first sample, so that a period's own
    /// length is part of it.
    public let delays: Spread

    /// Nanoseconds of which half and 99 in 100 are not above, and the most.
    public struct Spread: Hashable, Sendable {
        public let median, slow, most: Int64

        init(_ values: some Sequence<Int64>) {
            let ranks = Percentile(of: values)
            (median, slow, most) = (ranks[50], ranks[99], ranks[100])
        }
    }

    /// Frames of which none was delivered: pictures, or samples of each channel.
    public var lost: UInt64 { statistics.made - min(statistics.delivered, statistics.made) }
    /// How far a time stamp in a hundred is off the rhythm at least, nanoseconds.
    public var jitterNanoseconds: Int64 { max(intervals.slow - intervals.median, 0) }
    /// What part of one processor was used.
    public var processorShare: Double { Double(processorNanoseconds) / Double(max(elapsedNanoseconds, 1)) }
}
