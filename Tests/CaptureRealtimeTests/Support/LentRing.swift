import CMedia
import CaptureBase
import Glibc

@testable import CaptureRealtime

/// A reader of a ring with separate memory, like that of a source.
struct LentReader: ~Copyable {
    var reader: SharedRingReader
    let memory: UnsafeMutableRawBufferPointer
    var sums = Sums()

    init(_ reader: consuming SharedRingReader) {
        memory = .allocate(byteCount: reader.geometry.slotBytes, alignment: 64)
        self.reader = reader
    }

    /// Reads and counts an entry.
    ///
    /// - Returns: `nil` if there is one.
    mutating func read() -> SharedRead? {
        let read = reader.next(into: memory.baseAddress!, FramePlanes(byteCount: memory.count))
        guard case .entry(let entry) = read else { return read }
        let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory)[..<entry.planes.byteCount(0)])
        sums.add(.unit(entry.sequence, ringLost: entry.lost), bytes.bytes)
        return nil
    }

    /// Reads all available entries.
    mutating func drain() -> SharedRead {
        while true { if let last = read() { return last } }
    }

    deinit { memory.deallocate() }
}

extension SharedRingWriter {
    /// A reader of this ring, with its own descriptors.
    func lend() throws -> SharedRingReader { try SharedRingReader(memory: dup(memory), wake: dup(wake)) }

    /// Writes an entry whose words are all its number.
    @discardableResult
    mutating func write(_ sequence: UInt64, words: Int = 8) -> Bool {
        let words = [UInt64](repeating: sequence, count: words)
        return write(.unit(sequence), words.span.bytes)
    }
}

/// Memory that looks like a ring, whose writer breaks the rules.
struct HostileRing: ~Copyable {
    let geometry: SharedGeometry
    let base: UnsafeMutableRawPointer
    let descriptor: Int32
    let wake: (reader: Int32, writer: Int32)

    init(_ geometry: SharedGeometry, seals: Int32 = CM_SEALS_LENT, byteCount: Int? = nil) throws {
        let bytes = byteCount ?? geometry.byteCount
        descriptor = cm_memfd("hostile", Int64(bytes))
        var address: UnsafeMutableRawPointer?
        guard cm_map(descriptor, 0, Int64(bytes), &address) >= 0, let address else {
            throw RealtimeFault(.mapBuffer, result: -ENOMEM)
        }
        base = address
        if seals != 0 { _ = cm_add_seals(descriptor, seals) }
        var ends: (Int32, Int32) = (-1, -1)
        _ = cm_pipe(&ends.0, &ends.1)
        wake = ends
        self.geometry = geometry
        set(SharedWord.form, SharedWord.magic)
        set(SharedWord.slots, UInt64(geometry.slots))
        set(SharedWord.slotBytes, UInt64(geometry.slotBytes))
    }

    /// Claims an entry of `bytes` at a position.
    func claim(_ position: UInt64, bytes: UInt64) {
        let slot = geometry.offset(position)
        set(slot, 2 * position + 2)
        set(slot + 8, position)
        set(slot + 24, bytes)
        set(SharedWord.written, position + 1)
    }

    func set(_ offset: Int, _ word: UInt64) { base.setWord(offset, word) }

    func lend() throws -> SharedRingReader { try SharedRingReader(memory: dup(descriptor), wake: dup(wake.reader)) }

    deinit {
        _ = cm_unmap(base, Int64(geometry.byteCount))
        for descriptor in [descriptor, wake.reader, wake.writer] { _ = cm_close(descriptor) }
    }
}

/// Whether a descriptor is of the same file as another one; not so once it is closed, even if its number is in use again.
func isSameFile(_ one: Int32, _ other: Int32) -> Bool {
    var files = (stat(), stat())
    guard fstat(one, &files.0) == 0, fstat(other, &files.1) == 0 else { return false }
    return files.0.st_dev == files.1.st_dev && files.0.st_ino == files.1.st_ino
}
