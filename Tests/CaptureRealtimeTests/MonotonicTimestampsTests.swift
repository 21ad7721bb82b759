import Testing

@testable import CaptureRealtime

@Suite("Time timestamps")
struct MonotonicTimestampsTests {
    private let interval: Int64 = 10_000_000
    private let start: Int64 = 5_000_000_000

    private func timestamps() -> MonotonicTimestamps {
        var timestamps = MonotonicTimestamps()
        timestamps.start(now: start)
        return timestamps
    }

    @Test("Good timestamps pass unchanged")
    func good() {
        var timestamps = timestamps()
        for step in 1...100 as ClosedRange<Int64> {
            let timestamp = start + step * interval
            let (got, wasRepaired) = timestamps.next(timestamp, now: timestamp + 200_000, interval: interval)
            #expect(got == timestamp)
            #expect(!wasRepaired)
        }
    }

    @Test("Backward, equal, ancient and future timestamps go on in step", arguments: [-1, 0, 1, 2])
    func bad(kind: Int) {
        var timestamps = timestamps()
        let first = start + interval
        _ = timestamps.next(first, now: first + 100, interval: interval)
        let now = first + interval + 100
        let bad = [-1: first - 1, 0: first, 1: start - 2_000_000_000, 2: now + 3_600_000_000_000][kind]!
        let (got, wasRepaired) = timestamps.next(bad, now: now, interval: interval)
        #expect(wasRepaired)
        #expect(got == first + interval)
    }

    @Test("Whatever a driver timestamps, what comes out rises strictly and is never far ahead", arguments: 1...50)
    func anything(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var timestamps = timestamps()
        var (now, last) = (start, Int64(0))
        for _ in 0..<1000 {
            now += Int64.random(in: 1...2 * interval, using: &random)
            let wild = Int64.random(in: .min ... .max, using: &random)
            let near = now + Int64.random(in: -3 * interval...3 * interval, using: &random)
            let (got, _) = timestamps.next(Bool.random(using: &random) ? wild : near, now: now, interval: interval)
            #expect(got > last)
            #expect(got <= now + 2 * interval)
            last = got
        }
    }

    @Test("A timestamp in step needs no clock, and no other one passes without")
    func follows() {
        var timestamps = timestamps()
        func follows(_ timestamp: Int64, interval: Int64) -> Bool { timestamps.follows(timestamp, interval: interval) }
        #expect(!follows(start + interval, interval: interval))
        _ = timestamps.next(start + interval, now: start + interval, interval: interval)
        #expect(follows(start + 2 * interval, interval: interval))
        for bad in [0, start, start + 2 * interval, start + 4 * interval, .max] {
            #expect(!follows(bad, interval: interval))
        }
        #expect(!follows(start + 3 * interval, interval: 0))
    }

    @Test("A timestamps that creeps into the future is found")
    func creeping() {
        var timestamps = timestamps()
        var timestamp = start + interval
        _ = timestamps.next(timestamp, now: timestamp, interval: interval)
        var steps = 0
        while timestamps.follows(timestamp + interval * 3 / 2, interval: interval) {
            timestamp += interval * 3 / 2
            steps += 1
        }
        #expect(steps == 32)
        let wasRepaired = timestamps.next(timestamp + 1, now: start + 33 * interval, interval: interval).wasRepaired
        #expect(wasRepaired)
    }

    @Test("A missing timestamp is the present")
    func missing() {
        var timestamps = timestamps()
        for step in [100, 200, 300] as [Int64] {
            let (got, wasRepaired) = timestamps.next(0, now: start + step, interval: interval)
            #expect(got == start + step)
            #expect(wasRepaired)
        }
    }

    @Test("In a backlog a bad timestamp does not spoil the good ones after it")
    func backlog() {
        var timestamps = timestamps()
        let now = start + 50 * interval
        for step in 1...40 as ClosedRange<Int64> {
            let isBad = step % 3 == 0
            let (got, wasRepaired) = timestamps.next(
                isBad ? .max : start + step * interval, now: now, interval: interval)
            #expect(got == start + step * interval)
            #expect(wasRepaired == isBad)
        }
    }

    @Test("After lost pictures a bad timestamp is as many intervals on as there were")
    func badAfterLoss() {
        var timestamps = MonotonicTimestamps()
        _ = timestamps.next(1_000_000_000, now: 1_000_000_000, interval: 10)
        let late = timestamps.next(5, now: 1_000_000_100, interval: 10, intervals: 4)
        #expect(late.timestamp == 1_000_000_040 && late.wasRepaired)
        let good = timestamps.next(1_000_000_050, now: 1_000_000_100, interval: 10)
        #expect(good.timestamp == 1_000_000_050 && !good.wasRepaired)
    }

    @Test("Without a known interval a bad timestamp becomes the present")
    func unknownInterval() {
        var timestamps = timestamps()
        _ = timestamps.next(start + 1, now: start + 2, interval: 0)
        let (got, wasRepaired) = timestamps.next(-3, now: start + 77, interval: 0)
        #expect(wasRepaired)
        #expect(got == start + 77)
    }
}
