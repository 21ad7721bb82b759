import CCodecs
import CaptureBase

/// Run of encoded packets whose memory is reused.
///
/// Packets are stored one after another in one allocation, so that several can be written in a single write(2). The memory belongs
/// to C because libFLAC's callback grows it; a Swift array can't be grown from there.
///
/// *session-bound*
public struct PacketBuffer: ~Copyable {
    var storage = cc_packets()

    /// An empty buffer, which allocates nothing yet.
    public init() {}

    deinit {
        var storage = storage
        cc_packets_free(&storage)
    }

    /// Number of packets.
    public var count: Int { storage.packet_count }

    /// Presentation timestamp in nanoseconds.
    public func time(of index: Int) -> Int64 { packet(index).time }

    /// Duration in nanoseconds; 0 if it is not known.
    public func duration(of index: Int) -> Int64 { packet(index).duration }

    /// Nanoseconds at the packet's end that are not to be played.
    public func discard(of index: Int) -> Int64 { packet(index).discard }

    /// Nanoseconds from the start of the first packet to the end of the last.
    package var duration: Int64 { count == 0 ? 0 : time(of: count - 1) + duration(of: count - 1) - time(of: 0) }

    /// Decoding can start at this packet.
    public func isKey(_ index: Int) -> Bool { packet(index).key != 0 }

    /// Size of a packet in bytes.
    public func byteCount(of index: Int) -> Int { packet(index).count }

    /// Lends the bytes of a packet.
    /// - Parameters:
    ///   - index: of the packet.
    ///   - body: gets the bytes, valid until it returns.
    public func withBytes<Result, Failure: Error>(
        of index: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withBytes(of: index..<index + 1, body)
    }

    /// Lends the bytes of consecutive packets, which are stored one after another.
    package func withBytes<Result, Failure: Error>(
        of range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let start = packet(range.lowerBound).offset
        let last = packet(range.upperBound - 1)
        return try body(UnsafeRawBufferPointer(start: storage.bytes + start, count: last.offset + last.count - start))
    }

    /// Removes all packets and keeps the memory.
    public mutating func removeAll() {
        storage.count = 0
        storage.packet_count = 0
    }

    /// Appends a packet that `fill` writes in place.
    /// - Parameters:
    ///   - capacity: upper bound of its size in bytes.
    ///   - time: presentation timestamp in nanoseconds.
    ///   - duration: nanoseconds.
    ///   - isKey: decoding can start at it.
    ///   - fill: returns the bytes it wrote, `capacity` at most; 0 appends no packet.
    /// - Throws: `.inputOutput` if there is no memory; what `fill` throws.
    public mutating func append(
        capacity: Int, at time: Int64, lasting duration: Int64, isKey: Bool = true,
        _ fill: (UnsafeMutableRawBufferPointer) throws(CaptureError) -> Int
    ) throws(CaptureError) {
        guard cc_packets_reserve(&storage, max(capacity, 1)) == 0 else { throw Self.outOfMemory }
        let room = UnsafeMutableRawBufferPointer(start: storage.bytes + storage.count, count: capacity)
        let count = try fill(room)
        precondition(count <= capacity, "A packet is larger than its room.")
        guard count > 0 else { return }
        guard cc_packets_commit(&storage, count, time, duration, isKey ? 1 : 0) == 0 else { throw Self.outOfMemory }
    }

    /// Appends a packet that a function makes of audio sample by sample, and counts it. This is enough for a codec without state.
    ///
    ///     try packets.append(coding: data, of: format, at: nanoseconds, counting: &counts, Self.muLaw)
    ///
    /// It allocates nothing once the buffer has grown to size.
    /// - Parameters:
    ///   - data: complete interleaved frames.
    ///   - format: format of the data.
    ///   - time: presentation timestamp of the first frame in nanoseconds; the format determines the duration.
    ///   - counts: counts of the encoder, to which frames, packet and bytes are added.
    ///   - code: bytes of one sample in the packet. Its argument is the sample as stored in memory, such as an `Int16` for `.s16`.
    /// - Throws: `.usage` for incomplete frames, and for samples of another size than the argument's;
    ///   `.inputOutput` if there is no memory.
    @inlinable
    public mutating func append<Sample: BitwiseCopyable, Code: BitwiseCopyable>(
        coding data: RawSpan, of format: AudioFormat, at time: Int64, counting counts: inout EncoderCounts,
        _ code: (Sample) -> Code
    ) throws(CaptureError) {
        let (sampleBytes, codeBytes) = (MemoryLayout<Sample>.size, MemoryLayout<Code>.size)
        let sizes = (sample: sampleBytes, code: codeBytes)
        try append(coding: data, of: format, sizes: sizes, at: time, counting: &counts) { room in
            for index in 0..<room.count / codeBytes {
                let sample = data.unsafeLoadUnaligned(fromByteOffset: index * sampleBytes, as: Sample.self)
                room.storeBytes(of: code(sample), toByteOffset: index * codeBytes, as: Code.self)
            }
        }
    }

    /// Appends and counts a packet that `fill` makes of samples. The sizes are in bytes.
    @usableFromInline
    mutating func append(
        coding data: RawSpan, of format: AudioFormat, sizes: (sample: Int, code: Int), at time: Int64,
        counting counts: inout EncoderCounts, _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(CaptureError) {
        let frames = try format.frames(in: data)
        let bytes = format.sampleFormat.bytesPerSample
        guard sizes.sample == bytes else {
            throw CaptureError(
                .usage, "The codec takes samples of \(sizes.sample) bytes, but the audio has \(bytes).")
        }
        let size = frames * format.channels * sizes.code
        let duration = format.nanoseconds(ofFrames: Int64(frames))
        try append(capacity: size, at: time, lasting: duration) { room in
            fill(room)
            return size
        }
        guard size > 0 else { return }
        counts.frames += UInt64(frames)
        counts.packets += 1
        counts.bytes += UInt64(size)
    }

    /// Sets timestamp and duration of a packet that a C callback appended.
    mutating func setTime(of index: Int, _ time: Int64, lasting duration: Int64) {
        precondition(index < count)
        storage.packets[index].time = time
        storage.packets[index].duration = duration
    }

    /// Says whether decoding can start at a packet.
    mutating func setKey(of index: Int, _ isKey: Bool) {
        precondition(index < count)
        storage.packets[index].key = isKey ? 1 : 0
    }

    /// Marks the end of a packet as not to be played.
    mutating func setDiscard(of index: Int, _ nanoseconds: Int64) {
        precondition(index < count)
        storage.packets[index].discard = nanoseconds
    }

    /// A bounds check; the index of a C array has none.
    private func packet(_ index: Int) -> cc_packet {
        precondition(index >= 0 && index < count)
        return storage.packets[index]
    }

    static var outOfMemory: CaptureError { CaptureError(.inputOutput, "There is not enough memory for a packet.") }
}
