import Testing

@testable import CaptureEncoding

@Suite("What has all frames in memory")
struct ThrottleTests {
    /// What it says at each second, from 5 on, of an output that is behind, or not.
    private func holds(_ isBusy: Bool...) -> [Bool] {
        var throttle = Throttle()
        return isBusy.enumerated().map { throttle.holds($1, now: Int64(5 + $0) * 1_000_000_000) }
    }

    @Test("waits for an output that is behind, and no longer than two seconds for one that is stuck")
    func stuck() { #expect(holds(true, true, true, true) == [true, true, false, false]) }

    @Test("does not wait for one that is not behind")
    func quick() { #expect(holds(false, false, true) == [false, false, true]) }

    @Test("waits anew for one that went on")
    func goesOn() { #expect(holds(true, true, false, true, true) == [true, true, false, true, true]) }
}
