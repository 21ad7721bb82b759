import CaptureEncoding

/// A recording as one line of a terminal that is drawn again and again.
struct LiveLine: EventView {
    let stream: StandardStream
    /// Where the result stands afterwards.
    let summary: StandardStream
    let plan: RecordingPlan
    private let ink: Ink
    private var isDrawn = false
    private var holds: [PeakHold] = []
    private var disk: DiskRoom

    init(stream: StandardStream, summary: StandardStream, plan: RecordingPlan) {
        self.stream = stream
        self.summary = summary
        self.plan = plan
        ink = Ink(for: stream)
        disk = DiskRoom(of: plan.destination)
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
        let parts = [
            text.time, bars(progress), text.level, text.rate, text.lost, text.size, text.bitRate,
            disk.freeBytes(at: progress.elapsedNanoseconds).map { text.left(freeBytes: $0) },
        ]
        // A line that does not fit would wrap and leave its first part standing.
        let room = max(0, stream.columns - 3)
        let line = String(parts.compactMap { $0 }.joined(separator: "  ").prefix(room))
        try? stream.write("\r\u{1B}[K\(ink.red("*")) \(line)")
    }

    /// Each microphone's level; several share the width.
    private mutating func bars(_ progress: RecordingProgress) -> String? {
        let microphones = progress.microphones
        guard !microphones.isEmpty else { return nil }
        if holds.count != microphones.count { holds = microphones.map { _ in PeakHold() } }
        let bar = LevelBar(scale: MeterScale(width: max(4, 20 / microphones.count)))
        return microphones.indices.map { index in
            let microphone = microphones[index]
            holds[index].update(microphone.peakDBFS, isClipped: microphone.clipped, at: progress.elapsedNanoseconds)
            return "[\(bar.text(microphone.peakDBFS, hold: holds[index]))]" + (holds[index].isClipped ? "!" : "")
        }.joined()
    }

    private mutating func clear() {
        guard isDrawn else { return }
        isDrawn = false
        try? stream.write("\r\u{1B}[K")
    }
}
