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
    case stalled(CaptureError)
    case failed(CaptureError)

    /// The error to report; `nil` where the program ended it itself.
    public var error: CaptureError? {
        switch self {
        case .stopped: nil
        case .refused(let error), .deviceGone(let error), .stalled(let error), .failed(let error): error
        }
    }
}
