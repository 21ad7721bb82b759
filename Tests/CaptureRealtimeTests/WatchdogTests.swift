import Testing

@testable import CaptureRealtime

@Suite("Watchdog")
struct WatchdogTests {
    private let millisecond: Int64 = 1_000_000

    @Test(
        "Silence is a stall after 500 ms, or five long periods",
        arguments: [(10, 500), (33, 500), (200, 1000), (0, 500)])
    func limit(period: Int64, limit: Int64) {
        var watch = Watchdog(period: period * millisecond, first: 0, now: 0)
        watch.fed()
        let slice = Int64(watch.slice)
        var elapsed: Int64 = 0
        while !watch.hasStalled {
            elapsed += slice
            watch.starved(now: elapsed * millisecond, inTrouble: false, timedOut: true)
        }
        #expect(elapsed == limit)
    }

    @Test("The first unit has more time than the others")
    func first() {
        var watch = Watchdog(period: 10 * millisecond, first: 3000 * millisecond, now: 0)
        for step in 1..<30 as Range<Int64> {
            watch.starved(now: step * 100 * millisecond, inTrouble: false)
            #expect(!watch.hasStalled)
        }
        watch.starved(now: 3000 * millisecond, inTrouble: false)
        #expect(watch.hasStalled)
    }

    @Test("A device that calls for nothing right after a unit has not been waited for")
    func calledForNothing() {
        var watch = Watchdog(period: 10 * millisecond, first: 0, now: 0)
        watch.fed()
        watch.starved(now: 3_600_000 * millisecond, inTrouble: false)
        for step in 1...4 as ClosedRange<Int64> {
            #expect(!watch.hasStalled)
            watch.starved(now: (3_600_000 + step * 125) * millisecond, inTrouble: false)
        }
        #expect(watch.hasStalled)
    }

    @Test("A freeze of the whole process is no silence of the device")
    func frozen() {
        var watch = Watchdog(period: 10 * millisecond, first: 0, now: 0)
        watch.fed()
        watch.starved(now: 3_600_000 * millisecond, inTrouble: false, timedOut: true)
        watch.starved(now: 7_200_000 * millisecond, inTrouble: false, timedOut: true)
        #expect(!watch.hasStalled)
    }

    @Test("An error state that stays is hopeless within 200 ms, and is waited for with pauses")
    func trouble() {
        var watch = Watchdog(period: 10 * millisecond, first: 3000 * millisecond, now: 0)
        var elapsed: Int64 = 0
        while !watch.isHopeless {
            elapsed += max(5, Int64(watch.pause))
            watch.starved(now: elapsed * millisecond, inTrouble: true)
            #expect(watch.pause > 0)
        }
        #expect(elapsed <= 200)
    }

    @Test("Descriptors that call for nothing are answered with pauses; data ends them")
    func spinning() {
        var watch = Watchdog(period: 10 * millisecond, first: 0, now: 0)
        for step in 1...20 as ClosedRange<Int64> { watch.starved(now: step, inTrouble: false) }
        #expect(watch.pause > 0)
        watch.fed()
        #expect(watch.pause == 0)
    }

    @Test("A stall may be answered by one restart, and by another one after data")
    func restarts() {
        var watch = Watchdog(period: 0, first: 0, now: 0)
        #expect(watch.mayRestart)
        watch.restarted(now: 1)
        #expect(!watch.mayRestart)
        watch.fed()
        #expect(watch.mayRestart)
    }
}
