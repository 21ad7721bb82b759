import CaptureRealtime
import Gate

/// A session as others than its reader see it, who may be held up in the middle of a frame.
///
/// *thread-safe*
package struct SessionHandle: Sendable {
    let core: CaptureCore
    let format: VideoFormat?

    /// How the capture ended; `nil` while it runs, and where a call to the device has not returned. There may still be
    /// something to take.
    package var end: SessionEnd? { core.end(core.result, of: format) }

    /// Asks the capture to end, which closes the device; what was captured before can still be taken.
    package func stop() { core.control.request(.stop) }
}

extension CaptureSession where Reader: ~Copyable {
    /// Of this opening of the device: where it is opened again, there is another one.
    package var handle: SessionHandle {
        SessionHandle(core: core, format: pictures?.source ?? format as? VideoFormat)
    }
}
