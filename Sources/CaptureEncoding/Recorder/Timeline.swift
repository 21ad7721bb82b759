import CaptureGate

/// Where the clip starts on CLOCK_MONOTONIC, how long it becomes, and whose clock its time follows.
///
/// It starts at the first frame that is kept of the leading track, which is the first camera where there is one, so that
/// its pictures stand at whole frames.
final class Timeline {
    /// `nil` until the leading track has its first frame.
    private(set) var origin: Int64?
    /// Nanoseconds; `nil` until stopped.
    let duration: Int64?
    /// The sound whose clock the clip follows; `nil` where that is CLOCK_MONOTONIC.
    var pace: SoundPlacement?

    /// What ends it where it is quiet; `nil` where nothing does.
    let silence: Silence?

    let losses: LossBook

    init(duration: Duration?, silence: SilenceRule? = nil, onLoss: LossPolicy = .fill) {
        losses = LossBook(onLoss)
        self.silence = silence.map(Silence.init)
        self.duration = duration?.nanoseconds
    }

    func start(at nanoseconds: Int64) { origin = origin ?? nanoseconds }

    /// Where a moment is in the clip, nanoseconds; `nil` before the clip has started.
    func time(of moment: Int64) -> Int64? {
        guard let origin else { return nil }
        return pace?.clipNanoseconds(at: moment) ?? moment - origin
    }

    /// How much faster than CLOCK_MONOTONIC the clip's clock runs now; 1e-6 is one part per million.
    var rateOffset: Double { pace?.rateOffset ?? 0 }
}
