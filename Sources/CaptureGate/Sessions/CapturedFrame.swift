import CaptureBase
import CaptureRealtime

/// A period of sound or a picture that outlives the ring: a copy.
///
/// *thread-safe*
public struct CapturedFrame: Hashable, Sendable {
    public let header: FrameHeader
    public let bytes: [UInt8]
}
