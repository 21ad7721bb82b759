import CaptureEncoding

/// Of a recording only what went wrong, as lines of text.
struct QuietView: EventView {
    let stream: StandardStream

    mutating func show(_ event: RecordingEvent) {
        switch event {
        case .lost(let track, let mark): stream.note(ClipSummary.line(track, mark))
        case .signal(let track, let state, let moment): stream.note(ClipSummary.line(track, state, at: moment))
        case .outputFailed(let failure): stream.note(ClipSummary.line(failure))
        case .ended(let clip, _, _) where clip.hasLosses:
            stream.note(ClipSummary(clip: clip).lines.joined(separator: "\n"))
        case .started(_, let differences):
            StartText(tracks: [], differences: differences).tell(stream)
        case .waiting, .progress, .preview, .segment, .ended: break
        }
    }
}

extension Clip {
    /// Whether any of its files has not all that its devices made.
    fileprivate var hasLosses: Bool {
        ([ledger] + tees.map(\.ledger)).contains { $0.totalLost > 0 }
    }
}
