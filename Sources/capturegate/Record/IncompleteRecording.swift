import CaptureEncoding
import CaptureGate

extension Clip {
    /// What a strict recording ends with where it has pictures without a signal, or ended for want of one.
    var signalLoss: CaptureError? {
        let blind = zip(tracks, ledger.tracks).first { $1.lost.noSignal > 0 }
        guard blind != nil || end == .signal else { return nil }
        let what = blind.map {
            "\($0.name.visible) had no signal for \(NumberText.counted($1.lost.noSignal, "picture"))"
        }
        return CaptureError(
            .notAsAsked,
            "\(what ?? "The signal became another"): \(path.visible) is valid, and not what was asked for.",
            remedies: [
                Remedy("Look at the cable and at what sends, then record again."),
                Remedy("Or leave --strict out, to take what comes."),
            ])
    }
}

/// Ends the program after a recording that has a valid file, and an error that ended it early.
struct IncompleteRecording: Error {
    let error: CaptureError
    let clip: Clip

    /// A file's name that was taken meanwhile has a code of its own.
    var code: Int32 { error.kind == .fileExists ? error.exitCode : clip.end.exitCode }

    /// What there is all the same.
    var remainder: String {
        if clip.durationNanoseconds == 0, !clip.tees.isEmpty { return "Only what --tee names has the recording." }
        if clip.path == "-" { return "Ended early: \(clip.end.phrase)." }
        let time = NumberText.time(nanoseconds: clip.durationNanoseconds)
        let path = clip.parts.isEmpty ? "\(clip.path.visible) is valid and holds" : "Its files are valid and hold"
        return "Ended early: \(clip.end.phrase). \(path) \(time)."
    }
}

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
