/// Where the clip starts on CLOCK_MONOTONIC, and how long it becomes: at the first frame that is kept of the leading
/// track, which is the first camera where there is one, so that its pictures stand at whole frames.
final class Timeline {
    /// `nil` until the leading track has its first frame.
    private(set) var origin: Int64?
    /// Nanoseconds; `nil` until stopped.
    let duration: Int64?

    init(duration: Duration?) {
        self.duration = duration.map { duration in
            let (seconds, attoseconds) = duration.components
            return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        }
    }

    func start(at nanoseconds: Int64) { origin = origin ?? nanoseconds }
}
