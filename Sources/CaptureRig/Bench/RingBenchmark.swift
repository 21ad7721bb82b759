import CaptureGate
import CaptureRealtime
import Dispatch

/// Benchmark of the rings between the capture thread and its reader, with memory in place of a device.
///
/// *thread-safe*
public struct RingBenchmark: Hashable, Sendable {
    public let kind: RingMeasurement.Kind
    /// Size of a period in bytes; meaningless for video.
    public let bytes: Int

    public init(_ kind: RingMeasurement.Kind, bytes: Int = 0) {
        self.kind = kind
        self.bytes = kind == .sound ? max(bytes, 1) : 0
    }

    /// Periods of two channels at 48 kHz and of eight at 192 kHz, 10 ms each, and video frames.
    public static let usual = [
        RingBenchmark(.sound, bytes: 1_920), RingBenchmark(.sound, bytes: 61_440), RingBenchmark(.picture),
    ]

    /// Sends items through until the time is over; blocks the thread meanwhile.
    /// - Throws: `.inputOutput` if there is no memory for a ring.
    public func measure(for duration: Duration) throws(CaptureError) -> RingMeasurement {
        var items = 0
        var elapsed: Int64 = 0
        let limit = duration.nanoseconds
        let clock = SystemBenchmarkClock()
        let begun = clock.now()
        repeat {
            do throws(RealtimeFault) {
                elapsed += try run()
            } catch {
                throw CaptureError(
                    .inputOutput, "There is not enough memory for a ring with periods of \(bytes) bytes.")
            }
            items += itemsOfRun
        } while clock.now() - begun < limit
        return RingMeasurement(kind: kind, bytes: bytes, items: items, elapsed: .nanoseconds(elapsed))
    }

    /// Items of one run: enough to make the start of its thread negligible.
    private var itemsOfRun: Int { kind == .picture ? 100_000 : min(max(100_000_000 / bytes, 100), 50_000) }

    /// - Returns: the time of the items, in nanoseconds.
    private func run() throws(RealtimeFault) -> Int64 {
        switch kind {
        case .sound: try AudioRingRun(bytes: bytes, items: itemsOfRun).run()
        case .picture: try VideoRingRun(items: itemsOfRun).run()
        }
    }
}

/// Time of a number of items through a ring.
///
/// *thread-safe*
public struct RingMeasurement: Hashable, Sendable {
    /// Kinds of rings, by the path of their frames.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// A period is written by one thread and read by another.
        case sound
        /// A buffer is lent to the reader and returned, without a copy.
        case picture
    }

    public let kind: Kind
    /// Size of a period in bytes; 0 for video frames, which are lent and not copied.
    public let bytes: Int
    /// Number of periods or video frames.
    public let items: Int
    /// Time of all items by the clock.
    public let elapsed: Duration

    public init(kind: Kind, bytes: Int, items: Int, elapsed: Duration) {
        self.kind = kind
        self.bytes = bytes
        self.items = items
        self.elapsed = elapsed
    }

    /// Time of one item, to a fraction of a nanosecond.
    public var timePerItem: Duration { elapsed / max(items, 1) }
    /// Bytes a second.
    public var throughput: Double { Double(bytes) * Double(items) * 1e9 / Double(max(elapsed.exactNanoseconds, 1)) }
}

/// Buffers lent and returned alternately, in one thread: the ring's own cost, without that of threads.
struct VideoRingRun {
    let items: Int

    private static let bufferCount = 4
    private static let bufferBytes = 4096

    /// - Returns: the time of all of them, in nanoseconds.
    func run() throws(RealtimeFault) -> Int64 {
        let buffers = try FrameBuffers(count: Self.bufferCount, planes: 1) { (_, _) throws(RealtimeFault) in
            // The ring unmaps its buffers like a driver's, so memory of malloc(3) can't be used.
            UnsafeMutableRawBufferPointer(
                start: try FrameBuffers.memory(byteCount: Self.bufferBytes, name: "ring-benchmark"),
                count: Self.bufferBytes)
        }
        var ends = try VideoRing.make(buffers: buffers, control: LoopControl())
        let planes = FramePlanes(byteCount: Self.bufferBytes)
        var buffer = 0
        let clock = SystemBenchmarkClock()
        let begun = clock.now()
        for item in 0..<items {
            let header = FrameHeader(
                sequence: UInt64(item), timestamp: Int64(item), byteCount: Self.bufferBytes, frameCount: 1)
            _ = ends.producer.commit(buffer, header, planes)
            _ = ends.consumer.withNext { _, _ in }
            buffer = ends.producer.takeReturned()
            precondition(buffer >= 0, "The reader gives back what it was lent")
        }
        return clock.now() - begun
    }
}

/// Periods written by this thread and read by another, as fast as both can.
///
/// In a capture the writer is the capture thread, which never waits: periods that do not fit are dropped and counted. Here nothing
/// may be dropped; otherwise a slow reader would look fast.
struct AudioRingRun {
    let bytes: Int
    let items: Int

    private static let slots = 64
    /// Checks of a full ring before the writer sleeps: the reader may need its processor.
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
            // A capture would drop a period that does not fit.
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
        // Every byte was a one: a reader that reads nothing would be fast, too.
        precondition(sum > 0 || items == 0, "The reader saw what was written")
    }

    /// Reads a word of every cache line, which fetches the line from the writer's processor.
    private static func sum(_ bytes: RawSpan) -> UInt64 {
        bytes.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: 64).reduce(0) { $0 &+ UInt64(bytes[$1]) }
        }
    }
}
