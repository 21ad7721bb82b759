import CaptureRealtime
import Testing

@Suite("Loop control")
struct LoopControlTests {
    @Test("The graver reason wins, whatever comes first")
    func reasons() throws {
        let control = try LoopControl()
        #expect(control.reason == .none)
        control.request(.stop)
        #expect(control.reason == .stop)
        control.request(.revoked)
        #expect(control.reason == .revoked)
        control.request(.expired)
        control.request(.stop)
        #expect(control.reason == .revoked)
    }

    @Test("Once a revocation has returned, nothing is committed any more", arguments: 1...200)
    func exact(round: Int) throws {
        let control = try LoopControl()
        let ends = try AudioRing.make(slots: 1 << 12, slotBytes: 8, control: control)
        let carrier = Carrier(ends.producer)
        let wait = onThread {
            var producer = carrier.take()
            var sequence: UInt64 = 0
            repeat {
                _ = producer.claim()
                sequence += 1
            } while producer.isDropping ? control.reason == .none : producer.commit(.unit(sequence))
            producer.finish(LoopResult(.revoked))
        }
        while control.committed < UInt64(round) {}
        control.request(.revoked)
        let committed = control.committed
        wait()
        #expect(control.committed == committed)
    }

    @Test("A second ring with the same control traps")
    func once() async {
        await #expect(processExitsWith: .failure) {
            let control = try LoopControl()
            _ = try AudioRing.make(slots: 2, slotBytes: 8, control: control)
            _ = try AudioRing.make(slots: 2, slotBytes: 8, control: control)
        }
    }
}
