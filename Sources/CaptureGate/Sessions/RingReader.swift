import CaptureBase
import CaptureRealtime

/// The reading end of a ring, of sound or of picture.
///
/// *session-bound*
public protocol RingReader: ~Copyable, Sendable {
    mutating func withNext<Value, Failure: Error>(
        _ body: (FrameHeader, RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value?
    /// The same with each plane of memory apart; absent ones are empty.
    mutating func withNextPlanes<Value, Failure: Error>(
        _ body: (FrameHeader, RawSpan, RawSpan, RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value?
    mutating func wait(milliseconds: Int32) -> ReaderWakeup
    var readySignal: Int32 { get }
    var wakeAfter: Int { get set }
    var ended: LoopResult? { get }
    var unread: Int { get }
}

extension AudioRing.Consumer: RingReader {
    /// Sound has one.
    public mutating func withNextPlanes<Value, Failure: Error>(
        _ body: (FrameHeader, RawSpan, RawSpan, RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        try withNext { (header, bytes) throws(Failure) in try body(header, bytes, RawSpan(), RawSpan()) }
    }
}
extension VideoRing.Consumer: RingReader {}
