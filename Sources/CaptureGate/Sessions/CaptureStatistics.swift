import CaptureRealtime
import Gate

/// Counters of a capture: consistent enough for display while it runs, exact once it has ended.
///
/// They add up: `made` = delivered + everything lost, in audio frames or video frames.
///
/// *thread-safe*
public struct CaptureStatistics: Hashable, Sendable {
    /// Frames that the device made, lost ones included.
    public let made: UInt64
    /// Frames that went into the ring, and were not overwritten.
    public let delivered: UInt64
    /// Bytes of the delivered frames.
    public let bytes: UInt64
    /// Lost before the ring: a gap in the device's numbers, an xrun, or an absence.
    public let lostByDevice: UInt64
    /// Lost in the ring: the reader was too slow.
    public let lostByReader: UInt64
    /// Frames dropped because the driver marked them as damaged.
    public let damaged: UInt64
    /// Frames dropped because they had no bytes.
    public let empty: UInt64
    /// Frames dropped because they had fewer bytes than the format needs.
    public let short: UInt64
    /// Overruns of the device.
    public let xruns: UInt64
    /// Silences of the device that led to a restart.
    public let stalls: UInt64
    /// Timestamps that went backward, lay in the future or were missing.
    public let repairedTimestamps: UInt64
    /// Timestamp of the first frame, CLOCK_MONOTONIC in ns; 0 before it.
    public let firstTimestamp: Int64
    /// Timestamp of the last frame, CLOCK_MONOTONIC in ns; 0 before the first.
    public let lastTimestamp: Int64
    /// Priority that the capture thread got.
    public let priority: ThreadPriority

    /// Reads the counters.
    ///
    /// - Parameters:
    ///   - counters: of the capture.
    ///   - away: number of frames that the device would have made while it was unplugged.
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
        priority = counters.priority ?? .notRunning
    }

    private init(_ now: CaptureStatistics, since before: CaptureStatistics) {
        made = now.made - min(now.made, before.made)
        delivered = now.delivered - min(now.delivered, before.delivered)
        bytes = now.bytes - min(now.bytes, before.bytes)
        lostByDevice = now.lostByDevice - min(now.lostByDevice, before.lostByDevice)
        lostByReader = now.lostByReader - min(now.lostByReader, before.lostByReader)
        damaged = now.damaged - min(now.damaged, before.damaged)
        empty = now.empty - min(now.empty, before.empty)
        short = now.short - min(now.short, before.short)
        xruns = now.xruns - min(now.xruns, before.xruns)
        stalls = now.stalls - min(now.stalls, before.stalls)
        repairedTimestamps = now.repairedTimestamps - min(now.repairedTimestamps, before.repairedTimestamps)
        (firstTimestamp, lastTimestamp, priority) = (now.firstTimestamp, now.lastTimestamp, now.priority)
    }

    /// Counters of the time since earlier ones of the same session were read; timestamps and priority are those of now.
    package func since(_ before: CaptureStatistics) -> CaptureStatistics { CaptureStatistics(self, since: before) }
}

/// Reason why a capture ended.
///
/// *thread-safe*
public enum SessionEnd: Hashable, Sendable {
    /// The program stopped it.
    case stopped
    /// The gate ended it: revoked, expired or switched off, as the error says.
    case refused(CaptureError)
    /// The device was unplugged.
    case deviceGone(CaptureError)
    /// The device stopped delivering. It sent no frame for five periods or 500 ms (whichever is longer), and none after a
    /// restart. Or a call to it has not returned for five seconds, such as one to a stopped sound server.
    case stalled(CaptureError)
    /// The signal at the device's input is not the one that the capture was set up for, or is gone and no frame came
    /// any more.
    case signalChanged(CaptureError)
    /// A call to the device failed.
    case failed(CaptureError)

    /// The error to report; `nil` if the program ended the capture itself.
    public var error: CaptureError? {
        switch self {
        case .stopped: nil
        case .refused(let error), .deviceGone(let error), .stalled(let error), .signalChanged(let error),
            .failed(let error):
            error
        }
    }
}

/// Handle on a session for others than its reader, who may be held up in the middle of a frame.
///
/// *thread-safe*
package struct SessionHandle: Sendable {
    let core: CaptureCore
    /// Format of a camera's own frames, for the errors' texts.
    let format: VideoFormat?

    /// End of the capture; `nil` while it runs, and while a call to the device has not returned. There may still be
    /// something to take.
    package var end: SessionEnd? { core.end(core.result, of: format) }

    /// Asks the capture to end, which closes the device; frames that were captured before can still be taken.
    package func stop() { core.control.request(.stop) }
}

extension CaptureSession {
    /// Handle on this opening of the device; a reopened device has another one.
    package var handle: SessionHandle {
        SessionHandle(core: core, format: pictures?.source ?? format as? VideoFormat)
    }
}
