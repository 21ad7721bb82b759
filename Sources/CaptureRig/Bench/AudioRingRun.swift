import CaptureGate
import CaptureRealtime
import Dispatch

/// Periods written by this thread and read by another, as fast as both can.
///
/// In a capture the writer is the capture thread, which never waits: what does not fit is dropped and counted. Here nothing
/// may be dropped, or a slow reader would look fast.
struct AudioRingRun {
    let bytes: Int
    let items: Int

    private static let slots = 64
    /// Looks at a full ring after which the writer sleeps: the reader may need its processor.
    private static let patience = 4096

    /// - Returns: nanoseconds from the first claim until all are read.
    func run() throws(RealtimeFault) -> Int64 {
        let ends = try AudioRing.make(slots: Self.slots, slotBytes: bytes, control: LoopControl())
        let consumer = Handoff(ends.consumer)
        let ready = DispatchSemaphore(value: 0)
        let done = DispatchSemaphore(value: 0)
        let items = items
        DispatchQueue.global(qos: .userInitiated).async {
            ready.signal()
            if let consumer = consumer.take() { Self.read(consumer, items) }
            done.signal()
        }
        ready.wait()
        let clock = SystemBenchmarkClock()
        let begun = clock.now()
        write(ends.producer)
        done.wait()
        return clock.now() - begun
    }

    private func write(_ producer: consuming AudioRing.Producer) {
        let source = [UInt8](repeating: 1, count: bytes)
        let pause = DispatchSemaphore(value: 0)
        for item in 0..<items {
            var slot = producer.claim()
            var looks = 0
            // A capture would drop what does not fit.
            while producer.isDropping {
                looks += 1
                if looks % Self.patience == 0 { _ = pause.wait(timeout: .now() + .microseconds(50)) }
                slot = producer.claim()
            }
            source.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: slot, count: bytes).copyMemory(from: $0) }
            _ = producer.commit(
                FrameHeader(
                    sequence: UInt64(item), timestamp: Int64(item), byteCount: bytes, frameCount: 1))
        }
        producer.finish(LoopResult(.stopped))
    }

    private static func read(_ consumer: consuming AudioRing.Consumer, _ items: Int) {
        var sum: UInt64 = 0
        reading: while true {
            while consumer.withNext({ _, bytes in sum &+= Self.sum(bytes) }) != nil {}
            switch consumer.wait(milliseconds: 1000) {
            case .ready, .timedOut: continue
            case .ended: break reading
            }
        }
        // Every byte was a one: who reads nothing would be fast, too.
        precondition(sum > 0 || items == 0, "The reader saw what was written")
    }

    /// Reads a word of every cache line, so that it is brought from the writer's processor.
    private static func sum(_ bytes: RawSpan) -> UInt64 {
        bytes.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: 64).reduce(0) { $0 &+ UInt64(bytes[$1]) }
        }
    }
}
