import CaptureEncoding

extension EndReason {
    /// The exit status after a recording that ended so.
    var exitCode: Int32 {
        switch self {
        case .complete, .maxSize, .silence, .interrupt: 0
        case .deviceGone, .stalled, .signal: 69
        case .diskFull, .failure, .loss: 74
        case .revoked: 77
        }
    }

    /// For people; after "Ended early: ".
    var phrase: String {
        switch self {
        case .complete: "complete"
        case .maxSize: "as large as it may be"
        case .silence: "it was quiet"
        case .interrupt: "stopped"
        case .deviceGone: "the device was unplugged"
        case .stalled: "the device stopped delivering"
        case .signal: "the signal changed"
        case .diskFull: "the disk is full"
        case .failure: "it failed"
        case .loss: "something was lost"
        case .revoked: "the permission was revoked"
        }
    }
}
