import CaptureEncoding

/// Lets one progress a second of the clip pass.
struct RateLimiter: Sendable {
    private var next: Int64 = 1_000_000_000

    mutating func isDue(_ progress: RecordingProgress) -> Bool {
        guard progress.elapsedNanoseconds >= next else { return false }
        next = (progress.elapsedNanoseconds / 1_000_000_000 + 1) * 1_000_000_000
        return true
    }
}
