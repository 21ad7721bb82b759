import CMedia
import CaptureBase
import CaptureRealtime
import Peers
import Synchronization

/// The ring between two threads, each on a separate processor, beside a queue in C++ and beside memcpy.
struct RingBenchmark {
    let bytes: Int
    let slots: Int
    let items: Int
    /// Of our throughput to the queue's.
    let goal: Double

    static let all = [
        RingBenchmark(bytes: 64, slots: 1024, items: 500_000, goal: 1),
        RingBenchmark(bytes: 4096, slots: 256, items: 100_000, goal: 0.95),
        RingBenchmark(bytes: 614_400, slots: 8, items: 1_000, goal: 0.95),
    ]

    private var size: String { bytes == 614_400 ? "600 kB" : bytes == 4096 ? "4 KiB" : "\(bytes) B" }

    func measure(_ options: Options) -> [Comparison] {
        _ = ring()
        var comparisons = [comparison("queue in C++", rounds(options) { queue(bytes) }, .atLeast(goal))]
        if bytes < 614_400 {
            comparisons += [
                comparison("the same with headers as ours", rounds(options) { queue(bytes + 64) }, nil),
                comparison("with them and a locked exchange", rounds(options) { lockedQueue(bytes + 64) }, nil),
            ]
        }
        return comparisons + [comparison("memcpy in one thread", rounds(options) { copy() }, nil)]
    }

    private func rounds(_ options: Options, peer: () -> Double) -> PairedRuns {
        // Short ones, many of them: the state of the machine changes in between.
        withoutActuallyEscaping(peer) {
            PairedRuns(5 * options.rounds, ours: { ring() }, peer: options.isAlone ? nil : $0)
        }
    }

    private func comparison(_ name: String, _ rounds: PairedRuns, _ goal: Comparison.Goal?) -> Comparison {
        Comparison("ring of \(size) items, \(name)", unit: "million items/s", rounds, goal: goal)
    }

    /// Millions of items a second.
    private func throughput(_ nanoseconds: Int64) -> Double { Double(items) * 1_000 / Double(nanoseconds) }
    private func queue(_ bytes: Int) -> Double {
        throughput(peer_queue_run(Int64(bytes), Int64(slots), Int64(items)))
    }
    private func lockedQueue(_ bytes: Int) -> Double {
        throughput(peer_locked_queue_run(Int64(bytes), Int64(slots), Int64(items)))
    }
    private func copy() -> Double { throughput(peer_copy_run(Int64(bytes), Int64(slots), Int64(items))) }

    private func ring() -> Double {
        guard let control = try? LoopControl(),
            let ends = try? AudioRing.make(slots: slots, slotBytes: bytes, control: control)
        else { fail("no memory for a ring") }
        let (producer, consumer) = (Carrier(ends.producer), Carrier(ends.consumer))
        let (began, isReady) = (Shared(0), Shared(0))
        let (bytes, items) = (bytes, items)
        let waitForReader = onThread {
            peer_pin(1)
            let target = Unit(bytes)
            isReady.value.store(1, ordering: .releasing)
            if let consumer = consumer.take() { Self.read(consumer, items: items, into: target) }
        }
        let waitForWriter = onThread {
            peer_pin(0)
            let source = Unit(bytes)
            while isReady.value.load(ordering: .acquiring) == 0 {}
            began.value.store(cm_monotonic(), ordering: .relaxed)
            if let producer = producer.take() { Self.write(producer, items: items, from: source) }
        }
        waitForWriter()
        waitForReader()
        return throughput(cm_monotonic() - began.value.load(ordering: .relaxed))
    }

    private static func write(_ producer: consuming AudioRing.Producer, items: Int, from source: borrowing Unit) {
        for item in 0..<items {
            var slot = producer.claim()
            // A capture would drop what does not fit.
            while producer.isDropping { slot = producer.claim() }
            slot.copyMemory(from: source.base, byteCount: source.bytes)
            let number = UInt64(truncatingIfNeeded: item)
            _ = producer.commit(
                FrameHeader(sequence: number, timestamp: Int64(item), byteCount: source.bytes, frameCount: 1))
        }
        producer.finish(LoopResult(.stopped))
    }

    private static func read(_ consumer: consuming AudioRing.Consumer, items: Int, into target: borrowing Unit) {
        consumer.wakeAfter = .max
        var left = items
        while left > 0 {
            // Like the queue's reader: poll, never sleep.
            for _ in 0..<consumer.unread {
                let base = target.base
                consumer.withNext { _, span in span.withUnsafeBytes { copy($0, to: base) } }
                left -= 1
            }
        }
    }

    @inline(__always)
    private static func copy(_ bytes: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) {
        guard let base = bytes.baseAddress else { return }
        target.copyMemory(from: base, byteCount: bytes.count)
    }
}

/// A number that two threads see.
final class Shared: Sendable {
    let value: Atomic<Int64>

    init(_ value: Int64) { self.value = Atomic(value) }
}

/// Memory for one item, touched.
private struct Unit: ~Copyable {
    let base: UnsafeMutableRawPointer
    let bytes: Int

    init(_ bytes: Int) {
        self.bytes = bytes
        base = .allocate(byteCount: bytes, alignment: 64)
        base.initializeMemory(as: UInt8.self, repeating: 1, count: bytes)
    }

    deinit { base.deallocate() }
}
