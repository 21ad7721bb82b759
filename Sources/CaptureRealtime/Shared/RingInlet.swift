import CaptureBase

/// The way into a shared ring for a library that hands on a stream piece by piece, on a realtime thread of its own: PipeWire's.
/// The session reads the ring as one that another process has lent.
///
/// *realtime-safe*; one thread at a time
package struct RingInlet: ~Copyable, Sendable {
    private var writer: SharedRingWriter
    /// Bytes of a frame of sound; 0 for pictures, of which each piece is one.
    private let frameBytes: Int
    /// Number of the next frame, lost ones included. It begins with 1: 0 is no number to the reader of sound.
    private var sequence: UInt64 = 1

    /// Makes a ring for sound, with room for two seconds.
    ///
    /// - Throws: EPROTO for impossible settings; the error of making the memory.
    package init(sound settings: PCMSettings) throws(RealtimeFault) {
        frameBytes = settings.bytesPerFrame
        writer = try SharedRingWriter(try SharedGeometry(for: settings))
    }

    /// Makes a ring for pictures of one plane, with room for 4 to 8.
    ///
    /// - Throws: EPROTO or EFBIG for an impossible format; the error of making the memory.
    package init(pictures format: CameraFormat) throws(RealtimeFault) {
        frameBytes = 0
        writer = try SharedRingWriter(try SharedGeometry(for: format))
    }

    /// The reading end, with descriptors of its own.
    ///
    /// - Throws: The error of `fcntl`, or of mapping the memory.
    package func reader() throws(RealtimeFault) -> SharedRingReader {
        let wake = try WakeEnd(duplicating: writer.wake)
        return try SharedRingReader(memory: writer.memory, called: wake)
    }

    /// Writes a piece, and calls the reader. A reader too slow loses the oldest.
    ///
    /// - Parameters:
    ///   - bytes: Whole frames of sound, a period at most, or a picture. An empty one is counted, and delivered as broken.
    ///   - timestamp: CLOCK_MONOTONIC in ns of the first frame; 0 where it is not known.
    ///   - lost: Frames that are missing before it.
    @_noLocks @_noAllocation
    package mutating func take(_ bytes: UnsafeRawBufferPointer, at timestamp: Int64, lost: UInt64) {
        let frames = frameBytes > 0 ? bytes.count / frameBytes : 1
        sequence &+= lost
        let header = FrameHeader(
            sequence: sequence, timestamp: timestamp, byteCount: bytes.count, frameCount: frames,
            flags: FrameFlags(rawValue: 0), lost: Loss())
        let none = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        unsafe writer.write(header, SharedPayload(bytes, none, none))
        sequence &+= UInt64(truncatingIfNeeded: frames)
    }

    /// Ends the ring for its reader: what was written before can be read.
    package mutating func finish(_ result: LoopResult) { writer.finish(result) }
}

/// Owner of a stream that fills a ring from outside of the capture loop.
///
/// *thread-safe*
package protocol RingLender: AnyObject, Sendable {
    /// Ends the stream; called when the source is done with it, on the capture thread after its loop.
    func close()
}
