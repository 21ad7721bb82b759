import CaptureBase

extension CaptureError {
    /// The exit status of a program that ends with this error, after sysexits(3).
    public var exitCode: Int32 {
        switch kind {
        case .usage: 64
        case .badInput: 65
        case .noDevice: 66
        case .unavailable, .deviceGone, .stalled, .timedOut, .deadlock, .cancelled: 69
        case .fileExists: 73
        case .inputOutput, .diskFull: 74
        case .busy: 75
        case .notAuthorized, .dismissed, .revoked, .expired: 77
        case .notAsAsked, .configuration, .store: 78
        case .conditionFailed: underlying.first?.exitCode ?? 69
        }
    }
}
