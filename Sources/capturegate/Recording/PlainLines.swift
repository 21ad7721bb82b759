import CaptureEncoding

/// A recording as lines of text, one a second, for a pipe or a file.
struct PlainLines: RecordingView {
    let stream: StandardStream
    let plan: RecordingPlan
    private var pace = SecondPace()

    init(stream: StandardStream, plan: RecordingPlan) {
        self.stream = stream
        self.plan = plan
    }

    mutating func show(_ event: RecordingEvent) {
        switch event {
        case .started(let tracks, let differences): StartText(tracks: tracks, differences: differences).tell(stream)
        case .progress(let progress):
            if pace.isDue(progress) { stream.note(ProgressText(progress: progress).line) }
        case .ended(let clip, _, _): stream.note(ClipSummary(clip: clip).lines.joined(separator: "\n"))
        }
    }
}

/// The lines at the beginning of a recording.
struct StartText {
    let tracks: [ClipTrack]
    let differences: [String]

    func tell(_ stream: StandardStream) {
        for track in tracks { stream.note("Recording \(track.phrase)") }
        for difference in differences { stream.note("Note: \(difference.visible)") }
    }
}

/// Lets one progress a second of the clip pass.
struct SecondPace: Sendable {
    private var next: Int64 = 1_000_000_000

    mutating func isDue(_ progress: RecordingProgress) -> Bool {
        guard progress.elapsedNanoseconds >= next else { return false }
        next = (progress.elapsedNanoseconds / 1_000_000_000 + 1) * 1_000_000_000
        return true
    }
}
