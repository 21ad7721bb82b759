import CMedia
import CaptureBase
import CaptureRealtime

/// Buffers lent and given back by turns, in one thread: what that costs, without what threads cost.
struct PictureRound {
    let items: Int

    private static let bufferCount = 4
    private static let bufferBytes = 4096

    /// - Returns: nanoseconds that all of them took.
    func run() throws(RealtimeFault) -> Int64 {
        let buffers = try FrameBuffers(count: Self.bufferCount, planes: 1) { (_, _) throws(RealtimeFault) in
            UnsafeMutableRawBufferPointer(start: try Self.map(), count: Self.bufferBytes)
        }
        var ends = try VideoRing.make(buffers: buffers, control: LoopControl())
        let planes = FramePlanes(byteCount: Self.bufferBytes)
        var buffer = 0
        let begun = cm_monotonic()
        for item in 0..<items {
            let header = FrameHeader(
                sequence: UInt64(item), timestamp: Int64(item), byteCount: Self.bufferBytes, frameCount: 1)
            _ = ends.producer.commit(buffer, header, planes)
            _ = ends.consumer.withNext { _, _ in }
            buffer = ends.producer.takeReturned()
            precondition(buffer >= 0, "The reader gives back what it was lent")
        }
        return cm_monotonic() - begun
    }

    private static func map() throws(RealtimeFault) -> UnsafeMutableRawPointer {
        let descriptor = cm_memfd("ring-benchmark", Int64(bufferBytes))
        guard descriptor >= 0 else { throw RealtimeFault(.memory, result: descriptor) }
        var address: UnsafeMutableRawPointer?
        let mapped = cm_map(descriptor, 0, Int64(bufferBytes), &address)
        _ = cm_close(descriptor)
        guard mapped >= 0, let address else { throw RealtimeFault(.mapBuffer, result: mapped) }
        return address
    }
}
