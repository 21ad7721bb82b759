import CaptureEncoding

/// A recording as one line of a terminal that is drawn again and again.
struct LiveLine: EventView {
    let stream: StandardStream
    /// Where the result stands afterwards.
    let summary: StandardStream
    let plan: RecordingPlan
    private let ink: Ink
    private var isDrawn = false

    init(stream: StandardStream, summary: StandardStream, plan: RecordingPlan) {
        self.stream = stream
        self.summary = summary
        self.plan = plan
        ink = Ink(for: stream)
    }

    mutating func show(_ event: RecordingEvent) {
        switch event {
        case .waiting(let preRoll, let moment): stream.note(StartText.waiting(preRoll, moment))
        case .started(let tracks, let differences):
            StartText(tracks: tracks, differences: differences).tell(stream)
            if plan.settings.duration == nil { stream.note("Ctrl-C ends it.") }
        case .progress(let progress): draw(ProgressText(progress: progress))
        case .lost(let track, let mark):
            clear()
            stream.note(ClipSummary.line(track, mark))
        case .outputFailed(let failure):
            clear()
            stream.note(ClipSummary.line(failure))
        case .segment(let part):
            clear()
            stream.note(ClipSummary.line(part))
        case .ended(let clip, _, _):
            clear()
            summary.note(ClipSummary(clip: clip).lines.joined(separator: "\n"))
        }
    }

    private mutating func draw(_ text: ProgressText) {
        isDrawn = true
        let parts = [text.time, text.bar(width: 20), text.level, text.rate, text.lost, text.size]
        // A line that does not fit would wrap and leave its first part standing.
        let room = max(0, stream.columns - 3)
        let line = String(parts.compactMap { $0 }.joined(separator: "  ").prefix(room))
        try? stream.write("\r\u{1B}[K\(ink.red("*")) \(line)")
    }

    private mutating func clear() {
        guard isDrawn else { return }
        isDrawn = false
        try? stream.write("\r\u{1B}[K")
    }
}
