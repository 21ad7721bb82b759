/// Buffer whose memory grows to the largest content and stays.
///
/// Implemented without an array, whose `removeAll` and copies would allocate during a recording.
///
/// *session-bound*
struct GrowingBuffer: ~Copyable {
    private var memory: UnsafeMutableRawBufferPointer
    /// Bytes in use; writing continues after them.
    var count = 0

    /// - Parameter capacity: bytes for which it does not have to grow.
    init(capacity: Int) { memory = .allocate(byteCount: max(capacity, 1), alignment: 16) }

    deinit { memory.deallocate() }

    /// Bytes in use, valid until the next change.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

    /// Makes room for more bytes; to at least twice the size, so that growing ends soon.
    mutating func reserve(_ extra: Int) {
        guard count + extra > memory.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(memory.count * 2, count + extra), alignment: 16)
        larger.copyMemory(from: bytes)
        memory.deallocate()
        memory = larger
    }

    mutating func append(_ more: UnsafeRawBufferPointer) {
        reserve(more.count)
        UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: more)
        count += more.count
    }

    /// Appends a byte, for which there must be room.
    mutating func put(_ byte: UInt8) {
        memory[count] = byte
        count += 1
    }

    /// Appends a big-endian number, for which there must be room.
    mutating func put(_ value: Int, width: Int) { put(UInt64(bitPattern: Int64(value)), width: width) }

    /// Appends a big-endian number, for which there must be room.
    mutating func put(_ value: UInt64, width: Int) {
        for byte in 0..<width { put(UInt8(truncatingIfNeeded: value >> (8 * (width - 1 - byte)))) }
    }

    /// Overwrites four bytes with a big-endian number.
    mutating func set(_ value: Int, at offset: Int) {
        for byte in 0..<4 { memory[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * (3 - byte))) }
    }
}
