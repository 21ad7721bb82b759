import CCodecs

/// Decodes a JPEG image to see whether all of it is there. One without EOI may lack the marker alone, or half the picture.
///
/// The corresponding C function is `tjDecompressToYUVPlanes`, whose warnings count.
///
/// *session-bound*
final class JPEGValidator {
    private let handle = cc_jpeg_decoder()
    private var room: UnsafeMutablePointer<UInt8>?
    private var capacity = 0

    deinit {
        cc_jpeg_free(handle)
        room?.deallocate()
    }

    /// - Parameter bytes: with tables and EOI.
    /// - Returns: true also for what the decoder has no layout for.
    func isWhole(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let handle, let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return true }
        var layout = cc_jpeg_planes()
        guard cc_jpeg_header(handle, start, bytes.count, &layout) >= 0 else { return false }
        guard layout.subsampling >= 0 else { return true }
        // Whole blocks beyond the right and the lower edge, and a plane of colour is never larger than the light's.
        let stride = Int(layout.width) + 64
        let size = stride * (Int(layout.height) + 64)
        let room = room(for: 3 * size)
        let planes: [UnsafeMutablePointer<UInt8>?] = [room, room + size, room + 2 * size]
        var strides = [Int32](repeating: Int32(stride), count: 3)
        return planes.withUnsafeBufferPointer { planes in
            guard let first = planes.baseAddress else { return true }
            return cc_jpeg_decode(handle, start, bytes.count, first, &strides) >= 0
        }
    }

    private func room(for count: Int) -> UnsafeMutablePointer<UInt8> {
        if let room, capacity >= count { return room }
        room?.deallocate()
        let fresh = UnsafeMutablePointer<UInt8>.allocate(capacity: count)
        (room, capacity) = (fresh, count)
        return fresh
    }
}
