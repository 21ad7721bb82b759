import CMedia

/// An audio source and the ring it fills.
///
/// *realtime-safe* while its loop runs
@safe
public struct AudioStream<Source: AudioSource & ~Copyable>: ~Copyable, @unchecked Sendable {
    // Sendable by hand because of `slot`: it points into the ring's memory, which `ring` keeps alive.
    @usableFromInline var source: Source
    @usableFromInline var ring: AudioRing.Producer
    @usableFromInline var accounting: AudioAccounting
    /// Where the period under way goes, and how much of it is there.
    @usableFromInline var slot: UnsafeMutableRawPointer?
    @usableFromInline var filled = 0
    @usableFromInline let periodFrames: Int
    @usableFromInline let bytesPerFrame: Int
    public let word: CommitWord
    public let counters: RealtimeCounters
    public let periodNanoseconds: Int64
    public let patienceNanoseconds: Int64 = 2_000_000_000
    // Keep alive what `word` and `counters` point at.
    private let control: LoopControl
    private let owner: CaptureCounters

    init(
        _ source: consuming Source, ring: consuming AudioRing.Producer, control: LoopControl, counters: CaptureCounters
    ) {
        let settings = source.settings
        self.source = source
        self.ring = ring
        accounting = AudioAccounting(settings, counters.realtime)
        periodFrames = settings.periodFrames
        bytesPerFrame = settings.bytesPerFrame
        periodNanoseconds = settings.periodNanoseconds
        word = control.word
        self.counters = counters.realtime
        self.control = control
        owner = counters
    }
}

extension AudioStream: CaptureRun where Source: ~Copyable {
    public var allowsRealtimePriority: Bool { source.allowsRealtimePriority }

    public func report(_ priority: RealtimePriority) { owner.report(priority) }

    public func hangDetector(patience: Duration) -> HangDetector? {
        HangDetector(control, owner, patience: patience, period: periodNanoseconds, giveUp: ring.giveUp)
    }

    public mutating func capture() -> LoopResult { Source.capture(&self) }

    public consuming func finish(_ result: LoopResult) {
        discard(source)
        ring.finish(result)
    }
}

/// Ends a value's life here.
func discard<Value: ~Copyable>(_ value: consuming Value) {}
