import CaptureGate

extension MatroskaWriter {
    /// Stores a packet that exists already.
    /// - Returns: its time in the file, nanoseconds: later where the one before it has the same.
    func store(
        _ packet: ArraySlice<UInt8>, of track: MatroskaTrack, at time: Int64, lasting duration: Int64, discard: Int64
    ) throws(CaptureError) -> Int64 {
        packets.removeAll()
        try packet.withContiguousBytes { (bytes) throws(CaptureError) in
            try packets.append(capacity: bytes.count, at: time, lasting: duration) { room in
                room.copyMemory(from: bytes)
                return bytes.count
            }
        }
        guard packets.count > 0 else { return time }
        packets.setDiscard(of: 0, discard)
        try store(for: track)
        return MatroskaTime.nanoseconds(time, at: track.lastTick)
    }
}

extension ArraySlice<UInt8> {
    /// As `withUnsafeBytes`, with the error's type.
    fileprivate func withContiguousBytes(
        _ body: (UnsafeRawBufferPointer) throws(CaptureError) -> Void
    ) throws(CaptureError) {
        try span.bytes.withUnsafeBytes { (bytes) throws(CaptureError) in try body(bytes) }
    }
}
