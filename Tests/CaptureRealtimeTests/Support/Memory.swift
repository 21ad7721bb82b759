import CMedia
import CaptureRealtime

extension FrameBuffers {
    /// Buffers without a device.
    static func plain(_ count: Int, byteCount: Int = 4096, planes: Int = 1) throws(RealtimeFault) -> FrameBuffers {
        try FrameBuffers(count: count, planes: planes) { (_, _) throws(RealtimeFault) in
            let descriptor = cm_memfd("test", Int64(byteCount))
            guard descriptor >= 0 else { throw RealtimeFault(.memory, result: descriptor) }
            defer { cm_close(descriptor) }
            var address: UnsafeMutableRawPointer?
            let mapped = cm_map(descriptor, 0, Int64(byteCount), &address)
            guard mapped >= 0 else { throw RealtimeFault(.mapBuffer, result: mapped) }
            return UnsafeMutableRawBufferPointer(start: address, count: byteCount)
        }
    }
}
