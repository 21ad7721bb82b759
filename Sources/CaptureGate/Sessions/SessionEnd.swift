import CaptureRealtime
import Gate

/// Why a capture ended.
///
/// *thread-safe*
public enum SessionEnd: Hashable, Sendable {
    /// The program stopped it.
    case stopped
    /// The gate ended it: revoked, expired or switched off. The error says which.
    case refused(CaptureError)
    case deviceGone(CaptureError)
    /// Nothing came for five periods or 500 ms, whichever is more, and nothing after a restart; or a call to the device has
    /// not returned for five seconds, as one to a sound server that was stopped.
    case stalled(CaptureError)
    /// The signal at the device's input is another than the capture was set up for, or is gone and nothing came any more.
    case signalChanged(CaptureError)
    case failed(CaptureError)

    /// The error to report; `nil` where the program ended it itself.
    public var error: CaptureError? {
        switch self {
        case .stopped: nil
        case .refused(let error), .deviceGone(let error), .stalled(let error), .signalChanged(let error),
            .failed(let error):
            error
        }
    }
}
