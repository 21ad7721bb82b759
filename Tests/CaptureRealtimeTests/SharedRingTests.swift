import CMedia
import CaptureBase
import Glibc
import Testing

@testable import CaptureRealtime

@Suite("Shared ring")
struct SharedRingTests {
    @Test("Any schedule loses the oldest unread entries first, and counts them", arguments: 1...40)
    func model(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let slots = Int.random(in: 2...9, using: &random)
        var writer = try SharedRingWriter(SharedGeometry(slots: slots, slotBytes: 64))
        var reader = LentReader(try writer.lend())
        var unread = 0
        for _ in 0..<2000 {
            if Bool.random(using: &random) {
                writer.write(writer.written)
                unread = min(unread + 1, slots)
            } else {
                let hasRead = reader.read() == nil
                #expect(hasRead == (unread > 0))
                unread = max(0, unread - 1)
            }
        }
        let read1 = reader.drain()
        #expect(read1 == .nothing)
        #expect(reader.sums.delivered + reader.sums.lost == writer.written)
        #expect(reader.sums.torn == 0 && reader.sums.lawBroken == 0)
    }

    @Test("Between two threads no entry is torn, and all are delivered or counted", arguments: 1...8)
    func threads(seed: UInt64) throws {
        let writer = try SharedRingWriter(SharedGeometry(slots: 4, slotBytes: 4096))
        var reader = LentReader(try writer.lend())
        let carrier = Carrier(writer)
        let written: UInt64 = 20_000
        let wait = onThread {
            var writer = carrier.take()
            var random = SeededGenerator(seed: seed)
            for number in 0..<written {
                writer.write(number, words: 512)
                if Int.random(in: 0..<4, using: &random) == 0 { sched_yield() }
            }
            // Not scrubbed before it has been read.
            writer.finish(LoopResult(.deviceGone))
            carrier.put(writer)
        }
        var last = SharedRead.nothing
        while last == .nothing {
            last = reader.drain()
            if last == .nothing, !reader.reader.hasMore {
                EventSignal.wait(for: reader.reader.wake, milliseconds: 60_000)
            }
        }
        wait()
        #expect(last == .ended(LoopResult(.deviceGone)))
        #expect(reader.sums.delivered + reader.sums.lost == written)
        #expect(reader.sums.torn == 0 && reader.sums.lawBroken == 0)
    }

    @Test("A reader that was lapped has lost exactly what is missing")
    func lapped() throws {
        var writer = try SharedRingWriter(SharedGeometry(slots: 4, slotBytes: 64))
        var reader = LentReader(try writer.lend())
        for number in 0..<3 { writer.write(UInt64(number)) }
        let read2 = reader.read()
        #expect(read2 == nil)
        for number in 3..<20 { writer.write(UInt64(number)) }
        let read3 = reader.drain()
        #expect(read3 == .nothing)
        #expect(reader.sums.delivered == 5)
        #expect(reader.sums.lost == 15)
        #expect(reader.sums.torn == 0 && reader.sums.lawBroken == 0)
    }

    @Test("An entry is not handed out that was overwritten, or is about to be")
    func torn() throws {
        let ring = try HostileRing(SharedGeometry(slots: 2, slotBytes: 64))
        var reader = LentReader(try ring.lend())
        ring.claim(0, bytes: 64)
        ring.set(ring.geometry.offset(0), 2 * 2 + 1)
        let read4 = reader.read()
        #expect(read4 == .nothing)
        #expect(reader.sums.delivered == 0)
    }

    @Test("A scrub ends the ring and leaves nothing but zeros")
    func scrub() throws {
        let geometry = try SharedGeometry(slots: 4, slotBytes: 1000)
        var writer = try SharedRingWriter(geometry)
        var reader = LentReader(try writer.lend())
        for number in 1...10 { writer.write(UInt64(number), words: 125) }
        let mapped = try SharedView(dup(writer.memory))
        let slots = UnsafeRawBufferPointer(
            start: mapped.base + SharedGeometry.page, count: geometry.byteCount - SharedGeometry.page)
        #expect(slots.contains { $0 != 0 })
        writer.scrub(LoopResult(.revoked))
        #expect(slots.allSatisfy { $0 == 0 })
        let read5 = reader.read()
        #expect(read5 == .ended(LoopResult(.revoked)))
        #expect(reader.sums.delivered == 0)
        // Only the first outcome counts, and nothing is written any more.
        writer.finish(LoopResult(.deviceGone))
        let isWritten = writer.write(11)
        #expect(!isWritten)
        #expect(slots.allSatisfy { $0 == 0 })
        let read6 = reader.read()
        #expect(read6 == .ended(LoopResult(.revoked)))
    }

    @Test("A writer that goes leaves zeros and an end")
    func gone() throws {
        var mapped: SharedView?
        var reader: LentReader?
        do {
            var writer = try SharedRingWriter(SharedGeometry(slots: 2, slotBytes: 64))
            writer.write(1)
            reader = LentReader(try writer.lend())
            mapped = try SharedView(dup(writer.memory))
        }
        let view = mapped.take()!
        let slots = UnsafeRawBufferPointer(
            start: view.base + SharedGeometry.page, count: view.geometry.byteCount - SharedGeometry.page)
        #expect(slots.allSatisfy { $0 == 0 })
        var lent = reader.take()!
        let read7 = lent.drain()
        #expect(read7 == .ended(LoopResult(.stopped)))
        #expect(lent.sums.delivered == 0)
    }

    @Test("What was written before the device went can still be read")
    func unread() throws {
        var writer = try SharedRingWriter(SharedGeometry(slots: 4, slotBytes: 64))
        var reader = LentReader(try writer.lend())
        for number in 0..<3 { writer.write(UInt64(number)) }
        writer.finish(LoopResult(.deviceGone, fault: RealtimeFault(.dequeueBuffer, result: -ENODEV)))
        let end = reader.drain()
        #expect(end == .ended(LoopResult(.deviceGone, fault: RealtimeFault(.dequeueBuffer, result: -ENODEV))))
        #expect(reader.sums.delivered == 3)
    }

    @Test("The kernel refuses a reader every way to change the memory")
    func sealed() throws {
        var writer = try SharedRingWriter(SharedGeometry(slots: 2, slotBytes: 64))
        writer.write(7)
        let (memory, size) = (dup(writer.memory), writer.geometry.byteCount)
        defer { close(memory) }
        #expect(fails(EPERM, mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0) == MAP_FAILED))
        #expect(fails(EPERM, ftruncate(memory, 0) < 0))
        #expect(fails(EPERM, ftruncate(memory, off_t(size) * 2) < 0))
        #expect(fails(EPERM, pwrite(memory, "x", 1, 0) < 0))
        #expect(cm_add_seals(memory, 8) == -EPERM)
        let read = mmap(nil, size, PROT_READ, MAP_SHARED, memory, 0)!
        defer { munmap(read, size) }
        #expect(fails(EACCES, mprotect(read, size, PROT_READ | PROT_WRITE) < 0))
        let again = open("/proc/self/fd/\(memory)", O_RDWR)
        defer { close(again) }
        #expect(fails(EPERM, pwrite(again, "x", 1, 0) < 0))
        // The writer continues.
        let isWritten = writer.write(8)
        #expect(isWritten)
    }

    private func fails(_ error: Int32, _ hasFailed: Bool) -> Bool { hasFailed && errno == error }

    @Test("A reader that never reads, or is gone, does not keep the writer")
    func unheard() throws {
        var writer = try SharedRingWriter(SharedGeometry(slots: 2, slotBytes: 64))
        var reader = LentReader(try writer.lend())
        // More calls than a pipe holds.
        for number in 0..<100_000 { writer.write(UInt64(number)) }
        let read8 = reader.drain()
        #expect(read8 == .nothing)
        #expect(reader.sums.lost == 99_998)
        reader = LentReader(try writer.lend())
        discard(reader)
        for number in 0..<10 {
            let isWritten = writer.write(UInt64(number))
            #expect(isWritten)
        }
    }

    @Test("A payload larger than a slot is not written")
    func large() throws {
        var writer = try SharedRingWriter(SharedGeometry(slots: 2, slotBytes: 64))
        var isWritten = writer.write(1, words: 9)
        #expect(!isWritten)
        let halves = [UInt8](repeating: 1, count: 40)
        isWritten = writer.write(.unit(1), halves.span.bytes, halves.span.bytes)
        #expect(!isWritten && writer.written == 0)
    }

    @Test("Planes come back in their own places")
    func planes() throws {
        var writer = try SharedRingWriter(SharedGeometry(slots: 2, slotBytes: 64))
        var reader = try writer.lend()
        let (first, second, third) = ([UInt8](repeating: 1, count: 20), [UInt8](repeating: 2, count: 10), [UInt8(3)])
        writer.write(.unit(5), first.span.bytes, second.span.bytes, third.span.bytes)
        var places = FramePlanes()
        places.set(0, offset: 0, byteCount: 20)
        places.set(1, offset: 40, byteCount: 12)
        places.set(2, offset: 60, byteCount: 4)
        var memory = [UInt8](repeating: 9, count: 64)
        let read = memory.withUnsafeMutableBytes { reader.next(into: $0.baseAddress!, places) }
        guard case .entry(let entry) = read else {
            Issue.record("There is no entry.")
            return
        }
        #expect((0..<3).map(entry.planes.byteCount) == [20, 10, 1])
        #expect(memory[..<20].allSatisfy { $0 == 1 } && memory[40..<50].allSatisfy { $0 == 2 } && memory[60] == 3)
        #expect(memory[50..<60].allSatisfy { $0 == 9 })
    }
}

@Suite("Shared ring of a hostile writer")
struct HostileRingTests {
    @Test("Memory is refused that lacks a seal", arguments: [0, 2, 4, 16, 1] as [Int32])
    func unsealed(missing: Int32) throws {
        let ring = try HostileRing(
            SharedGeometry(slots: 2, slotBytes: 64), seals: missing == 0 ? 0 : CM_SEALS_LENT & ~missing)
        #expect(throws: RealtimeFault.self) { _ = try ring.lend() }
    }

    @Test("What is no ring is refused, and both descriptors are closed")
    func noRing() throws {
        let geometry = try SharedGeometry(slots: 2, slotBytes: 64)
        for (offset, word) in [
            (SharedWord.form, 1), (SharedWord.slots, 1), (SharedWord.slots, 3), (SharedWord.slots, .max),
            (SharedWord.slotBytes, 0), (SharedWord.slotBytes, 1 << 40), (SharedWord.slotBytes, .max),
        ] as [(Int, UInt64)] {
            let ring = try HostileRing(geometry)
            ring.set(offset, word)
            let (memory, wake) = (dup(ring.descriptor), dup(ring.wake.reader))
            #expect(throws: RealtimeFault.brokenShare) { _ = try SharedRingReader(memory: memory, wake: wake) }
            #expect(!isSameFile(memory, ring.descriptor) && !isSameFile(wake, ring.wake.reader))
        }
        #expect(throws: RealtimeFault.self) { _ = try SharedRingReader(memory: open("/dev/null", O_RDONLY), wake: -1) }
        #expect(throws: RealtimeFault.self) { _ = try SharedRingReader(memory: -1, wake: -1) }
    }

    @Test("An entry that claims more than a slot holds ends the ring")
    func claims() throws {
        let geometry = try SharedGeometry(slots: 2, slotBytes: 64)
        for bytes in [65, 1 << 32, 1 << 63, .max] as [UInt64] {
            let ring = try HostileRing(geometry)
            var reader = LentReader(try ring.lend())
            ring.claim(0, bytes: bytes)
            let read9 = reader.read()
            #expect(read9 == .ended(.brokenShare))
        }
        let ring = try HostileRing(geometry)
        var reader = LentReader(try ring.lend())
        ring.claim(0, bytes: 32)
        ring.set(geometry.offset(0) + 32, 32)
        // The caller has memory for one plane alone.
        let read10 = reader.read()
        #expect(read10 == .ended(.brokenShare))
    }

    @Test("A count that goes back, an end that means nothing, and a writer that dies are ends")
    func ends() throws {
        let geometry = try SharedGeometry(slots: 2, slotBytes: 64)
        var ring = try HostileRing(geometry)
        var reader = LentReader(try ring.lend())
        ring.claim(0, bytes: 64)
        let read11 = reader.read()
        #expect(read11 == nil)
        ring.set(SharedWord.written, 0)
        let read12 = reader.read()
        #expect(read12 == .ended(.brokenShare))
        ring = try HostileRing(geometry)
        reader = LentReader(try ring.lend())
        ring.set(SharedWord.end, 0xFF)
        let read13 = reader.read()
        #expect(read13 == .ended(.brokenShare))
        ring = try HostileRing(geometry)
        reader = LentReader(try ring.lend())
        let read14 = reader.read()
        #expect(read14 == .nothing)
        discard(ring)
        let read15 = reader.read()
        #expect(read15 == .ended(.lenderGone))
    }

    @Test("No words in the ring bring a reader down, or keep it", arguments: 1...20)
    func noise(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let ring = try HostileRing(SharedGeometry(slots: 3, slotBytes: 64))
        var reader = LentReader(try ring.lend())
        for turn in 0..<5000 {
            if turn % 50 == 0 { reader = LentReader(try ring.lend()) }
            let words = [
                0, 1, 2, 64, 65, 1 << 31, 1 << 62, .max, UInt64.random(in: 0...20, using: &random), random.next(),
            ]
            let offsets =
                [SharedWord.written, SharedWord.written, SharedWord.end]
                + (0..<3).flatMap { slot in (0..<8).map { ring.geometry.offset(slot) + 8 * $0 } }
            for _ in 0..<4 { ring.set(offsets.randomElement(using: &random)!, words.randomElement(using: &random)!) }
            if turn % 2 == 0 { ring.set(SharedWord.end, 0) }
            if turn % 3 == 0 { ring.claim(UInt64.random(in: 0..<20, using: &random), bytes: 64) }
            for _ in 0..<4 { _ = reader.read() }
        }
    }
}

extension SharedRead: Equatable {
    public static func == (one: SharedRead, other: SharedRead) -> Bool {
        switch (one, other) {
        case (.nothing, .nothing): true
        case (.ended(let one), .ended(let other)): one == other
        case (.entry(let one), .entry(let other)): one.sequence == other.sequence
        default: false
        }
    }
}
