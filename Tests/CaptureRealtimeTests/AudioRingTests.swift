import CaptureRealtime
import Testing

@Suite("Audio ring")
struct AudioRingTests {
    @Test("Any schedule of writing and reading gives what a queue of that length gives", arguments: 1...40)
    func model(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let slots = Int.random(in: 2...9, using: &random)
        let ends = try AudioRing.make(slots: slots, slotBytes: 64, control: LoopControl())
        var producer = ends.producer
        var consumer = ends.consumer
        var queue: [UInt64] = []
        var (sequence, dropped, delivered, reported) = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
        for _ in 0..<2000 {
            if Bool.random(using: &random) {
                let slot = producer.claim()
                slot.storeBytes(of: sequence, as: UInt64.self)
                let isDropping = producer.isDropping
                #expect(isDropping == (queue.count == slots))
                if isDropping {
                    dropped += 1
                } else {
                    let isCommitted = producer.commit(.unit(sequence, ringLost: dropped))
                    #expect(isCommitted)
                    queue.append(sequence)
                }
                sequence += 1
            } else {
                let read = consumer.withNext { header, bytes in
                    #expect(bytes.unsafeLoad(as: UInt64.self) == header.sequence)
                    delivered += 1
                    reported += header.lost.ring
                    return header.sequence
                }
                #expect(read == (queue.isEmpty ? nil : queue.removeFirst()))
            }
            let unread = consumer.unread
            #expect(unread == queue.count)
        }
        #expect(sequence == delivered + UInt64(queue.count) + dropped)
        #expect(reported <= dropped)
    }

    @Test("Two threads: nothing is torn, delivered twice or lost without being counted", arguments: [1, 5])
    func stress(wakeAfter: Int) throws {
        let count: UInt64 = 250_000
        let ends = try AudioRing.make(slots: 16, slotBytes: 128, control: LoopControl())
        let carrier = Carrier(ends.producer)
        let wait = onThread {
            var producer = carrier.take()
            var lost: UInt64 = 0
            for sequence in 0..<count {
                let slot = producer.claim()
                slot.fill(sequence, words: 16)
                if producer.isDropping {
                    lost += 1
                } else {
                    _ = producer.commit(.unit(sequence, byteCount: 128, ringLost: lost))
                }
            }
            // One that can't be dropped tells the loss at the end.
            repeat { _ = producer.claim() } while producer.isDropping
            _ = producer.commit(.unit(count, byteCount: 0, ringLost: lost))
            producer.finish(LoopResult(.stopped))
        }
        var consumer = ends.consumer
        consumer.wakeAfter = wakeAfter
        var sums = Sums()
        while case .ready = consumer.wait(milliseconds: -1) {
            while consumer.withNext({ header, bytes in sums.add(header, bytes) }) != nil {}
        }
        wait()
        #expect(sums.torn == 0)
        #expect(sums.lawBroken == 0)
        #expect(sums.delivered + sums.lost == count + 1)
        let ended = consumer.ended
        #expect(ended == LoopResult(.stopped))
    }

    @Test("A producer that is given up tells its reader")
    func abandoned() throws {
        let ends = try AudioRing.make(slots: 4, slotBytes: 64, control: LoopControl())
        var consumer = ends.consumer
        let before = consumer.ended
        #expect(before == nil)
        discard(ends.producer)
        let wakeup = consumer.wait(milliseconds: -1)
        #expect(wakeup == .ended(LoopResult(.stopped)))
    }

    @Test("What was committed before the end can be read after it")
    func remainder() throws {
        let ends = try AudioRing.make(slots: 4, slotBytes: 64, control: LoopControl())
        var producer = ends.producer
        var consumer = ends.consumer
        for sequence in 0..<3 as Range<UInt64> {
            _ = producer.claim()
            _ = producer.commit(.unit(sequence))
        }
        let result = LoopResult(.failed, fault: RealtimeFault(.readPCM, result: -5))
        producer.finish(result)
        let ended = consumer.ended
        #expect(ended == result)
        let first = consumer.wait(milliseconds: 0)
        #expect(first == .ready)
        for sequence in 0..<3 as Range<UInt64> {
            let read = consumer.withNext { header, _ in header.sequence }
            #expect(read == sequence)
        }
        let last = consumer.wait(milliseconds: -1)
        #expect(last == .ended(result))
    }

    @Test("Waiting on an empty ring ends with the time")
    func timeout() throws {
        let ends = try AudioRing.make(slots: 4, slotBytes: 64, control: LoopControl())
        var producer = ends.producer
        var consumer = ends.consumer
        let empty = consumer.wait(milliseconds: 1)
        #expect(empty == .timedOut)
        _ = producer.claim()
        _ = producer.commit(.unit(0))
        let filled = consumer.wait(milliseconds: 1)
        #expect(filled == .ready)
    }

    @Test("A reader's error does not give it the same unit twice")
    func throwing() throws {
        struct Stop: Error {}
        let ends = try AudioRing.make(slots: 4, slotBytes: 64, control: LoopControl())
        var producer = ends.producer
        var consumer = ends.consumer
        for sequence in 0..<2 as Range<UInt64> {
            _ = producer.claim()
            _ = producer.commit(.unit(sequence))
        }
        do {
            _ = try consumer.withNext { (_, _) throws(Stop) in throw Stop() }
            Issue.record("the error was swallowed")
        } catch {}
        let next = consumer.withNext { header, _ in header.sequence }
        #expect(next == 1)
    }
}

func discard<Value: ~Copyable>(_ value: consuming Value) {}
