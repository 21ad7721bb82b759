import CMedia
import CaptureRealtime
import Dispatch
import Testing

@Suite("Hang watch")
struct HangDetectorTests {
    private let settings = PCMSettings(rate: 48_000, channels: 1, periodFrames: 480, bufferFrames: 4800)

    private func period(_ number: Int) -> ScriptedAudio.Entry {
        .frames(480, at: cm_monotonic() - 500_000_000 + Int64(number) * 10_000_000)
    }

    @Test("A call that never returns is a stall to the reader, who gets what came before it and nothing after it")
    func sound() throws {
        let (hanging, over) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let script = [period(0), period(1), .run { hanging.wait() }, period(2)]
        let (control, counters) = (try LoopControl(), CaptureCounters())
        let capture = try AudioCapture(
            ScriptedAudio(script, settings: settings), control: control, counters: counters)
        RealtimeQueue(label: "test", patience: .milliseconds(200)).run(capture.stream) { _ in over.signal() }
        var consumer = capture.consumer
        var periods = 0
        while case .ready = consumer.wait(milliseconds: -1) {
            while consumer.withNext({ _, _ in periods += 1 }) != nil {}
        }
        let end = consumer.ended
        #expect(end == LoopResult(.stalled))
        #expect(periods == 2)
        hanging.signal()
        over.wait()
        let endAfterwards = consumer.ended
        #expect(endAfterwards == end)
        #expect(counters.delivered == 960)
    }

    @Test("A camera's memory is given back once, though its call returns after all")
    func picture() throws {
        let (hanging, over) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let script: [ScriptedVideo.Entry] = [
            .picture(0, at: cm_monotonic() - 500_000_000), .run { hanging.wait() }, .read(.nothing),
        ]
        let source = try ScriptedVideo(script)
        let capture = try VideoCapture(source, control: LoopControl(), counters: CaptureCounters())
        RealtimeQueue(label: "test", patience: .milliseconds(200)).run(capture.stream) { _ in over.signal() }
        var consumer = capture.consumer
        var pictures = 0
        while case .ready = consumer.wait(milliseconds: -1) {
            while consumer.withNext({ _, _ in pictures += 1 }) != nil {}
        }
        let end = consumer.ended
        #expect(end == LoopResult(.stalled))
        #expect(pictures == 1)
        hanging.signal()
        over.wait()
    }

    @Test("A revocation while it hangs is told as one")
    func revoked() throws {
        let (hanging, over) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let control = try LoopControl()
        let script: [ScriptedAudio.Entry] = [.run { control.request(.revoked) }, .run { hanging.wait() }]
        let capture = try AudioCapture(
            ScriptedAudio(script, settings: settings), control: control, counters: CaptureCounters())
        RealtimeQueue(label: "test", patience: .milliseconds(200)).run(capture.stream) { _ in over.signal() }
        var consumer = capture.consumer
        #expect(consumer.wait(milliseconds: -1) == .ended(LoopResult(.revoked)))
        hanging.signal()
        over.wait()
    }

    @Test("A device that is gone is told as gone, though stopping it never returns")
    func gone() throws {
        let (hanging, over) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let calls = ScriptedAudio.Calls()
        calls.atStop = { hanging.wait() }
        let capture = try AudioCapture(
            ScriptedAudio([period(0)], settings: settings, calls: calls), control: LoopControl(),
            counters: CaptureCounters())
        RealtimeQueue(label: "test", patience: .milliseconds(200)).run(capture.stream) { _ in over.signal() }
        var consumer = capture.consumer
        #expect(consumer.wait(milliseconds: -1) == .ready)
        while consumer.withNext({ _, _ in }) != nil {}
        #expect(consumer.wait(milliseconds: -1) == .ended(LoopResult(.deviceGone)))
        hanging.signal()
        over.wait()
    }

    @Test("A device that is silent for longer than a call may take does not hang")
    func silent() throws {
        let silence = (0..<22).flatMap { _ in
            [ScriptedAudio.Entry.run { _ = cm_poll(nil, 0, 60) }, .wakeup(.quiet)]
        }
        let capture = try AudioCapture(
            ScriptedAudio(silence + [period(0)], settings: settings), control: LoopControl(),
            counters: CaptureCounters())
        RealtimeQueue(label: "test", patience: .seconds(1)).run(capture.stream) { _ in }
        var consumer = capture.consumer
        #expect(consumer.wait(milliseconds: -1) == .ready)
        while consumer.withNext({ _, _ in }) != nil {}
        #expect(consumer.wait(milliseconds: -1) == .ended(LoopResult(.deviceGone)))
    }
}
