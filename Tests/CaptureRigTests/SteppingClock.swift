import CaptureRig
import Synchronization

/// A clock on which every reading takes the same time, half of it on a processor; some readings take longer.
final class SteppingClock: BenchmarkClock {
    private let looks = Atomic<Int64>(0)
    private let time = Atomic<Int64>(0)
    private let step: Int64
    private let slowLook: Int64?

    /// - Parameters:
    ///   - step: nanoseconds.
    ///   - slowLook: the number of the reading that takes ten steps, from 1.
    init(step: Int64, slowLook: Int64? = nil) {
        self.step = step
        self.slowLook = slowLook
    }

    func now() -> Int64 {
        let look = looks.add(1, ordering: .relaxed).newValue
        return time.add(look == slowLook ? 10 * step : step, ordering: .relaxed).newValue
    }

    func processor() -> Int64 { time.load(ordering: .relaxed) / 2 }
}
