import Gate
import GateTestKit
import Testing

@Suite("Wait strategies")
struct WaitStrategyTests {
    func waits(_ strategy: WaitStrategy) -> [Duration] { (1...6).map { strategy.wait(after: $0) } }
    func seconds(_ numbers: Double...) -> [Duration] { numbers.map { .seconds($0) } }

    @Test("Waits are constant, incrementing, exponential or Fibonacci, and none is longer than the limit")
    func lengths() {
        #expect(waits(.immediate) == seconds(0, 0, 0, 0, 0, 0))
        #expect(waits(.constant(.seconds(2))) == seconds(2, 2, 2, 2, 2, 2))
        #expect(waits(.incrementing(.seconds(1), by: .seconds(3))) == seconds(1, 4, 7, 10, 13, 16))
        #expect(waits(.exponential(.seconds(1), factor: 3)) == seconds(1, 3, 9, 27, 81, 243))
        #expect(waits(.exponential(.seconds(1))) == seconds(1, 2, 4, 8, 16, 32))
        #expect(waits(.fibonacci(.seconds(1))) == seconds(1, 1, 2, 3, 5, 8))
        #expect(waits(.exponential(.seconds(1)).limited(to: .seconds(5))) == seconds(1, 2, 4, 5, 5, 5))
        #expect(waits(.fibonacci(.seconds(2)).limited(to: .seconds(7))) == seconds(2, 2, 4, 6, 7, 7))
    }

    @Test("However many attempts there were, a wait neither overflows nor is negative")
    func extremes() {
        #expect(WaitStrategy.exponential(.seconds(1)).wait(after: .max) == .seconds(86400))
        #expect(WaitStrategy.fibonacci(.seconds(1)).wait(after: .max) == .seconds(86400))
        #expect(WaitStrategy.incrementing(.seconds(1), by: .seconds(1)).wait(after: .max) == .seconds(86400))
        #expect(WaitStrategy.constant(.seconds(-3)).wait(after: 1) == .zero)
        #expect(WaitStrategy.constant(.seconds(3)).wait(after: .min) == .seconds(3))
        #expect(WaitStrategy.incrementing(.seconds(1), by: .seconds(-1)).wait(after: 9) == .zero)
    }

    /// The same numbers each time: Knuth's linear congruential generator, its high half twice.
    struct Seeded: RandomNumberGenerator {
        var state: UInt64 = 42

        mutating func next() -> UInt64 {
            (half() << 32) | half()
        }

        private mutating func half() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 32
        }
    }

    /// The shortest and the longest of a thousand waits, seconds.
    func extent(_ strategy: WaitStrategy) -> ClosedRange<Duration> {
        var random = Seeded()
        let all = (1...1000).map { strategy.wait(after: $0, by: &random) }
        return (all.min() ?? .zero)...(all.max() ?? .zero)
    }

    @Test("Random waits are of their range, jittered ones around their length")
    func chance() {
        let random = extent(.random(.seconds(2)...(.seconds(3))))
        #expect(random.lowerBound >= .seconds(2) && random.lowerBound < .seconds(2.01))
        #expect(random.upperBound <= .seconds(3) && random.upperBound > .seconds(2.99))
        let jittered = extent(WaitStrategy.constant(.seconds(10)).jittered(by: 0.2))
        #expect(jittered.lowerBound >= .seconds(8) && jittered.lowerBound < .seconds(8.1))
        #expect(jittered.upperBound <= .seconds(12) && jittered.upperBound > .seconds(11.9))
        let limited = extent(WaitStrategy.constant(.seconds(10)).jittered(by: 0.2).limited(to: .seconds(10)))
        #expect(limited.lowerBound < .seconds(8.1) && limited.upperBound == .seconds(10))
        // A part beyond its range is the nearest end of it.
        let all = extent(WaitStrategy.constant(.seconds(1)).jittered(by: 9))
        #expect(all.lowerBound < .seconds(0.1) && all.upperBound <= .seconds(2))
        #expect(waits(.constant(.seconds(1)).jittered(by: -1)) == seconds(1, 1, 1, 1, 1, 1))
        // Its own random numbers, if none are given.
        let own = WaitStrategy.constant(.seconds(10)).jittered(by: 0.2)
        #expect(Set((1...100).map { own.wait(after: $0) }).count > 50)
    }

    @Test("A retry and a repetition wait as their strategy says, up to their deadline")
    func deadlines() async {
        let world = World()
        let clock = ManualClock()
        let failing = ClosureOperation { _ throws(CaptureError) in throw CaptureError(.busy, "not yet") }
        let retry = RetryOperation(
            failing, attempts: 99, waiting: .fibonacci(.seconds(1)), deadline: .seconds(7), clock: clock)
        #expect(await world.queue.add(retry).result.error?.kind == .busy)
        #expect(clock.sleeps == seconds(1, 1, 2, 3))
        let again = ManualClock()
        let repeated = RepeatOperation(
            ClosureOperation { _ in }, waiting: .exponential(.seconds(1)), deadline: .seconds(7), clock: again)
        guard case .success(let output) = await world.queue.add(repeated).result else {
            Issue.record("it failed")
            return
        }
        #expect(output.count == 4 && again.sleeps == seconds(1, 2, 4))
    }
}
