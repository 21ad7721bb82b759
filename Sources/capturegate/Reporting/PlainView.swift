import CaptureRecording
import LinuxSystem

/// Recording as lines of text for a pipe, a file or a dumb terminal: start, problems and result.
struct PlainView: EventView {
    let stream: StandardStream

    /// Writes one event as one or more lines.
    mutating func show(_ event: RecordingEvent) {
        switch event {
        case .waiting(let preRoll, let moment): stream.note(StartText.waiting(preRoll, moment))
        case .started(let tracks, let differences): StartText(tracks: tracks, differences: differences).tell(stream)
        case .progress, .preview: break
        case .lost(let track, let mark): stream.note(ClipSummary.line(track, mark))
        case .signal(let track, let state, let moment): stream.note(ClipSummary.line(track, state, at: moment))
        case .paused(let isPaused, let moment): stream.note(ClipSummary.line(isPaused, at: moment))
        case .chapter(let chapter): stream.note(ClipSummary.line(chapter))
        case .outputFailed(let failure): stream.note(ClipSummary.line(failure))
        case .segment(let part): stream.note(ClipSummary.line(part))
        case .ended(let clip, _, _): stream.note(ClipSummary(clip: clip).lines.joined(separator: "\n"))
        }
    }
}

/// Recording with `--quiet`: only problems, as lines of text.
///
/// Silence on success is the Unix convention; a lost frame is not a success.
struct QuietView: EventView {
    let stream: StandardStream

    /// Writes losses, failures and differences; the summary only if something is missing.
    mutating func show(_ event: RecordingEvent) {
        switch event {
        case .lost(let track, let mark): stream.note(ClipSummary.line(track, mark))
        case .signal(let track, let state, let moment): stream.note(ClipSummary.line(track, state, at: moment))
        case .outputFailed(let failure): stream.note(ClipSummary.line(failure))
        case .ended(let clip, _, _) where clip.hasLosses:
            stream.note(ClipSummary(clip: clip).lines.joined(separator: "\n"))
        case .started(_, let differences):
            StartText(tracks: [], differences: differences).tell(stream)
        case .waiting, .progress, .preview, .segment, .paused, .chapter, .ended: break
        }
    }
}

extension Clip {
    /// True if any of the clip's files lacks something that its devices made.
    fileprivate var hasLosses: Bool {
        ([ledger] + tees.map(\.ledger)).contains { $0.totalLost > 0 }
    }
}

/// Lines at the beginning of a recording.
struct StartText {
    /// Line while the clip has not begun, with every way to begin it.
    ///
    /// - Parameters:
    ///   - preRoll: captured time that is kept; `nil` without a pre-roll.
    ///   - startsAt: start, since 1970; `nil` if a person begins it.
    static func waiting(_ preRoll: Duration?, _ startsAt: Duration?) -> String {
        let moment = startsAt.map(\.exactNanoseconds).map {
            "at \(CivilTime.localText(nanoseconds: $0))\(milliseconds(of: $0))"
        }
        guard let preRoll else { return "Waiting: the clip starts \(moment ?? "soon"). Ctrl-C cancels it." }
        let start = moment.map { "The clip starts \($0), or when you press Enter" } ?? "Press Enter to start the clip"
        let length = NumberText.time(preRoll)
        return
            "Keeping the last \(length). \(start) (or kill -USR1 \(ProcessStart.processID)). Ctrl-C cancels it."
    }

    /// Fraction of the second, such as `.250`; empty at a full second.
    private static func milliseconds(of nanoseconds: Int64) -> String {
        let part = nanoseconds % 1_000_000_000 / 1_000_000
        return part == 0 ? "" : ".\(String(part + 1000).dropFirst())"
    }

    let tracks: [ClipTrack]
    /// Differences between the recording and the request.
    let differences: [RecordingDifference]

    /// Writes one line per track and per difference.
    func tell(_ stream: StandardStream) {
        for track in tracks { stream.note("Recording \(track.phrase)") }
        for difference in differences { stream.note("Note: \(difference.description.visible)") }
    }
}
