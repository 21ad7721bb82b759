import CaptureRealtime

/// What a running capture has counted; a consistent enough reading for display, exact once it has ended.
///
/// The ledger adds up: `made` = delivered + everything lost, in audio frames or pictures.
///
/// *thread-safe*
public struct CaptureStatistics: Hashable, Sendable {
    public let made: UInt64
    public let delivered: UInt64
    public let bytes: UInt64
    /// Missing in the device's own numbers, or by an xrun.
    public let lostByDevice: UInt64
    /// The reader was too slow.
    public let lostByReader: UInt64
    /// Excluded because the driver marked them as damaged.
    public let damaged: UInt64
    public let empty: UInt64
    public let short: UInt64
    public let xruns: UInt64
    public let stalls: UInt64
    public let repairedTimestamps: UInt64
    /// CLOCK_MONOTONIC nanoseconds; 0 before the first.
    public let firstTimestamp: Int64
    /// CLOCK_MONOTONIC nanoseconds; 0 before the first.
    public let lastTimestamp: Int64
    /// What the capture thread got of the priority it asked for.
    public let priority: String

    /// - Parameter away: frames that an unplugged device would have made until it came back.
    init(_ counters: CaptureCounters, lostWhileAway away: UInt64 = 0) {
        made = counters.made + away
        delivered = counters.delivered
        bytes = counters.bytes
        lostByDevice = counters.deviceLost + away
        lostByReader = counters.ringLost
        damaged = counters.flagged
        empty = counters.empty
        short = counters.short
        xruns = counters.xruns
        stalls = counters.stalls
        repairedTimestamps = counters.repairedTimestamps
        firstTimestamp = counters.firstTimestamp
        lastTimestamp = counters.lastTimestamp
        priority = Self.words(counters.priority)
    }

    private static func words(_ priority: RealtimePriority?) -> String {
        switch priority {
        case nil: "not running yet"
        case .fifo(let level): "SCHED_FIFO \(level)"
        case .roundRobin(let level): "SCHED_RR \(level)"
        case .nice(let value): "nice \(value)"
        case .normal(.sourceCallsServer): "normal: the device is a plugin that may wait for a server"
        case .normal(.refused(let errno)): "normal: \(SystemText.error(errno))"
        }
    }
}
