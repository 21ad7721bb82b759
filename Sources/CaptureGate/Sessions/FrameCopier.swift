import Dispatch
import Gate

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
