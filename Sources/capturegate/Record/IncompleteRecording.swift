import CaptureGate
import CaptureRecording

extension Clip {
    /// Error of `--strict` about a clip with frames without a signal, or that ended because there was no signal; `nil` for all
    /// others.
    ///
    /// Checked at the end: a clip that has begun is kept, since
    /// what was recorded before the loss may be all there is.
    var signalLoss: CaptureError? {
        let blind = zip(tracks, ledger.tracks).first { $1.lost.noSignal > 0 }
        guard blind != nil || end == .signal else { return nil }
        let what = blind.map {
            "\($0.name.visible) had no signal for \(NumberText.counted($1.lost.noSignal, "frame"))"
        }
        return CaptureError(
            .notAsAsked,
            "\(what ?? "The signal changed"). \(path.visible) is valid, but not as requested.",
            remedies: [
                Remedy("Check the cable and the signal source, then record again."),
                Remedy("Or remove --strict to accept this."),
            ])
    }
}

/// Error of a recording that ended early and has a valid file.
///
/// Not a `CaptureError`: its exit code is the clip's, and the file's name and length belong to the message.
struct IncompleteRecording: Error {
    let error: CaptureError
    let clip: Clip

    /// Exit code of the clip's end; a file name that was taken meanwhile keeps its own (EX_CANTCREAT).
    var code: Int32 { error.kind == .fileExists ? error.exitCode : clip.end.exitCode }

    /// Sentence about the files that remain.
    var remainder: String {
        // Only OUT failed, and at once; the other outputs have the recording.
        if clip.duration == .zero, !clip.tees.isEmpty { return "Only the files of --tee have the recording." }
        if clip.path == "-" { return "Ended early: \(clip.end.phrase)." }
        let time = NumberText.time(clip.duration)
        if clip.format == .v4l2 { return "Ended early: \(clip.end.phrase). It was shown for \(time)." }
        let path = clip.segments.isEmpty ? "\(clip.path.visible) is valid and holds" : "Its files are valid and hold"
        return "Ended early: \(clip.end.phrase). \(path) \(time)."
    }
}

extension EndReason {
    /// Exit status after a recording that ended so, by `sysexits.h`: 69 EX_UNAVAILABLE, 74 EX_IOERR, 77
    /// EX_NOPERM.
    ///
    /// Also 0 after Ctrl-C, at `--max-size`, and if a reader such as `head` has enough: those ends are intended.
    var exitCode: Int32 {
        switch self {
        case .complete, .maxSize, .silence, .interrupt, .readerGone: 0
        case .deviceGone, .stalled, .signal: 69
        case .diskFull, .failure, .loss: 74
        case .revoked: 77
        }
    }

    /// Reason for people; fits after "Ended early: ".
    var phrase: String {
        switch self {
        case .complete: "complete"
        case .maxSize: "maximum size reached"
        case .silence: "silence detected"
        case .interrupt: "stopped"
        case .readerGone: "the reader closed it"
        case .deviceGone: "the device was unplugged"
        case .stalled: "the device stopped delivering"
        case .signal: "the signal changed"
        case .diskFull: "the disk is full"
        case .failure: "an error occurred"
        case .loss: "frames or samples were lost"
        case .revoked: "the permission ended"
        }
    }
}
