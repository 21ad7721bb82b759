import CaptureGate
import ClipScenery
import Testing

@testable import CaptureRecording

@Suite("Loss log")
struct LossLogTests {
    private let sound = Recording.track(AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .s16))

    private func log(_ policy: LossPolicy) -> LossLog {
        let log = LossLog(policy)
        #expect(log.add(Recording.track(Source.video(.yuyv))) == 0)
        #expect(log.add(sound) == 1)
        return log
    }

    @Test("counts by cause and by track, and its total is what progress tells")
    func counts() {
        let log = log(.fill)
        log.count(device: 3, ring: 2, damaged: 4, before: [], of: 0)
        log.count(device: 5, ring: 0, before: .xrun, of: 1)
        log.count(1, as: \.covered, of: 0)
        #expect(log.total(of: 0) == 10 && log.damaged(of: 0) == 4)
        #expect(log.lost(of: 0).device == 3 && log.lost(of: 0).ring == 2 && log.lost(of: 0).covered == 1)
        #expect(log.lost(of: 1).xrun == 5 && log.total(of: 1) == 5)
        #expect(log.events(of: 0) == nil && log.takeUntold().isEmpty)
    }

    @Test("tells each event once, and keeps a thousand")
    func events() throws {
        let log = log(.mark)
        #expect(log.events(of: 1) == [])
        for number in 0..<1200 { try log.note(2, of: 1, at: Int64(number)) }
        try log.note(0, of: 1, at: 5)
        #expect(log.takeUntold().count == LossLog.mostEvents && log.takeUntold().isEmpty)
        #expect(log.events(of: 1)?.last == LossEvent(atNanoseconds: 999, frames: 2))
        #expect(log.events(of: 0) == [] && log.total(of: 1) == 0)
    }

    @Test("notes what a writer left out since the last look")
    func leftOut() throws {
        let log = log(.mark)
        for (total, time) in [(2, 10), (2, 20), (5, 30)] as [(UInt64, Int64)] {
            try log.note(leftOut: total, of: 0, at: time)
        }
        let (first, second) = (
            LossEvent(atNanoseconds: 10, frames: 2), LossEvent(atNanoseconds: 30, frames: 3)
        )
        #expect(log.events(of: 0) == [first, second])
    }

    @Test("ends the clip at the first loss where that was said")
    func fails() {
        let log = log(.fail)
        let error = #expect(throws: CaptureError.self) { try log.note(1, of: 0, at: 0) }
        #expect(error?.kind == .inputOutput && log.failure == error)
    }
}
