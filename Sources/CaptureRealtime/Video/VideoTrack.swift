import CMedia

/// A video source and the ring that lends its buffers.
///
/// *realtime-safe* while its loop runs
public struct VideoStream<Source: VideoSource & ~Copyable>: ~Copyable {
    @usableFromInline var source: Source
    @usableFromInline var ring: VideoRing.Producer
    @usableFromInline var accounting: VideoAccounting
    /// A bit a buffer: which are with the device.
    @usableFromInline var queued: UInt32 = 0
    @usableFromInline let bufferCount: Int
    public let word: CommitWord
    public let counters: RealtimeCounters
    public let periodNanoseconds: Int64
    /// A camera may need seconds to its first picture: it opens its eye and settles its exposure.
    public let patienceNanoseconds: Int64 = 3_000_000_000
    // Keep alive what `word` and `counters` point at.
    private let control: LoopControl
    private let owner: CaptureCounters

    init(
        _ source: consuming Source, ring: consuming VideoRing.Producer, control: LoopControl, counters: CaptureCounters
    ) {
        let format = source.format
        bufferCount = source.buffers.count
        self.source = source
        self.ring = ring
        accounting = VideoAccounting(format, counters.realtime)
        periodNanoseconds = format.bufferNanoseconds
        word = control.word
        self.counters = counters.realtime
        self.control = control
        owner = counters
    }
}

extension VideoStream: CaptureRun where Source: ~Copyable {
    public var allowsRealtimePriority: Bool { source.allowsRealtimePriority }

    public func report(_ priority: RealtimePriority) { owner.report(priority) }

    public func hangDetector(patience: Duration) -> HangDetector? {
        HangDetector(control, owner, patience: patience, period: periodNanoseconds, giveUp: ring.giveUp)
    }

    public mutating func capture() -> LoopResult { Source.capture(&self) }

    public consuming func finish(_ result: LoopResult) {
        discard(source)
        ring.finish(result, counters)
    }
}
