import Testing

@testable import CaptureRealtime

@Suite("Time stamps")
struct StampLineTests {
    private let interval: Int64 = 10_000_000
    private let start: Int64 = 5_000_000_000

    private func line() -> StampLine {
        var line = StampLine()
        line.start(now: start)
        return line
    }

    @Test("Good stamps pass unchanged")
    func good() {
        var line = line()
        for step in 1...100 as ClosedRange<Int64> {
            let stamp = start + step * interval
            let (got, wasRepaired) = line.next(stamp, now: stamp + 200_000, interval: interval)
            #expect(got == stamp)
            #expect(!wasRepaired)
        }
    }

    @Test("Backward, equal, ancient and future stamps go on in step", arguments: [-1, 0, 1, 2])
    func bad(kind: Int) {
        var line = line()
        let first = start + interval
        _ = line.next(first, now: first + 100, interval: interval)
        let now = first + interval + 100
        let bad = [-1: first - 1, 0: first, 1: start - 2_000_000_000, 2: now + 3_600_000_000_000][kind]!
        let (got, wasRepaired) = line.next(bad, now: now, interval: interval)
        #expect(wasRepaired)
        #expect(got == first + interval)
    }

    @Test("Whatever a driver stamps, what comes out rises strictly and is never far ahead", arguments: 1...50)
    func anything(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var line = line()
        var (now, last) = (start, Int64(0))
        for _ in 0..<1000 {
            now += Int64.random(in: 1...2 * interval, using: &random)
            let wild = Int64.random(in: .min ... .max, using: &random)
            let near = now + Int64.random(in: -3 * interval...3 * interval, using: &random)
            let (got, _) = line.next(Bool.random(using: &random) ? wild : near, now: now, interval: interval)
            #expect(got > last)
            #expect(got <= now + 2 * interval)
            last = got
        }
    }

    @Test("A stamp in step needs no clock, and no other one passes without")
    func follows() {
        var line = line()
        func follows(_ stamp: Int64, interval: Int64) -> Bool { line.follows(stamp, interval: interval) }
        #expect(!follows(start + interval, interval: interval))
        _ = line.next(start + interval, now: start + interval, interval: interval)
        #expect(follows(start + 2 * interval, interval: interval))
        for bad in [0, start, start + 2 * interval, start + 4 * interval, .max] {
            #expect(!follows(bad, interval: interval))
        }
        #expect(!follows(start + 3 * interval, interval: 0))
    }

    @Test("A line that creeps into the future is found")
    func creeping() {
        var line = line()
        var stamp = start + interval
        _ = line.next(stamp, now: stamp, interval: interval)
        var steps = 0
        while line.follows(stamp + interval * 3 / 2, interval: interval) {
            stamp += interval * 3 / 2
            steps += 1
        }
        #expect(steps == 32)
        let wasRepaired = line.next(stamp + 1, now: start + 33 * interval, interval: interval).wasRepaired
        #expect(wasRepaired)
    }

    @Test("A missing stamp is the present")
    func missing() {
        var line = line()
        for step in [100, 200, 300] as [Int64] {
            let (got, wasRepaired) = line.next(0, now: start + step, interval: interval)
            #expect(got == start + step)
            #expect(wasRepaired)
        }
    }

    @Test("In a backlog a bad stamp does not spoil the good ones after it")
    func backlog() {
        var line = line()
        let now = start + 50 * interval
        for step in 1...40 as ClosedRange<Int64> {
            let isBad = step % 3 == 0
            let (got, wasRepaired) = line.next(isBad ? .max : start + step * interval, now: now, interval: interval)
            #expect(got == start + step * interval)
            #expect(wasRepaired == isBad)
        }
    }

    @Test("After lost pictures a bad stamp is as many intervals on as there were")
    func badAfterLoss() {
        var line = StampLine()
        _ = line.next(1_000_000_000, now: 1_000_000_000, interval: 10)
        let late = line.next(5, now: 1_000_000_100, interval: 10, units: 4)
        #expect(late.stamp == 1_000_000_040 && late.wasRepaired)
        let good = line.next(1_000_000_050, now: 1_000_000_100, interval: 10)
        #expect(good.stamp == 1_000_000_050 && !good.wasRepaired)
    }

    @Test("Without a known interval a bad stamp becomes the present")
    func unknownInterval() {
        var line = line()
        _ = line.next(start + 1, now: start + 2, interval: 0)
        let (got, wasRepaired) = line.next(-3, now: start + 77, interval: 0)
        #expect(wasRepaired)
        #expect(got == start + 77)
    }
}
