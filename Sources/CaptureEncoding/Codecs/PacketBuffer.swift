import CCodecs
import CaptureGate

/// A reused run of encoded packets.
///
/// *session-bound*
public struct PacketBuffer: ~Copyable {
    var storage = cc_packets()

    public init() {}

    deinit {
        var storage = storage
        cc_packets_free(&storage)
    }

    /// Packets in it.
    public var count: Int { storage.packet_count }

    /// Presentation time, nanoseconds.
    public func time(of index: Int) -> Int64 { packet(index).time }

    /// Nanoseconds; 0 where it is not known.
    public func duration(of index: Int) -> Int64 { packet(index).duration }

    /// Nanoseconds of it, at its end, that are not to be played.
    public func discard(of index: Int) -> Int64 { packet(index).discard }

    /// From the start of the first to the end of the last, nanoseconds.
    var duration: Int64 { count == 0 ? 0 : time(of: count - 1) + duration(of: count - 1) - time(of: 0) }

    /// Whether decoding can start at it.
    public func isKey(_ index: Int) -> Bool { packet(index).key != 0 }

    public func byteCount(of index: Int) -> Int { packet(index).count }

    public func withBytes<Result, Failure: Error>(
        of index: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withBytes(of: index..<index + 1, body)
    }

    /// The bytes of packets that follow one another.
    func withBytes<Result, Failure: Error>(
        of range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let start = packet(range.lowerBound).offset
        let last = packet(range.upperBound - 1)
        return try body(UnsafeRawBufferPointer(start: storage.bytes + start, count: last.offset + last.count - start))
    }

    /// Empties it; its memory stays.
    public mutating func removeAll() {
        storage.count = 0
        storage.packet_count = 0
    }

    /// Appends a packet that `fill` writes.
    /// - Parameters:
    ///   - capacity: the most it can need, bytes.
    ///   - fill: returns the bytes it wrote; 0 makes no packet.
    mutating func append(
        capacity: Int, at time: Int64, lasting duration: Int64,
        _ fill: (UnsafeMutableRawBufferPointer) throws(CaptureError) -> Int
    ) throws(CaptureError) {
        guard cc_packets_reserve(&storage, max(capacity, 1)) == 0 else { throw Self.outOfMemory }
        let room = UnsafeMutableRawBufferPointer(start: storage.bytes + storage.count, count: capacity)
        let count = try fill(room)
        guard count > 0 else { return }
        guard cc_packets_commit(&storage, count, time, duration, 1) == 0 else { throw Self.outOfMemory }
    }

    mutating func setTime(of index: Int, _ time: Int64, lasting duration: Int64) {
        precondition(index < count)
        storage.packets[index].time = time
        storage.packets[index].duration = duration
    }

    mutating func setDiscard(of index: Int, _ nanoseconds: Int64) {
        precondition(index < count)
        storage.packets[index].discard = nanoseconds
    }

    private func packet(_ index: Int) -> cc_packet {
        precondition(index >= 0 && index < count)
        return storage.packets[index]
    }

    static var outOfMemory: CaptureError { CaptureError(.inputOutput, "There is no memory left for a packet.") }
}

/// Gives blocks that are cut elsewhere than their input the time of their first frame.
///
/// A frame's time is that of the newest input plus or minus the frames between, so that blocks follow the device's
/// clock and not a nominal rate.
struct PacketClock {
    private var anchorTime: Int64 = 0
    private var anchorFrame: Int64 = 0
    private var framesIn: Int64 = 0
    private var framesOut: Int64 = 0
    private var lastEnd: Int64 = .min

    /// The next frame that comes in has this time.
    mutating func anchor(at nanoseconds: Int64) {
        anchorTime = nanoseconds
        anchorFrame = framesIn
    }

    mutating func advance(by frames: Int64) { framesIn += frames }

    /// The time of the next `frames` that go out; never before the one given out last, never before 0.
    mutating func take(_ frames: Int64, of format: AudioFormat) -> Int64 {
        let distance = framesOut - anchorFrame
        let offset = format.nanoseconds(ofFrames: abs(distance))
        let time = max(anchorTime + (distance < 0 ? -offset : offset), lastEnd, 0)
        framesOut += frames
        lastEnd = time + 1
        return time
    }
}
