import CaptureBase

/// Writing end of a shared ring for a library that delivers a stream in pieces, on its own realtime thread: PipeWire. The session
/// reads the ring like one that another process has lent.
///
/// *realtime-safe*; one thread at a time
package struct RingInlet: ~Copyable, Sendable {
    private var writer: SharedRingWriter
    /// Bytes of an audio frame; 0 for video, where each piece is one frame.
    private let frameBytes: Int
    /// Number of the next frame, lost ones included. Begins with 1, since the audio reader treats 0 as unknown.
    private var sequence: UInt64 = 1

    /// Makes a ring for two seconds of audio.
    ///
    /// - Throws: EPROTO for impossible settings; the error of allocating the memory.
    package init(sound settings: PCMSettings) throws(RealtimeFault) {
        frameBytes = settings.bytesPerFrame
        writer = try SharedRingWriter(try SharedGeometry(for: settings))
    }

    /// Makes a ring for 4 to 8 video frames of one plane.
    ///
    /// - Throws: EPROTO or EFBIG for an impossible format; the error of allocating the memory.
    package init(pictures format: CameraFormat) throws(RealtimeFault) {
        frameBytes = 0
        writer = try SharedRingWriter(try SharedGeometry(for: format))
    }

    /// Reading end, with its own descriptors.
    ///
    /// - Throws: The error of `fcntl`, or of mapping the memory.
    package func reader() throws(RealtimeFault) -> SharedRingReader {
        let wake = try WakeEnd(duplicating: writer.wake)
        return try SharedRingReader(memory: writer.memory, called: wake)
    }

    /// Writes a piece, and wakes the reader. A slow reader loses the oldest pieces.
    ///
    /// - Parameters:
    ///   - bytes: Whole audio frames, at most a period, or one video frame. An empty piece is counted, and delivered as broken.
    ///   - timestamp: CLOCK_MONOTONIC in ns of the first frame; 0 if it is not known.
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

    /// Ends the ring for its reader, which can still read earlier pieces.
    package mutating func finish(_ result: LoopResult) { writer.finish(result) }
}

/// Owner of a stream that fills a ring from outside the capture loop.
///
/// *thread-safe*
package protocol RingLender: AnyObject, Sendable {
    /// Ends the stream; called when the source no longer needs it, on the capture thread after its loop.
    func close()
}
