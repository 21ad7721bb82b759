import CaptureEncoding

/// A recording as one line of a terminal that is drawn again and again.
struct LiveView: EventView {
    let stream: StandardStream
    /// Where the result stands afterwards.
    let summary: StandardStream
    let plan: RecordingPlan
    private let style: TextStyle
    private var isDrawn = false
    private var holds: [PeakHold] = []
    private var disk: DiskSpace

    init(stream: StandardStream, summary: StandardStream, plan: RecordingPlan) {
        self.stream = stream
        self.summary = summary
        self.plan = plan
        style = TextStyle(for: stream)
        disk = DiskSpace(of: plan.destination)
    }

    mutating func show(_ event: RecordingEvent) {
        switch event {
        case .waiting(let preRoll, let moment): stream.note(StartText.waiting(preRoll, moment))
        case .started(let tracks, let differences):
            StartText(tracks: tracks, differences: differences).tell(stream)
            if plan.settings.duration == nil { stream.note("Ctrl-C ends it.") }
        case .progress(let progress): draw(progress)
        case .preview: break
        case .lost(let track, let mark):
            clear()
            stream.note(ClipSummary.line(track, mark))
        case .signal(let track, let state, let moment):
            clear()
            stream.note(ClipSummary.line(track, state, at: moment))
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

    private mutating func draw(_ progress: RecordingProgress) {
        isDrawn = true
        let text = ProgressText(progress: progress)
        let left = disk.freeBytes(at: progress.elapsedNanoseconds).map { text.left(freeBytes: $0) }
        update(progress)
        // A line that does not layout would wrap and leave its first part standing.
        let layout = ProgressLayout(text, left: left, in: stream.columns - 3)
        let line =
            layout.words + [bars(progress.microphones, in: layout.freeColumns - ProgressLayout.gap)].compactMap { $0 }
        try? stream.write("\r\u{1B}[K\(style.red("*")) \(line.joined(separator: "  "))")
    }

    private mutating func update(_ progress: RecordingProgress) {
        if holds.count != progress.microphones.count { holds = progress.microphones.map { _ in PeakHold() } }
        for (index, microphone) in progress.microphones.enumerated() {
            holds[index].update(microphone.peakDBFS, isClipped: microphone.clipped, at: progress.elapsedNanoseconds)
        }
    }

    /// Each microphone's level, in what freeColumns the words leave; several share it.
    private func bars(_ microphones: [AudioProgress], in freeColumns: Int) -> String? {
        guard !microphones.isEmpty else { return nil }
        // In steps, so that it does not tremble when a word grows by a letter; brackets and the mark of clipping extra.
        let width = min(freeColumns / microphones.count - 3, max(4, 20 / microphones.count)) / 4 * 4
        guard width >= 4 else { return nil }
        let bar = LevelBar(scale: MeterScale(width: width))
        return zip(microphones, holds).map { microphone, hold in
            "[\(bar.text(microphone.peakDBFS, hold: hold))]" + (hold.isClipped ? "!" : "")
        }.joined()
    }

    private mutating func clear() {
        guard isDrawn else { return }
        isDrawn = false
        try? stream.write("\r\u{1B}[K")
    }
}
