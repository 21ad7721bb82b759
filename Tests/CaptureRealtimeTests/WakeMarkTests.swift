import CMedia
import CaptureRealtime
import Testing

@Suite("Waking a reader")
struct WakeMarkTests {
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

    private static func calls(_ signal: Int32) -> Bool {
        var item = pollfd(fd: signal, events: Int16(POLLIN), revents: 0)
        return cm_poll(&item, 1, 0) == 1
    }
}
