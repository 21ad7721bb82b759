import CaptureEncoding

/// A recording as lines of text, one a second, for a pipe or a file.
struct PlainView: EventView {
    let stream: StandardStream
    let plan: RecordingPlan
    private var limiter = RateLimiter()

    init(stream: StandardStream, plan: RecordingPlan) {
        self.stream = stream
        self.plan = plan
    }

    mutating func show(_ event: RecordingEvent) {
        switch event {
        case .waiting(let preRoll, let moment): stream.note(StartText.waiting(preRoll, moment))
        case .started(let tracks, let differences): StartText(tracks: tracks, differences: differences).tell(stream)
        case .progress(let progress):
            if limiter.isDue(progress) { stream.note(ProgressText(progress: progress).line) }
        case .preview: break
        case .lost(let track, let mark): stream.note(ClipSummary.line(track, mark))
        case .signal(let track, let state, let moment): stream.note(ClipSummary.line(track, state, at: moment))
        case .outputFailed(let failure): stream.note(ClipSummary.line(failure))
        case .segment(let part): stream.note(ClipSummary.line(part))
        case .ended(let clip, _, _): stream.note(ClipSummary(clip: clip).lines.joined(separator: "\n"))
        }
    }
}
