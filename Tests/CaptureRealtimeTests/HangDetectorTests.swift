import CMedia
import CaptureBase
import CaptureRealtime
import Dispatch
import Testing

@Suite("Hang watch")
struct HangDetectorTests {
    private let settings = PCMSettings(rate: 48_000, channels: 1, periodFrames: 480, bufferFrames: 4800)
    private let timer = ManualTimer()

    /// A queue whose time passes only by the timer: no machine is too slow for it.
    private var queue: RealtimeQueue {
        RealtimeQueue(label: "test", patience: .seconds(5)) { [timer] _, body in timer.set(body) }
    }

    private func period(_ number: Int) -> ScriptedAudio.Entry {
        .frames(480, at: cm_monotonic() - 500_000_000 + Int64(number) * 10_000_000)
    }

    @Test("A call that never returns is a stall to the reader, who gets what came before it and nothing after it")
    func sound() throws {
        let (hang, over) = (Hang(), DispatchSemaphore(value: 0))
        let script = [period(0), period(1), .run { hang.begin() }, period(2)]
        let (control, counters) = (try LoopControl(), CaptureCounters())
        let capture = try AudioCapture(
            ScriptedAudio(script, settings: settings), control: control, counters: counters)
        queue.run(capture.stream) { _ in over.signal() }
        var consumer = capture.consumer
        hang.waitUntilBegun()
        timer.passPatience()
        var periods = 0
        while case .ready = consumer.wait(milliseconds: -1) {
            while consumer.withNext({ _, _ in periods += 1 }) != nil {}
        }
        let end = consumer.ended
        #expect(end == LoopResult(.stalled))
        #expect(periods == 2)
        hang.end()
        over.wait()
        let endAfterwards = consumer.ended
        #expect(endAfterwards == end)
        #expect(counters.delivered == 960)
    }

    @Test("A camera's memory is given back once, though its call returns after all")
    func picture() throws {
        let (hang, over) = (Hang(), DispatchSemaphore(value: 0))
        let script: [ScriptedVideo.Entry] = [
            .picture(0, at: cm_monotonic() - 500_000_000), .run { hang.begin() }, .read(.nothing),
        ]
        let source = try ScriptedVideo(script)
        let capture = try VideoCapture(source, control: LoopControl(), counters: CaptureCounters())
        queue.run(capture.stream) { _ in over.signal() }
        var consumer = capture.consumer
        hang.waitUntilBegun()
        timer.passPatience()
        var pictures = 0
        while case .ready = consumer.wait(milliseconds: -1) {
            while consumer.withNext({ _, _ in pictures += 1 }) != nil {}
        }
        let end = consumer.ended
        #expect(end == LoopResult(.stalled))
        #expect(pictures == 1)
        hang.end()
        over.wait()
    }

    @Test("A revocation while it hangs is told as one")
    func revoked() throws {
        let (hang, over) = (Hang(), DispatchSemaphore(value: 0))
        let control = try LoopControl()
        let script: [ScriptedAudio.Entry] = [.run { control.request(.revoked) }, .run { hang.begin() }]
        let capture = try AudioCapture(
            ScriptedAudio(script, settings: settings), control: control, counters: CaptureCounters())
        queue.run(capture.stream) { _ in over.signal() }
        var consumer = capture.consumer
        hang.waitUntilBegun()
        timer.passPatience()
        #expect(consumer.wait(milliseconds: -1) == .ended(LoopResult(.revoked)))
        hang.end()
        over.wait()
    }

    @Test("A device that is gone is told as gone, though stopping it never returns")
    func gone() throws {
        let (hang, over) = (Hang(), DispatchSemaphore(value: 0))
        let calls = ScriptedAudio.Calls()
        calls.atStop = { hang.begin() }
        let capture = try AudioCapture(
            ScriptedAudio([period(0)], settings: settings, calls: calls), control: LoopControl(),
            counters: CaptureCounters())
        queue.run(capture.stream) { _ in over.signal() }
        var consumer = capture.consumer
        #expect(consumer.wait(milliseconds: -1) == .ready)
        while consumer.withNext({ _, _ in }) != nil {}
        hang.waitUntilBegun()
        timer.passPatience()
        #expect(consumer.wait(milliseconds: -1) == .ended(LoopResult(.deviceGone)))
        hang.end()
        over.wait()
    }

    @Test("A device that is silent for longer than a call may take does not hang")
    func silent() throws {
        let silence = (0..<22).flatMap { [timer] _ in
            [ScriptedAudio.Entry.run { timer.fire() }, .wakeup(.quiet)]
        }
        let capture = try AudioCapture(
            ScriptedAudio(silence + [period(0)], settings: settings), control: LoopControl(),
            counters: CaptureCounters())
        queue.run(capture.stream) { _ in }
        var consumer = capture.consumer
        #expect(consumer.wait(milliseconds: -1) == .ready)
        while consumer.withNext({ _, _ in }) != nil {}
        #expect(consumer.wait(milliseconds: -1) == .ended(LoopResult(.deviceGone)))
    }
}

/// A timer whose time the test lets pass.
private final class ManualTimer: Sendable {
    private let next = Locked<(@Sendable () -> Void)?>(nil)

    func set(_ body: @escaping @Sendable () -> Void) { next.withLock { $0 = body } }

    /// Runs the calls that are due, on this thread.
    func fire() {
        let body = next.withLock { next in
            defer { next = nil }
            return next
        }
        body?()
    }

    /// Lets more time pass than a call may take: a detector reports a hang after six checks.
    func passPatience() { for _ in 0..<10 { fire() } }
}

/// A call that does not return before the test lets it.
private struct Hang {
    private let begun = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    func begin() {
        begun.signal()
        ended.wait()
    }

    func waitUntilBegun() { begun.wait() }
    func end() { ended.signal() }
}
