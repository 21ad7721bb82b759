import CMedia
import CaptureRealtime
import Testing

@Suite("Resting between pictures")
struct VideoRestTests {
    private let base = cm_monotonic() - 900_000_000

    private func picture(_ number: UInt32) -> ScriptedVideo.Entry {
        .picture(number, at: base + Int64(number) * 33_333_333)
    }

    /// Runs a script with nobody reading meanwhile, and reads it all at the end.
    private func run(
        _ script: [ScriptedVideo.Entry], buffers: Int, wakeAfter: Int, fps: Int = 30, control: LoopControl? = nil
    ) throws -> (calls: ScriptedVideo.Calls, pictures: [UInt32]) {
        let calls = ScriptedVideo.Calls()
        let source = try ScriptedVideo(script, buffers: buffers, fps: fps, calls: calls)
        let capture = try VideoCapture(source, control: control ?? LoopControl(), counters: LoopCounters())
        var track = capture.track
        var consumer = capture.consumer
        consumer.wakeAfter = wakeAfter
        #expect(consumer.withNext { _, _ in } == nil)
        track.finish(track.capture())
        var pictures: [UInt32] = []
        while let number = consumer.withNext({ _, bytes in unsafe bytes.unsafeLoad(as: UInt32.self) }) {
            pictures.append(number)
        }
        return (calls, pictures)
    }

    @Test("It sleeps through as many pictures as the reader wants at a time, and takes them together")
    func rests() throws {
        let nothing = ScriptedVideo.Entry.read(.nothing)
        let outcome = try run(
            [picture(0), picture(1), picture(2), nothing, picture(3), picture(4), picture(5), nothing],
            buffers: 14, wakeAfter: 3)
        // The two that the reader was still waiting for, then three, and the three that never came.
        #expect(outcome.calls.rests == [67, 100, 100])
        #expect(outcome.calls.waits == 1)
        #expect(outcome.pictures == Array(0..<6))
    }

    @Test("The fewer buffers the device has left, the less it sleeps; with few, not at all")
    func spare() throws {
        let outcome = try run((0..<6).map(picture), buffers: 8, wakeAfter: 3)
        #expect(outcome.calls.rests == [67])
        #expect(outcome.calls.fewestFree >= 2)
        #expect(outcome.pictures.last == 5)
    }

    @Test("It looks at each picture where the reader wants each, or the rate is unknown", arguments: [(1, 30), (3, 0)])
    func never(wakeAfter: Int, fps: Int) throws {
        let outcome = try run((0..<6).map(picture), buffers: 14, wakeAfter: wakeAfter, fps: fps)
        #expect(outcome.calls.rests.isEmpty)
        #expect(outcome.pictures == Array(0..<6))
    }

    @Test("After a rest that brought nothing it waits")
    func nothing() throws {
        let outcome = try run(
            [picture(0), .read(.nothing), .wakeup(.quiet), picture(1), picture(2)], buffers: 14, wakeAfter: 3)
        #expect(outcome.calls.rests == [67, 100])
        #expect(outcome.calls.waits == 4)
        #expect(outcome.pictures == [0, 1, 2])
    }

    @Test("Who asks it to stop during a rest gets no picture any more")
    func stopped() throws {
        let control = try LoopControl()
        let calls = ScriptedVideo.Calls()
        let source = try ScriptedVideo((0..<6).map(picture), buffers: 14, calls: calls)
        calls.onRest = { control.request(.revoked) }
        let capture = try VideoCapture(source, control: control, counters: LoopCounters())
        var track = capture.track
        var consumer = capture.consumer
        consumer.wakeAfter = 3
        #expect(consumer.withNext { _, _ in } == nil)
        #expect(track.capture() == LoopResult(.revoked))
        #expect(calls.rests == [67])
        #expect(consumer.unread == 1)
        track.finish(LoopResult(.revoked))
    }
}
