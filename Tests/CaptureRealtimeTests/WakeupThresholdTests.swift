import CMedia
import Testing

@testable import CaptureRealtime

@Suite("Waking a reader")
struct WakeupThresholdTests {
    @Test("The signal calls at as many units as are wanted, at half the ring in any case", arguments: [1, 3, 100])
    func units(wanted: Int) throws {
        let ends = try AudioRing.make(slots: 16, slotBytes: 64, control: LoopControl())
        var producer = ends.producer
        var consumer = ends.consumer
        consumer.wakeAfter = wanted
        for round in 0..<3 {
            #expect(consumer.withNext { _, _ in } == nil)
            for unit in 1...min(wanted, 8) {
                #expect(!Self.calls(consumer.readySignal), "round \(round), unit \(unit)")
                _ = producer.claim()
                _ = producer.commit(.unit(UInt64(unit)))
            }
            #expect(Self.calls(consumer.readySignal))
            while consumer.withNext({ _, _ in }) != nil {}
        }
    }

    @Test("The end calls, however many units were wanted")
    func end() throws {
        let ends = try AudioRing.make(slots: 16, slotBytes: 64, control: LoopControl())
        var producer = ends.producer
        var consumer = ends.consumer
        consumer.wakeAfter = 8
        #expect(consumer.withNext { _, _ in } == nil)
        producer.finish(LoopResult(.stopped))
        #expect(Self.calls(consumer.readySignal))
    }

    @Test("After the end the signal calls until nothing is found: nobody who polls it spins")
    func afterEnd() throws {
        let sound = try AudioRing.make(slots: 16, slotBytes: 64, control: LoopControl())
        let pictures = try VideoRing.make(buffers: FrameBuffers.plain(4), control: LoopControl())
        var microphone = sound.producer
        var sounds = sound.consumer
        var camera = pictures.producer
        let counters = CaptureCounters()
        var images = pictures.consumer
        _ = microphone.claim()
        _ = microphone.commit(.unit(0))
        _ = camera.commit(0, .unit(0, byteCount: 512, ringLost: 0), FramePlanes(byteCount: 512))
        microphone.finish(LoopResult(.deviceGone))
        camera.finish(LoopResult(.deviceGone), counters.realtime)
        Self.expectSilence(of: &sounds)
        Self.expectSilence(of: &images)
    }

    @Test("A call that came too late for its mark is answered once")
    func late() throws {
        let completion = try RingCompletion()
        completion.clear(until: 1)
        // Between a producer's taking of the mark and its call the reader found the unit by itself.
        completion.clear(until: 2)
        completion.signal.raise()
        completion.clear(until: 3)
        #expect(Self.calls(completion.signal.descriptor))
        completion.clear(until: 3)
        #expect(!Self.calls(completion.signal.descriptor))
    }

    private static func expectSilence(of reader: inout some FrameReader & ~Copyable) {
        #expect(calls(reader.readySignal))
        let first: Bool? = reader.withNext { _, _ in true }
        #expect(first == true && calls(reader.readySignal))
        for _ in 0..<2 {
            let next: Bool? = reader.withNext { _, _ in true }
            #expect(next == nil && !calls(reader.readySignal))
        }
    }

    private static func calls(_ signal: Int32) -> Bool {
        var item = pollfd(fd: signal, events: Int16(POLLIN), revents: 0)
        return cm_poll(&item, 1, 0) == 1
    }
}
