import CaptureBase
import CaptureRealtime
import Dispatch
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

/// A period of sound or a picture that outlives the ring: a copy.
///
/// *thread-safe*
public struct CapturedFrame: Hashable, Sendable {
    public let header: FrameHeader
    public let bytes: [UInt8]
}

/// Waits for frames on a thread of its own, so that no thread of the cooperative pool does, and copies them.
final class FrameCopier<Reader: RingReader & ~Copyable, Format: Sendable>: Sendable {
    private let session: Locked<CaptureSession<Reader, Format>?>
    private let core: CaptureCore
    private let queue = DispatchQueue(label: "capturegate.frames")

    init(_ session: consuming CaptureSession<Reader, Format>) {
        core = session.core
        self.session = Locked(consume session)
    }

    deinit { core.control.request(.stop) }

    /// The next frame; `nil` after the last. Cancelling the task stops the capture.
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

    private enum Step: Sendable {
        case frame(CapturedFrame)
        case ended(SessionEnd?)
    }

    private func step() -> Step {
        session.withLock { session in
            session?.start()
            while true {
                // Looked at first: what was captured before it is all there then.
                let end = session?.end
                let frame = session?.withNext { header, bytes in
                    CapturedFrame(header: header, bytes: bytes.withUnsafeBytes { Array($0) })
                }
                if let frame { return .frame(frame) }
                if let end { return .ended(end) }
                guard session?.wait(milliseconds: -1) == true else { return .ended(nil) }
            }
        }
    }
}
