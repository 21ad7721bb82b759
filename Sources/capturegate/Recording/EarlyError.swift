import CaptureGate

/// Carries the reason for an early end out of the recorder's thread.
final class IncompleteRecordingCause: Sendable {
    private let error = Locked<CaptureError?>(nil)

    var value: CaptureError? { error.withLock { $0 } }

    func set(_ error: CaptureError?) { self.error.withLock { $0 = error } }
}
