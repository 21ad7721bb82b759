import CaptureGate
import CaptureRealtime

/// Benchmark of the rings between the capture thread and its reader, with memory in place of a device.
///
/// *thread-safe*
public struct RingBenchmark: Hashable, Sendable {
    public let kind: RingMeasurement.Kind
    /// Size of a period; without a meaning for pictures.
    public let bytes: Int

    public init(_ kind: RingMeasurement.Kind, bytes: Int = 0) {
        self.kind = kind
        self.bytes = kind == .sound ? max(bytes, 1) : 0
    }

    /// Periods of two channels at 48 kHz and of eight at 192 kHz, 10 ms each, and pictures.
    public static let usual = [
        RingBenchmark(.sound, bytes: 1_920), RingBenchmark(.sound, bytes: 61_440), RingBenchmark(.picture),
    ]

    /// Sends items through until the time is over; blocks the thread meanwhile.
    /// - Throws: `.inputOutput` where there is no memory for a ring.
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
                throw CaptureError(.inputOutput, "There is no memory for a ring of \(bytes) bytes a period.")
            }
            items += itemsOfRun
        } while clock.now() - begun < limit
        return RingMeasurement(kind: kind, bytes: bytes, items: items, elapsedNanoseconds: elapsed)
    }

    /// Items of one run: so many that starting its thread costs nothing beside them.
    private var itemsOfRun: Int { kind == .picture ? 100_000 : min(max(100_000_000 / bytes, 100), 50_000) }

    /// - Returns: the time that the items took, nanoseconds.
    private func run() throws(RealtimeFault) -> Int64 {
        switch kind {
        case .sound: try AudioRingRun(bytes: bytes, items: itemsOfRun).run()
        case .picture: try VideoRingRun(items: itemsOfRun).run()
        }
    }
}

/// Time that a number of items took through a ring.
///
/// *thread-safe*
public struct RingMeasurement: Hashable, Sendable {
    /// Kinds of rings, by how frames go through them.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// A period is written by one thread and read by another.
        case sound
        /// A buffer is lent to the reader and given back; nothing is copied.
        case picture
    }

    public let kind: Kind
    /// Size of a period; 0 for pictures, which are lent and not copied.
    public let bytes: Int
    /// Count of periods or pictures.
    public let items: Int
    /// Time of all items by the clock, nanoseconds.
    public let elapsedNanoseconds: Int64

    public init(kind: Kind, bytes: Int, items: Int, elapsedNanoseconds: Int64) {
        self.kind = kind
        self.bytes = bytes
        self.items = items
        self.elapsedNanoseconds = elapsedNanoseconds
    }

    public var nanosecondsPerItem: Double { Double(elapsedNanoseconds) / Double(max(items, 1)) }
    /// Bytes a second.
    public var throughput: Double { Double(bytes) * Double(items) * 1e9 / Double(max(elapsedNanoseconds, 1)) }
}

/// Buffers lent and given back by turns, in one thread: the ring's own cost, without that of threads.
struct VideoRingRun {
    let items: Int

    private static let bufferCount = 4
    private static let bufferBytes = 4096

    /// - Returns: the time that all of them took, nanoseconds.
    func run() throws(RealtimeFault) -> Int64 {
        let buffers = try FrameBuffers(count: Self.bufferCount, planes: 1) { (_, _) throws(RealtimeFault) in
            // The ring unmaps its buffers as it does a driver's, so memory of malloc(3) will not do.
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
