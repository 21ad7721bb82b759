import CaptureEncoding
import CaptureGate

/// A finished clip, and why it ended early, where it did.
struct RecordingOutcome: Sendable {
    let clip: Clip
    let error: CaptureError?
}
