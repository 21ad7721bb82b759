import CaptureRealtime
import Testing

@Suite("Video ring")
struct VideoRingTests {
    /// A producer as the loop is one: a buffer is free, in the ring, or with the reader.
    private struct Camera: ~Copyable {
        var ring: VideoRing.Producer
        let buffers: FrameBuffers
        let counters = CaptureCounters()
        var free: [Int]
        var next: UInt64 = 0
        var dropped: UInt64 = 0

        init(_ ring: consuming VideoRing.Producer, _ buffers: FrameBuffers) {
            self.ring = ring
            self.buffers = buffers
            free = Array(0..<buffers.count)
        }

        /// Fills a buffer, keeping two for itself: drops the oldest unread frame first, otherwise this one.
        mutating func shoot() {
            while case let given = ring.takeReturned(), given >= 0 { free.append(given) }
            let buffer = free.removeFirst()
            let sequence = next
            next += 1
            buffers.address(buffer, plane: 0)!.fill(sequence, words: 64)
            while free.count < 2 {
                let stolen = ring.steal(counters.realtime)
                if stolen < 0 {
                    dropped += 1
                    free.append(buffer)
                    return
                }
                free.append(stolen)
            }
            _ = ring.commit(buffer, .unit(sequence, byteCount: 512, ringLost: dropped), FramePlanes(byteCount: 512))
        }
    }

    @Test("Any schedule loses the oldest unread picture first, and counts it", arguments: 1...40)
    func model(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 3...8, using: &random)
        let buffers = try FrameBuffers.plain(count)
        let ends = try VideoRing.make(buffers: buffers, control: LoopControl())
        var camera = Camera(ends.producer, buffers)
        var consumer = ends.consumer
        var queue: [UInt64] = []
        var sums = Sums()
        for _ in 0..<2000 {
            if Bool.random(using: &random) {
                queue.append(camera.next)
                camera.shoot()
                if queue.count > count - 2 { queue.removeFirst() }
            } else {
                let read = consumer.withNext { header, bytes in
                    sums.add(header, bytes)
                    return header.sequence
                }
                #expect(read == (queue.isEmpty ? nil : queue.removeFirst()))
            }
            let unread = consumer.unread
            #expect(unread == queue.count)
        }
        #expect(sums.torn == 0)
        #expect(sums.lawBroken == 0)
        let (dropped, made, ringLost) = (camera.dropped, camera.next, camera.counters.ringLost)
        #expect(dropped == 0)
        #expect(ringLost + sums.delivered + UInt64(queue.count) == made)
    }

    @Test("While the reader holds a picture, it stays as it is")
    func held() throws {
        let buffers = try FrameBuffers.plain(3)
        let ends = try VideoRing.make(buffers: buffers, control: LoopControl())
        let carrier = Carrier(Camera(ends.producer, buffers))
        var camera = carrier.take()
        var consumer = ends.consumer
        camera.shoot()
        consumer.withNext { header, bytes in
            for _ in 0..<100 { camera.shoot() }
            #expect(header.sequence == 0)
            #expect(bytes.unsafeLoad(as: UInt64.self) == 0)
        }
        // Two buffers were left to the camera and none to the ring.
        let dropped = camera.dropped
        #expect(dropped == 100)
        camera.shoot()
        let lost = consumer.withNext { header, _ in header.lost.ring }
        #expect(lost == 100)
    }

    @Test("Two threads: nothing is torn, delivered twice or lost without being counted")
    func stress() throws {
        let count: UInt64 = 250_000
        let buffers = try FrameBuffers.plain(5)
        let ends = try VideoRing.make(buffers: buffers, control: LoopControl())
        let camera = Camera(ends.producer, buffers)
        let counters = camera.counters
        let dropped = Shared<UInt64>(0)
        let carrier = Carrier(camera)
        let wait = onThread {
            var camera = carrier.take()
            while camera.next < count { camera.shoot() }
            dropped.value = camera.dropped
            camera.ring.finish(LoopResult(.stopped), counters.realtime)
        }
        var consumer = ends.consumer
        var sums = Sums()
        while case .ready = consumer.wait(milliseconds: -1) {
            while consumer.withNext({ header, bytes in sums.add(header, bytes) }) != nil {}
        }
        wait()
        #expect(sums.torn == 0)
        #expect(sums.lawBroken == 0)
        #expect(sums.delivered > 0)
        #expect(sums.delivered + counters.ringLost + dropped.value == count)
        // Only frames dropped after the last frame read are in no header.
        #expect(sums.delivered + sums.lost <= count)
    }

    @Test("A picture in several memory planes is lent plane by plane", arguments: 1...3)
    func planes(seed: UInt64) throws {
        let buffers = try FrameBuffers.plain(4, planes: 3)
        let ends = try VideoRing.make(buffers: buffers, control: LoopControl())
        var producer = ends.producer
        var consumer = ends.consumer
        var planes = FramePlanes()
        planes.set(0, offset: 0, byteCount: 100)
        planes.set(1, offset: 16, byteCount: 50)
        planes.set(2, offset: 32, byteCount: 25)
        buffers.address(2, plane: 1)!.storeBytes(of: seed, toByteOffset: 16, as: UInt64.self)
        _ = producer.commit(2, .unit(0, byteCount: planes.total), planes)
        let sizes = consumer.withNextPlanes { header, first, second, third in
            #expect(second.unsafeLoad(as: UInt64.self) == seed)
            return [header.byteCount, first.byteCount, second.byteCount, third.byteCount]
        }
        #expect(sizes == [175, 100, 50, 25])
    }

    @Test(
        "A revocation unmaps the buffers as soon as the reader leaves, though the reader stays",
        arguments: [true, false])
    func revoked(isInside: Bool) throws {
        let buffers = try FrameBuffers.plain(4)
        let ends = try VideoRing.make(buffers: buffers, control: LoopControl())
        let carrier = Carrier(Camera(ends.producer, buffers))
        var camera = carrier.take()
        var consumer = ends.consumer
        for _ in 0..<2 { camera.shoot() }
        let counters = camera.counters
        if isInside {
            consumer.withNext { header, bytes in
                camera.ring.finish(LoopResult(.revoked), counters.realtime)
                #expect(buffers.isMapped)
                #expect(bytes.unsafeLoad(as: UInt64.self) == header.sequence)
            }
        } else {
            camera.ring.finish(LoopResult(.revoked), counters.realtime)
        }
        #expect(!buffers.isMapped)
        let next = consumer.withNext { header, _ in header.sequence }
        #expect(next == nil)
        let wakeup = consumer.wait(milliseconds: -1)
        #expect(wakeup == .ended(LoopResult(.revoked)))
    }

    @Test("After another end the buffers stay until the last picture was read")
    func drained() throws {
        let buffers = try FrameBuffers.plain(4)
        let ends = try VideoRing.make(buffers: buffers, control: LoopControl())
        var camera = Camera(ends.producer, buffers)
        var consumer = ends.consumer
        for _ in 0..<2 { camera.shoot() }
        let counters = camera.counters
        camera.ring.finish(LoopResult(.stopped), counters.realtime)
        for sequence in 0..<2 as Range<UInt64> {
            #expect(buffers.isMapped)
            let read = consumer.withNext { header, _ in header.sequence }
            #expect(read == sequence)
        }
        let wakeup = consumer.wait(milliseconds: -1)
        #expect(wakeup == .ended(LoopResult(.stopped)))
        #expect(!buffers.isMapped)
    }

    @Test("A reader that goes away after the end unmaps what it did not read")
    func leftUnread() throws {
        let buffers = try FrameBuffers.plain(4)
        let ends = try VideoRing.make(buffers: buffers, control: LoopControl())
        var camera = Camera(ends.producer, buffers)
        camera.shoot()
        let counters = camera.counters
        camera.ring.finish(LoopResult(.deviceGone), counters.realtime)
        #expect(buffers.isMapped)
        discard(ends.consumer)
        #expect(!buffers.isMapped)
    }
}
