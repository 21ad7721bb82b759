import CaptureBase
import CaptureRealtime
import Dispatch
import Gate

/// Asynchronous sequence of copied frames; use `withNext` if copies are too expensive.
///
/// It ends when the capture is stopped, and throws if the capture ended for another reason. A slow consumer loses frames in the
/// session's ring, which the next header reports. Leaving the loop closes the device soon after; ``close()`` waits for that. The
/// sequence can be used for one loop.
///
/// *thread-safe*
public struct CapturedFrames<Format: Sendable>: AsyncSequence, Sendable {
    public typealias Element = CapturedFrame
    public typealias Failure = CaptureError

    private let source: FrameCopier<Format>
    /// Format of the frames.
    public let format: Format

    /// Takes the session; it starts with the first requested frame.
    init(_ session: consuming CaptureSession<Format>) {
        format = session.format
        source = FrameCopier(session)
    }

    /// Iterator with a typed error.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let source: FrameCopier<Format>

        /// Next frame; `nil` after the last. Cancelling the task stops the capture.
        public mutating func next() async throws(CaptureError) -> CapturedFrame? {
            try await source.next().get()
        }

        /// The same from an actor.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(CaptureError) -> CapturedFrame? {
            try await source.next().get()
        }
    }

    /// All iterators share the session.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: source) }

    /// Ends the capture, and returns when the device is closed and the end is in the audit log. Call it before a program ends; a
    /// second call does nothing.
    public func close() async { await source.close() }
}

/// Frames of a microphone.
package typealias CapturedPeriods = CapturedFrames<AudioFormat>

extension CaptureSession {
    /// Delivers the session's frames as copies; asking for the first one starts it.
    public consuming func frames() -> CapturedFrames<Format> { CapturedFrames(self) }
}

/// Copy of a period of audio or a video frame, which outlives the ring.
///
/// *thread-safe*
public struct CapturedFrame: Hashable, Sendable {
    /// Header as the session delivered it.
    public let header: FrameHeader
    /// Payload of `header.byteCount` bytes.
    public let bytes: [UInt8]

    /// Copies a frame that is lent.
    package init(_ header: FrameHeader, _ bytes: RawSpan) {
        self.header = header
        self.bytes = bytes.withUnsafeBytes { Array($0) }
    }
}

/// Thread that waits for frames and copies them, so that no thread of the cooperative pool blocks.
///
/// *thread-safe*
final class FrameCopier<Format: Sendable>: Sendable {
    private let session: Locked<CaptureSession<Format>?>
    private let core: CaptureCore
    private let queue = DispatchQueue(label: "capturegate.frames")

    /// Takes the session over.
    init(_ session: consuming CaptureSession<Format>) {
        core = session.core
        self.session = Locked(consume session)
    }

    /// Stops the capture when the sequence and its iterators are gone.
    deinit { core.control.request(.stop) }

    /// Next frame; `nil` after the last. Cancelling the task stops the capture.
    ///
    /// A `Result`, since continuations and cancellation handlers lose a typed error.
    func next() async -> Result<CapturedFrame?, CaptureError> {
        let step = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: self.step()) }
            }
        } onCancel: {
            core.control.request(.stop)
        }
        switch step {
        case .frame(let frame): return .success(frame)
        case .ended(let end):
            await core.finish(end)
            return end?.error.map { .failure($0) } ?? .success(nil)
        }
    }

    /// Ends the capture, and waits until it has ended.
    func close() async {
        core.control.request(.stop)
        while case .success(.some) = await next() {}
    }

    /// Result of one wait.
    private enum Step: Sendable {
        case frame(CapturedFrame)
        case ended(SessionEnd?)
    }

    /// Blocks until there is a frame or the end.
    private func step() -> Step {
        session.withLock { session in
            session?.start()
            while true {
                // Read before the ring: once there is an end, all earlier frames are in the ring.
                let end = session?.end
                let frame = session?.withNext { header, bytes in CapturedFrame(header, bytes) }
                if let frame { return .frame(frame) }
                if let end { return .ended(end) }
                guard session?.wait(milliseconds: -1) == true else { return .ended(nil) }
            }
        }
    }
}
