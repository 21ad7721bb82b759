import CaptureEncoding
import CaptureGate

/// Filter for the jitter of a device's timestamps, which learns the device's rate: a delay-locked loop of second order, after
/// Fons Adriaensen, "Using a DLL to filter time" (Linux Audio Conference, 2005).
///
/// The gains begin as those of a straight line through all timestamps so far, and end as those of a loop of 0.03 Hz: it is
/// close after a second, settled after some fifteen, and follows a crystal that warms up. The nominal rate counts at first;
/// for a device whose rate is plainly another, the slope of the line does.
struct DelayLockedLoop {
    /// Time of the frame at ``position`` without the jitter, seconds on the timestamps' clock.
    private(set) var time = 0.0
    private(set) var position: UInt64 = 0
    private(set) var secondsPerFrame: Double
    /// Standard deviation of ``time``, seconds.
    private(set) var noise = 0.0

    private let nominal: Double
    /// Timestamps since the line was begun, and since the rate is being learnt.
    private var phaseCount = 0.0
    private var rateCount = 0.0
    /// Mean square of the timestamps' errors.
    private var jitter = 0.0
    private var astray = 0
    /// Nominal times since the line was begun against the timestamps' delay; `nil` once the rate is known.
    private var line: RegressionSums? = RegressionSums()
    private var lineStart: (frame: UInt64, stamp: Double) = (0, 0)

    /// Hz. Narrower is smoother; wider follows sooner.
    private static let narrowest = 0.03
    /// Distance from the nominal rate at which the timestamps are in error.
    private static let mostDeviation = 30_000e-6
    /// Error of a timestamp that is ignored, seconds, unless several in a row agree.
    private static let farOff = 0.1
    private static let farOffCount = 10
    /// Drift that no crystal has: a device with more runs at another rate than it says.
    private static let crystals = 2500e-6
    /// Length of a line in which such a rate is seen, seconds.
    private static let lineTime = 1.5...20.0
    /// Rise of a line in multiples of the jitter, at least: a burst of late timestamps is not taken for a rate.
    private static let plainly = 12.0

    /// - Parameter rate: frames a second, nominal.
    init(rate: Double) {
        nominal = 1 / rate
        secondsPerFrame = nominal
    }

    /// Rate of the device against its nominal rate, less 1: 1e-6 is one part per million.
    var drift: Double { nominal / secondsPerFrame - 1 }

    /// Filtered time of any frame near the newest, seconds.
    func time(at frame: UInt64) -> Double {
        time + Double(Int64(bitPattern: frame &- position)) * secondsPerFrame
    }

    /// Begins a new line after a loss of unknown length; the rate is still good.
    mutating func breakLine() { phaseCount = 0 }

    /// Advances to a frame whose timestamp is not used.
    mutating func pass(to frame: UInt64) {
        time = time(at: frame)
        position = frame
    }

    /// Judgement of a timestamp.
    enum Verdict {
        /// Part of the line.
        case ofTheLine
        /// First of a new line.
        case newLine
        /// Too far off to count.
        case stray
    }

    /// Takes in the next timestamp.
    /// - Parameters:
    ///   - frame: number of the frame, rising.
    ///   - stamp: its timestamp, seconds.
    mutating func update(frame: UInt64, stamp: Double) -> Verdict {
        let frames = Double(Int64(bitPattern: frame &- position))
        guard phaseCount > 0, frames > 0 else { return begin(frame, stamp) }
        let error = stamp - time(at: frame)
        if abs(error) > Self.farOff { return follow(frame, stamp) }
        astray = 0
        pass(to: frame)
        learn(error, frames)
        compare(frame, stamp, frames)
        return .ofTheLine
    }

    /// Ignores a timestamp that is far off, until several agree that the device's time must have jumped.
    private mutating func follow(_ frame: UInt64, _ stamp: Double) -> Verdict {
        astray += 1
        guard astray < Self.farOffCount else { return begin(frame, stamp) }
        pass(to: frame)
        return .stray
    }

    private mutating func begin(_ frame: UInt64, _ stamp: Double) -> Verdict {
        time = stamp
        position = frame
        phaseCount = 1
        astray = 0
        if line != nil { line = RegressionSums() }
        lineStart = (frame, stamp)
        noise = jitter.squareRoot()
        return .newLine
    }

    private mutating func learn(_ error: Double, _ frames: Double) {
        phaseCount += 1
        rateCount += 1
        let span = frames * secondsPerFrame
        let omega = 2 * Double.pi * Self.narrowest * span
        // The nominal rate counts as much as two seconds of stamps would.
        let learnt = rateCount + 2 / span
        let phaseGain = max(2 * (2 * phaseCount - 1) / (phaseCount * (phaseCount + 1)), 2.0.squareRoot() * omega)
        let rateGain = max(6 / (learnt * (learnt + 1)), omega * omega)
        time += phaseGain * error
        secondsPerFrame += rateGain * error / frames
        secondsPerFrame = min(
            max(secondsPerFrame, nominal * (1 - Self.mostDeviation)), nominal * (1 + Self.mostDeviation))
        jitter += (error * error - jitter) / min(rateCount, 500)
        noise = (jitter * phaseGain).squareRoot()
    }

    /// Uses the slope of the line as the rate if that is clearly not the nominal one.
    private mutating func compare(_ frame: UInt64, _ stamp: Double, _ frames: Double) {
        guard var line else { return }
        let nominalTime = Double(frame &- lineStart.frame) * nominal
        line.add(nominalTime, stamp - lineStart.stamp - nominalTime)
        let slope = line.moments.xx > 0 ? line.moments.xy / line.moments.xx : 0
        let residue = max(0, line.moments.yy - slope * line.moments.xy) / Double(line.count)
        let isPlain = abs(slope) > Self.crystals && abs(slope) * nominalTime > Self.plainly * residue.squareRoot()
        self.line = nominalTime > Self.lineTime.upperBound ? nil : line
        guard nominalTime >= Self.lineTime.lowerBound, isPlain, abs(slope) < Self.mostDeviation else { return }
        self.line = nil
        secondsPerFrame = nominal * (1 + slope)
        time = lineStart.stamp + nominalTime + line.meanY + slope * (nominalTime - line.meanX)
        // It counts as much as the nominal rate has.
        rateCount += 2 / (frames * nominal)
    }
}

/// Clock of one device against CLOCK_MONOTONIC, as its timestamps show it.
struct DeviceClock {
    private var loop: DelayLockedLoop
    private var measure: DriftMeasure
    /// First timestamp and its frame, the zero of both counts.
    private var epoch: (stamp: Int64, frame: UInt64)?

    /// - Parameter rate: nominal rate per second, of samples or of video frames.
    init(rate: Double) {
        loop = DelayLockedLoop(rate: rate)
        measure = DriftMeasure(rate: rate)
    }

    /// Takes in the next period or video frame.
    mutating func update(_ header: FrameHeader) {
        let epoch = epoch ?? (header.timestamp, header.sequence)
        self.epoch = epoch
        // Only timestamps show how long an interruption was; the ring's own losses are known to the frame.
        if !header.flags.isDisjoint(with: [.xrun, .restarted, .suspended, .reattached]) { loop.breakLine() }
        guard !header.flags.contains(.repairedTimestamp) else { return loop.pass(to: header.sequence) }
        let stamp = Double(header.timestamp - epoch.stamp) * 1e-9
        switch loop.update(frame: header.sequence, stamp: stamp) {
        case .newLine: measure.breakLine()
        case .ofTheLine: break
        case .stray: return
        }
        measure.add(frame: Double(header.sequence &- epoch.frame), stamp: stamp)
    }

    /// Capture time of a frame without jitter, CLOCK_MONOTONIC nanoseconds.
    func nanoseconds(at frame: UInt64) -> Int64 {
        (epoch?.stamp ?? 0) + Int64((loop.time(at: frame) * 1e9).rounded())
    }

    /// Rate against CLOCK_MONOTONIC now, less 1: 1e-6 is one part per million faster.
    var rateOffset: Double { loop.drift }

    /// Standard deviation of `nanoseconds(at:)`, seconds.
    var noise: Double { loop.noise }

    /// Drift over the whole recording, parts per million, and its uncertainty; `nil` if it is too short.
    var drift: (ppm: Double, uncertainty: Double)? { measure.result }
}
