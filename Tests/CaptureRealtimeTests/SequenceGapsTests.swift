import CaptureBase
import Testing

@testable import CaptureRealtime

@Suite("Sequence numbers")
struct SequenceGapsTests {
    @Test("Any start, and the wrap at 32 bits, are no loss", arguments: [0, 7, UInt32.max - 2, UInt32.max])
    func wrap(first: UInt32) {
        var gaps = SequenceGaps()
        for step in 0..<10 as Range<UInt32> {
            #expect(gaps.missing(before: first &+ step) == 0)
        }
    }

    @Test("A hole is as long as it is, also across the wrap", arguments: [1, 2, 100, 1_000_000] as [UInt32])
    func hole(missing: UInt32) {
        var gaps = SequenceGaps()
        _ = gaps.missing(before: UInt32.max - 1)
        #expect(gaps.missing(before: (UInt32.max - 1) &+ missing &+ 1) == UInt64(missing))
    }

    @Test("A number that repeats or goes back is no loss")
    func backward() {
        var gaps = SequenceGaps()
        _ = gaps.missing(before: 100)
        #expect(gaps.missing(before: 100) == 0)
        #expect(gaps.missing(before: 40) == 0)
        #expect(gaps.missing(before: 42) == 1)
    }

    @Test("A restart begins anywhere")
    func restart() {
        var gaps = SequenceGaps()
        _ = gaps.missing(before: 5)
        gaps.restart()
        #expect(gaps.missing(before: 5000) == 0)
        #expect(gaps.missing(before: 5002) == 1)
    }
}

@Suite("Sample clock")
struct SampleClockTests {
    @Test("Frames become ns and come back", arguments: [8000, 11_025, 44_100, 48_000, 192_000])
    func roundTrip(rate: Int) {
        let clock = SampleClock(rate: rate)
        for frames in [0, 1, 441, 48_000, 123_456_789, 20_000_000_000] as [Int64] {
            #expect(clock.frames(clock.nanoseconds(frames)) == UInt64(frames))
        }
    }

    @Test("Time that runs backward is no frames")
    func negative() {
        #expect(SampleClock(rate: 48_000).frames(-5) == 0)
    }
}
