import CaptureGate

/// Turns the frames of one track into packets. No allocation a frame, once the buffers have grown to size.
///
/// *session-bound*
public protocol Encoder: AnyObject {
    /// What the container must know; whole after `begin`, and final after `finish` (of equal size).
    var description: CodecDescription { get }
    var counts: EncoderCounts { get }

    /// Starts the stream; once.
    /// - Throws: `.usage` or `.unavailable` if the codec can't hold the format.
    func begin() throws(CaptureError)

    /// Encodes whole frames; packets are appended as they come. A broken picture is skipped and counted.
    /// - Parameters:
    ///   - data: one buffer of the driver's, or whole frames of sound.
    ///   - nanoseconds: the presentation time of the first frame.
    ///   - packets: where what is encoded is appended.
    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError)

    /// Hands out what is still inside; once.
    func finish(into packets: inout PacketBuffer) throws(CaptureError)
}
