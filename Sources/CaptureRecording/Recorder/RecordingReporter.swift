import CaptureEncoding
import CaptureGate
import LinuxSystem

/// Reporter of a recording's events, on the recorder's thread. It remembers its reports, and reports nothing twice.
///
/// *session-bound*
final class RecordingReporter {
    private let tracks: [any TrackRecorder]
    private let writer: any ClipWriter
    private let losses: LossLog
    /// Queues that give finished segments their names, one for each segmented output.
    private let finishing: [FinishingQueue]
    private let report: (RecordingEvent) -> Void
    private let interval: Int64
    /// Settings that devices, and the pre-roll, do otherwise than asked.
    var differences: [RecordingDifference]
    /// Earliest moment of the next progress, CLOCK_MONOTONIC nanoseconds.
    private var nextReport: Int64 = 0
    /// Length of the clip when progress was last considered, and when it was last told.
    private var reached: Int64 = 0
    private var reported: Int64
    private var isStarted = false
    /// Last reported state of each device's signal.
    private var signals: [SignalState]

    /// - Parameters:
    ///   - tracks: tracks of the recording.
    ///   - writer: its failures are reported.
    ///   - losses: its events are reported.
    ///   - finishing: its queues' segments are reported.
    ///   - interval: minimum time between two progress events.
    ///   - report: gets the events.
    init(
        _ tracks: [any TrackRecorder], writer: any ClipWriter, losses: LossLog, finishing: [FinishingQueue],
        interval: Duration, report: @escaping (RecordingEvent) -> Void
    ) {
        self.tracks = tracks
        self.writer = writer
        self.losses = losses
        self.finishing = finishing
        self.interval = interval.nanoseconds
        self.report = report
        differences = tracks.flatMap { track in
            track.source.differences.compactMap {
                RecordingDifference($0, in: writer.storedTracks[track.index].audio)
            }
        }
        reported = -interval.nanoseconds
        signals = tracks.map { _ in .present }
    }

    func tellWaiting(for preRoll: PreRoll) {
        guard preRoll.length > 0 else { return }
        report(.waiting(preRoll: .nanoseconds(preRoll.length), startsAt: preRoll.startsAt.map { .nanoseconds($0) }))
    }

    /// Reports levels while the clip waits for its start, if that is due.
    func tellWaitingProgress() {
        let now = SystemClock.monotonic.now
        guard now >= nextReport else { return }
        nextReport = now + interval
        report(.progress(progress()))
    }

    /// Reports finished segments, marked losses and failed outputs since the last call.
    func tellFinished() {
        for queue in finishing { for segment in queue.takeFinished() { report(.segment(segment)) } }
        for (track, event) in losses.takeUntold() { report(.lost(tracks[track].track, event)) }
        for failure in writer.takeFailures() { report(.outputFailed(failure)) }
    }

    /// Reports signals that changed since the last call.
    func tellSignals() {
        for (index, track) in tracks.enumerated() {
            let signal = track.source.signal
            guard signal != signals[index] else { continue }
            signals[index] = signal
            report(.signal(track.track, signal, at: .nanoseconds(track.elapsed)))
        }
    }

    /// Reports a pause, or its end.
    func tellPause(_ isPaused: Bool) {
        report(.paused(isPaused, at: .nanoseconds(tracks.lazy.map(\.elapsed).max() ?? 0)))
    }

    func tell(_ chapter: ClipChapter) { report(.chapter(chapter)) }

    /// Reports the clip's start with its first frame.
    /// - Returns: true the one time that it does.
    func tellStart() -> Bool {
        guard !isStarted, tracks.contains(where: { $0.elapsed > 0 }) else { return false }
        isStarted = true
        report(.started(tracks: clipTracks, differences: differences))
        return true
    }

    /// Tracks with the formats that audio has in the clip, and those in which cameras deliver.
    var clipTracks: [ClipTrack] { tracks.map { $0.isAudio ? writer.storedTracks[$0.index] : $0.track } }

    /// Reports the progress of the recording, if that is due.
    func tellProgress() {
        guard isStarted, isProgressPossible else { return }
        let now = SystemClock.monotonic.now
        guard now >= nextReport else { return }
        nextReport = now + interval
        reported = reached
        report(.progress(progress()))
    }

    /// Tells the end, after which nothing follows.
    func tellEnd(of clip: Clip, _ error: CaptureError?) {
        report(.ended(clip, error, lastTimestamp: tracks.map { $0.source.lastTimestamp }.max() ?? 0))
    }

    /// True if the clip grew by an interval, or does not grow. Normally frames show the time, since reading the clock is a system
    /// call on some machines.
    private var isProgressPossible: Bool {
        let elapsed = tracks.lazy.map(\.elapsed).max() ?? 0
        defer { reached = elapsed }
        return elapsed == reached || elapsed - reported >= interval
    }

    private func progress() -> RecordingProgress {
        var (microphones, cameras): ([AudioProgress], [VideoProgress]) = ([], [])
        for track in tracks {
            switch track.progress(leftOut: writer.leftOut(of: track.index)) {
            case .audio(let progress): microphones.append(inClip(progress, of: track))
            case .video(let progress): cameras.append(progress)
            }
        }
        return RecordingProgress(
            elapsedNanoseconds: tracks.map(\.elapsed).max() ?? 0, bytes: writer.bytesWritten,
            microphones: microphones, cameras: cameras)
    }

    /// Progress in frames of the clip.
    private func inClip(_ progress: AudioProgress, of track: any TrackRecorder) -> AudioProgress {
        guard let source = track.track.audio, let stored = writer.storedTracks[track.index].audio,
            source.sampleRate != stored.sampleRate
        else { return progress }
        return progress.scaled(by: FrameRatio(source.sampleRate, stored.sampleRate))
    }
}

extension RecordingDifference {
    /// Difference of a device's format, unless the clip's audio is as requested.
    fileprivate init?(_ difference: FormatDifference, in clip: AudioFormat?) {
        switch difference {
        case .sampleRate(let asked, let got) where clip?.sampleRate == asked: self = .sampleRate(from: got, to: asked)
        // The device was asked for all channels from which some are selected.
        case .channels(let asked, let got) where asked < got && clip.map({ $0.channels < got }) ?? false: return nil
        default: self = .format(difference)
        }
    }
}
