/// Filters the jitter out of a device's time stamps and learns its rate: a delay-locked loop of second order, after Fons
/// Adriaensen, "Using a DLL to filter time" (Linux Audio Conference, 2005).
///
/// The gains begin as those of a straight line through all stamps so far, and end as those of a loop of 0.03 Hz: it is
/// close after a second, settled after some fifteen, and follows a crystal that warms up. The nominal rate counts at first;
/// of a device that is plainly another, the line's own slope does.
struct DelayLockedLoop {
    /// Seconds, as the stamps are, of the frame at ``position``, without their jitter.
    private(set) var time = 0.0
    private(set) var position: UInt64 = 0
    private(set) var secondsPerFrame: Double
    /// Standard deviation of ``time``, seconds.
    private(set) var noise = 0.0

    private let nominal: Double
    /// Stamps since the line was begun, and since the rate is being learnt.
    private var phaseCount = 0.0
    private var rateCount = 0.0
    /// Mean square of what the stamps were off.
    private var jitter = 0.0
    private var astray = 0
    /// Nominal time of the stamps since the line was begun, and how much later they were, until the rate is known.
    private var line: LineSums? = LineSums()
    private var lineStart: (frame: UInt64, stamp: Double) = (0, 0)

    /// Hz. Narrower is smoother; wider follows sooner.
    private static let narrowest = 0.03
    /// A rate that is this far from the nominal one is an error of the stamps.
    private static let mostDeviation = 30_000e-6
    /// A stamp that is this far off says nothing of the clock, seconds, unless so many in a row agree.
    private static let farOff = 0.1
    private static let farOffCount = 10
    /// No crystal is so far off: a device that is has been set to another rate than it says.
    private static let crystals = 2500e-6
    /// Seconds of a line in which that is seen.
    private static let lineTime = 1.5...20.0
    /// Times the stamps' jitter that a line must rise or fall, lest a burst of late stamps is taken for a rate.
    private static let plainly = 12.0

    /// - Parameter rate: frames a second, nominal.
    init(rate: Double) {
        nominal = 1 / rate
        secondsPerFrame = nominal
    }

    /// How much faster the device runs than its nominal rate: 1e-6 is one part per million.
    var drift: Double { nominal / secondsPerFrame - 1 }

    /// The filtered time of any frame near the newest, seconds.
    func time(at frame: UInt64) -> Double {
        time + Double(Int64(bitPattern: frame &- position)) * secondsPerFrame
    }

    /// Frames were lost, and how many is not known to the frame: the line begins anew, the rate is still good.
    mutating func breakLine() { phaseCount = 0 }

    /// The frame came with a stamp that says nothing.
    mutating func pass(to frame: UInt64) {
        time = time(at: frame)
        position = frame
    }

    /// What a stamp was taken for.
    enum Verdict {
        case ofTheLine
        /// The first of a line, or of one that was given up.
        case newLine
        case stray
    }

    /// - Parameters:
    ///   - frame: number of the frame, rising.
    ///   - stamp: when it was taken, seconds.
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

    /// A stamp that is far off: an error, or the device's time is another now.
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
        if line != nil { line = LineSums() }
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

    /// Takes the slope of the line for the rate where it is plainly not the nominal one.
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
