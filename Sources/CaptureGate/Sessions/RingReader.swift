import CaptureRealtime

/// The reading end of a ring, of sound or of picture.
///
/// *session-bound*
public protocol RingReader: ~Copyable, Sendable {
    mutating func withNext<Value, Failure: Error>(
        _ body: (FrameHeader, RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value?
    mutating func wait(milliseconds: Int32) -> ReaderWakeup
    var readySignal: Int32 { get }
    var wakeAfter: Int { get set }
    var ended: LoopResult? { get }
}

extension AudioRing.Consumer: RingReader {}
extension VideoRing.Consumer: RingReader {}
