import CaptureRealtime
import Gate

/// The frames of a session as an asynchronous sequence of copies; where copies are too dear, use `withNext`.
///
/// It ends when the capture is stopped, and throws where it ended otherwise. A consumer that is too slow loses frames in
/// the session's ring, and reads that in the next header. Leaving the loop closes the device, in a while; `close()` waits
/// for it. It is for one loop.
///
/// *thread-safe*
public struct CapturedFrames<Reader: RingReader & ~Copyable, Format: Sendable>: AsyncSequence, Sendable {
    public typealias Element = CapturedFrame
    public typealias Failure = CaptureError

    private let source: FrameCopier<Reader, Format>
    /// What the device delivers.
    public let format: Format

    init(_ session: consuming CaptureSession<Reader, Format>) {
        format = session.format
        source = FrameCopier(session)
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let source: FrameCopier<Reader, Format>

        public mutating func next() async throws(CaptureError) -> CapturedFrame? {
            try await source.next().get()
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(CaptureError) -> CapturedFrame? {
            try await source.next().get()
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: source) }

    /// Ends the capture, and returns when the device is closed and the audit log says so: what a program does before it
    /// ends. Once is enough, and more does no harm.
    public func close() async { await source.close() }
}

/// Those of a microphone.
package typealias CapturedPeriods = CapturedFrames<AudioRing.Consumer, AudioFormat>

extension CaptureSession where Reader: ~Copyable {
    /// Starts the session and hands its frames out as copies.
    public consuming func frames() -> CapturedFrames<Reader, Format> { CapturedFrames(self) }
}
