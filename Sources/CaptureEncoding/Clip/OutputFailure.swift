import CaptureGate

/// That one of several outputs failed, while the others go on.
///
/// *thread-safe*
public struct OutputFailure: Hashable, Sendable {
    public let path: String
    public let error: CaptureError
}
