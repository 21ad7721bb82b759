/// When the brightness of a stream stops changing after its start, or after a change of light.
///
/// *session-bound*
package struct ExposureCourse: Sendable {
    private struct Frame {
        let seconds: Double
        let luma: Double
    }

    /// Frames over which the brightness must be steady.
    private static let window = 5
    /// Percent of change from which on it is not.
    private static let steadyBelow = 2.0
    private var frames: [Frame] = []

    package init() {}

    /// Adds the next frame. Ignores one whose numbers are not finite, or that is older than the previous one.
    ///
    /// - Parameters:
    ///   - seconds: time of the frame by the device's clock, from any origin.
    ///   - luma: mean brightness of the frame, 0...255.
    package mutating func add(seconds: Double, luma: Double) {
        guard seconds.isFinite, luma.isFinite, seconds >= frames.last?.seconds ?? seconds else { return }
        frames.append(Frame(seconds: seconds, luma: luma))
    }

    /// Index of the first frame from which on all windows of five frames are steady; `nil` if none exists.
    package var settledFrame: Int? {
        var (first, start) = (Int?.none, frames.count - Self.window)
        // From the end: the brightness has to stay, and a late change tells more than an early pause.
        while start >= 0, change(from: start) < Self.steadyBelow {
            first = start
            start -= 1
        }
        return first
    }

    /// Difference of the extremes of five frames in percent of their mean. Below one step of brightness the mean counts as one: a
    /// black frame has no relative change.
    private func change(from start: Int) -> Double {
        let lumas = frames[start..<start + Self.window].map(\.luma)
        guard let least = lumas.min(), let most = lumas.max() else { return 0 }
        return 100 * (most - least) / max(lumas.reduce(0, +) / Double(lumas.count), 1)
    }

    /// Seconds from the first frame to the settled one; `nil` if the brightness never settled.
    package var settles: Double? {
        guard let settledFrame, let first = frames.first else { return nil }
        return frames[settledFrame].seconds - first.seconds
    }

    /// Flicker of the settled frames, or of the later half if none are: difference of the extremes in percent of their sum,
    /// as lighting engineers define it. The mains' frequency against the frame rate shows in it, and so does a hunting
    /// exposure.
    package var flicker: Double? {
        let lumas = frames[(settledFrame ?? frames.count / 2)...].map(\.luma)
        guard lumas.count >= Self.window, let least = lumas.min(), let most = lumas.max() else { return nil }
        return most > 0 ? 100 * (most - least) / (most + least) : 0
    }

    /// Seconds from the first frame to the last one.
    private var observed: Double? {
        guard let first = frames.first, let last = frames.last, frames.count >= Self.window else { return nil }
        return last.seconds - first.seconds
    }

    /// Measures `exposure_settles` (s), `exposure_change` (% over the last five frames), `luma` (mean of the last five
    /// frames) and `flicker` (%), without limits and without values below five frames.
    ///
    /// If the brightness never settled, `exposure_settles` is the time for which it was observed, and `exposure_change` is
    /// 2 % or more: a check whose stream is not longer than its limit needs a limit on the change, too.
    package var measures: [Measure] {
        let start = frames.count - Self.window
        let luma = start < 0 ? nil : frames[start...].reduce(0) { $0 + $1.luma } / Double(Self.window)
        return [
            Measure("exposure_settles", settles ?? observed, "s", .lower),
            Measure("exposure_change", start < 0 ? nil : change(from: start), "%", .lower),
            Measure("luma", luma, "", .none),
            Measure("flicker", flicker, "%", .lower),
        ]
    }

    /// Brightness over time, for a plot; as many points at most as one has.
    package var series: Series {
        let skip = max((frames.count + Series.mostPoints - 1) / Series.mostPoints, 1)
        let points = stride(from: 0, to: frames.count, by: skip).map { index in
            Series.Point(frames[index].seconds - frames[0].seconds, frames[index].luma)
        }
        return Series("luma", .line, x: "time (s)", y: "luma", points)
    }
}
