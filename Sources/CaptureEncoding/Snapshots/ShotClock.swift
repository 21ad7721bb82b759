import CaptureGate

/// Decides which of a camera's pictures are kept.
struct ShotClock {
    private let patience: Int64
    private let interval: Int64
    private var settling = PictureSettling()
    private var first: Int64?
    private var next: Int64?
    /// Whether the first one that was taken had settled: nobody looks at the others.
    private var hasSettled = false

    /// - Parameters: nanoseconds.
    init(patience: Int64, interval: Int64) {
        self.patience = patience
        self.interval = interval
    }

    enum Verdict: Equatable {
        case skip
        /// - Parameter waited: since the first picture, ns.
        case take(isSettled: Bool, waited: Int64)
    }

    /// - Parameters:
    ///   - time: of the picture, ns on the camera's clock.
    ///   - mean: its brightness, looked at only while it matters; `nil` for a broken picture.
    mutating func judge(_ time: Int64, _ mean: () throws(CaptureError) -> Double?) throws(CaptureError) -> Verdict {
        let first = first ?? time
        self.first = first
        if let next { return time >= next ? .take(isSettled: hasSettled, waited: time - first) : .skip }
        guard patience > 0 else { return .take(isSettled: false, waited: 0) }
        guard let mean = try mean() else { return .skip }
        settling.add(mean)
        guard settling.isSettled || time - first >= patience else { return .skip }
        hasSettled = settling.isSettled
        return .take(isSettled: hasSettled, waited: time - first)
    }

    /// The picture of this time was kept. The next is due on the grid of the first, so that lateness does not add up.
    mutating func kept(_ time: Int64) {
        guard interval > 0 else {
            next = time
            return
        }
        let due = next ?? time
        next = due + max(1, (time - due) / interval + 1) * interval
    }
}
