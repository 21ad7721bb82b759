import CaptureRealtime
import Gate

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

/// Why a capture ended.
///
/// *thread-safe*
public enum SessionEnd: Hashable, Sendable {
    /// The program stopped it.
    case stopped
    /// The gate ended it: revoked, expired or switched off. The error says which.
    case refused(CaptureError)
    case deviceGone(CaptureError)
    /// Nothing came for five periods or 500 ms, whichever is more, and nothing after a restart; or a call to the device has
    /// not returned for five seconds, as one to a sound server that was stopped.
    case stalled(CaptureError)
    /// The signal at the device's input is another than the capture was set up for, or is gone and nothing came any more.
    case signalChanged(CaptureError)
    case failed(CaptureError)

    /// The error to report; `nil` where the program ended it itself.
    public var error: CaptureError? {
        switch self {
        case .stopped: nil
        case .refused(let error), .deviceGone(let error), .stalled(let error), .signalChanged(let error),
            .failed(let error):
            error
        }
    }
}

/// A session as others than its reader see it, who may be held up in the middle of a frame.
///
/// *thread-safe*
package struct SessionHandle: Sendable {
    let core: CaptureCore
    let format: VideoFormat?

    /// How the capture ended; `nil` while it runs, and where a call to the device has not returned. There may still be
    /// something to take.
    package var end: SessionEnd? { core.end(core.result, of: format) }

    /// Asks the capture to end, which closes the device; what was captured before can still be taken.
    package func stop() { core.control.request(.stop) }
}

extension CaptureSession where Reader: ~Copyable {
    /// Of this opening of the device: where it is opened again, there is another one.
    package var handle: SessionHandle {
        SessionHandle(core: core, format: pictures?.source ?? format as? VideoFormat)
    }
}
