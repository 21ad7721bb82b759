/// How long to wait between one attempt and the next.
///
/// *thread-safe*
public struct WaitStrategy: Sendable {
    private enum Course: Sendable {
        case constant(Duration)
        case incrementing(Duration, by: Duration)
        case exponential(Duration, factor: Double)
        case fibonacci(Duration)
        case random(ClosedRange<Duration>)
    }

    private let course: Course
    /// No wait is longer.
    private let maximum: Duration
    /// Which part of a wait chance may add or take away, 0…1.
    private let jitter: Double

    private init(_ course: Course, maximum: Duration = .seconds(86400), jitter: Double = 0) {
        self.course = course
        self.maximum = maximum
        self.jitter = jitter
    }

    public static let immediate = WaitStrategy(.constant(.zero))

    public static func constant(_ duration: Duration) -> WaitStrategy { WaitStrategy(.constant(duration)) }

    /// `first`, then each time `increment` more.
    public static func incrementing(_ first: Duration, by increment: Duration) -> WaitStrategy {
        WaitStrategy(.incrementing(first, by: increment))
    }

    /// `first`, then each time `factor` times as long.
    public static func exponential(_ first: Duration, factor: Double = 2) -> WaitStrategy {
        WaitStrategy(.exponential(first, factor: factor))
    }

    /// `unit` times 1, 1, 2, 3, 5, 8…
    public static func fibonacci(_ unit: Duration) -> WaitStrategy { WaitStrategy(.fibonacci(unit)) }

    /// Any length of the range, each as likely as the other.
    public static func random(_ range: ClosedRange<Duration>) -> WaitStrategy { WaitStrategy(.random(range)) }

    /// The same, but never longer.
    public func limited(to maximum: Duration) -> WaitStrategy {
        WaitStrategy(course, maximum: maximum, jitter: jitter)
    }

    /// The same, each wait longer or shorter by chance, by up to `part` of it (0…1), so that many who wait for the same
    /// do not come back together.
    public func jittered(by part: Double) -> WaitStrategy {
        WaitStrategy(course, maximum: maximum, jitter: min(1, max(0, part)))
    }

    /// The wait after the attempt `number` (1 upwards), not negative.
    public func wait(after number: Int) -> Duration {
        var random = SystemRandomNumberGenerator()
        return wait(after: number, by: &random)
    }

    /// The same with chance of one's own.
    public func wait(after number: Int, by random: inout some RandomNumberGenerator) -> Duration {
        let plain = min(length(max(1, number), &random), seconds(of: maximum))
        let factor = jitter == 0 ? 1 : 1 + Double.random(in: -jitter...jitter, using: &random)
        return .seconds(max(0, min(plain * factor, seconds(of: maximum))))
    }

    /// In seconds: a number with a point neither overflows nor traps, however many attempts there were.
    private func length(_ number: Int, _ random: inout some RandomNumberGenerator) -> Double {
        switch course {
        case .constant(let duration): return seconds(of: duration)
        case .incrementing(let first, let increment):
            return seconds(of: first) + seconds(of: increment) * Double(number - 1)
        case .exponential(let first, let factor):
            var length = seconds(of: first)
            for _ in 1..<min(number, 4096) where length < seconds(of: maximum) { length *= factor }
            return length
        case .fibonacci(let unit): return seconds(of: unit) * fibonacci(number)
        case .random(let range):
            return Double.random(in: seconds(of: range.lowerBound)...seconds(of: range.upperBound), using: &random)
        }
    }

    private func fibonacci(_ number: Int) -> Double {
        var (this, next) = (1.0, 1.0)
        for _ in 1..<min(number, 4096) where next.isFinite { (this, next) = (next, this + next) }
        return this
    }

    private func seconds(of duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
