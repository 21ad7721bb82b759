import CaptureEncoding
import CaptureGate
import LinuxSystem

/// Driver of one recording on its thread: performs the actions of `RecordingState` until the clip is finished.
///
/// *session-bound*
final class RecordingDriver {
    /// Objects that a recording is made of.
    struct Setup {
        let tracks: [any TrackRecorder]
        let writer: any ClipWriter
        let clip: ClipClock
        let losses: LossLog
        /// Ends the recording after a silence; `nil` for never.
        let silence: SilenceDetector?
        let control: RecordingControl
        /// Ends the capture while a writer waits for its reader.
        let stop: StopMonitor
        let reattachment: Reattachment
        /// Start that is waited for; `nil` if the clip begins at once.
        let preRoll: PreRoll?
        /// Titles of chapters that are set without one.
        var chapterTitles: [String] = []
        /// True if devices continue to run after the clip.
        var keepsDevices = false
    }

    private let setup: Setup
    private let tracks: [any TrackRecorder]
    private let leader: any TrackRecorder
    private let writer: any ClipWriter
    private let clip: ClipClock
    private let reporter: RecordingReporter
    private var state: RecordingState
    /// Memory for the frames of each track before the clip's start, bytes.
    private let maxBufferedBytes: [Int]
    /// Keeps frames in memory from being written faster than the output takes them.
    private var throttle = Throttle()
    /// Writes so far: progress is considered after every 64th.
    private var writes = 0
    /// Requests about pauses and chapters that are carried out, and the chapters that are set.
    private var (requests, marks) = (0, 0)

    /// - Returns: `nil` without a track.
    init?(_ setup: Setup, reporter: RecordingReporter) {
        guard let leader = setup.tracks.first(where: { !$0.isAudio }) ?? setup.tracks.first else { return nil }
        self.setup = setup
        self.leader = leader
        self.reporter = reporter
        (tracks, writer, clip) = (setup.tracks, setup.writer, setup.clip)
        state = RecordingState(
            hasPreRoll: setup.preRoll != nil, devices: setup.tracks.count, leadsWithVideo: !leader.isAudio)
        maxBufferedBytes = setup.preRoll?.mostBytes(of: setup.tracks.map(\.writtenTrack)) ?? []
    }

    /// Records until it is over, and finishes the file.
    /// - Throws: if no valid file came to be.
    func run() throws(CaptureError) -> Clip {
        for track in tracks { track.source.start() }
        // The first frame itself may not be read.
        if setup.preRoll == nil { setup.stop.expect(clip.duration.map { SystemClock.monotonic.now + $0 }) }
        reporter.tellSignals()
        if let preRoll = setup.preRoll {
            reporter.tellWaiting(for: preRoll)
            for track in tracks { track.watchHeld(true) }
        }
        var action = state.action
        while true {
            if case .finish(let outcome) = action { return try finish(outcome) }
            action = state.handle(perform(action))
        }
    }

    /// - Returns: the event that came of an action.
    private func perform(_ action: RecordingState.Action) -> RecordingState.Event {
        do throws(CaptureError) {
            switch action {
            case .hold: return .held(try hold())
            case .checkStart: return start()
            case .begin(let start): begin(at: start)
            case .discard: return .discarded(discard())
            case .discardFrame: return .discarded(leader.source.skip())
            case .write: return try write()
            case .look: return look()
            case .wait(let wait): self.wait(wait)
            case .stopDevices: endCapture()
            case .drain: return try drain()
            case .finish: break
            }
            return .done
        } catch {
            return .failed(outcome(of: error))
        }
    }

    private func outcome(of error: CaptureError) -> RecordingOutcome {
        RecordingOutcome(thrown: error, loss: setup.losses.failure)
    }

    // MARK: Before the clip

    /// - Returns: false if there was nothing.
    private func hold() throws(CaptureError) -> Bool {
        var took = false
        let slack = leader.source.needsKeys ? PreRoll.slackOfKeys : PreRoll.slack
        for track in tracks {
            // Raw frames of another camera would take too much memory.
            let isRaw = track.writtenTrack.isRawVideo
            let reach = (setup.preRoll?.length ?? 0) + (isRaw ? PreRoll.slack : slack)
            if try track.source.hold(reach, most: maxBufferedBytes[track.index]) { took = true }
        }
        reporter.tellWaitingProgress()
        return took
    }

    private func start() -> RecordingState.Event {
        guard let start = setup.preRoll?.start(asked: setup.control.beginning),
            tracks.allSatisfy({ $0.source.oldestHeld != nil })
        else { return .notDue }
        return .due(start)
    }

    /// - Parameter start: CLOCK_MONOTONIC nanoseconds.
    private func begin(at start: Int64) {
        let length = setup.preRoll?.length ?? 0
        let wanted = start - length
        // Before a device's first frame there is no clip; one whose start is scheduled begins then all the same.
        let oldest = tracks.compactMap { $0.source.oldestHeld }.max() ?? wanted
        // A clip of a camera's own stream begins with a key frame, and rather earlier than later.
        let reached = length > 0 ? max(wanted, oldest) : wanted
        let origin = length > 0 ? leader.source.heldKey(near: reached) ?? reached : wanted
        if origin > wanted {
            let got = Duration.nanoseconds(start - origin)
            reporter.differences.append(.preRoll(asked: .nanoseconds(length), got: got))
        }
        clip.start(at: origin)
        for track in tracks { track.watchHeld(false) }
        setup.stop.expect(clip.end)
    }

    /// - Returns: true once every device has delivered a frame.
    private func discard() -> Bool {
        for track in tracks where track.source.skip() || track.source.hasDelivered { while track.source.skip() {} }
        return tracks.allSatisfy { $0.source.hasDelivered }
    }

    // MARK: The clip

    private func write() throws(CaptureError) -> RecordingState.Event {
        // Not after each frame, since each call reads the clock: a recorder that keeps up waits soon anyway.
        if writes.isMultiple(of: 64) { reporter.tellProgress() }
        writes += 1
        let wrote = try writeOnce()
        reporter.tellFinished()
        if wrote { tellStart() }
        reporter.tellSignals()
        return .wrote(some: wrote, isQuiet: setup.silence?.isOver ?? false, isComplete: isComplete)
    }

    private func drain() throws(CaptureError) -> RecordingState.Event {
        let wrote = try writeOnce()
        if wrote {
            reporter.tellFinished()
            tellStart()
            reporter.tellProgress()
        }
        // A clip that is ended in mid-capture is as long as it is.
        return .wrote(some: wrote, isQuiet: false, isComplete: isComplete && !setup.keepsDevices)
    }

    private func tellStart() {
        if reporter.tellStart() { setup.stop.expect(clip.end) }
    }

    private var isComplete: Bool { tracks.allSatisfy(\.isComplete) }

    private func writeOnce() throws(CaptureError) -> Bool {
        if setup.control.requestCount != requests, clip.origin != nil { follow() }
        if let wrote = try replay() { return wrote }
        var wrote = false
        for track in tracks where clip.origin != nil || track === leader {
            if try track.write(to: writer) { wrote = true }
        }
        try writer.finishSegments(ledger)
        return wrote
    }

    /// Carries out requests about pauses and chapters.
    private func follow() {
        requests = setup.control.requestCount
        let wasPaused = clip.cuts.isPaused
        if clip.follow(setup.control.pauses) {
            setup.stop.expect(clip.end)
            if clip.cuts.isPaused != wasPaused { reporter.tellPause(clip.cuts.isPaused) }
        }
        for mark in setup.control.chapterMarks.dropFirst(marks) {
            marks += 1
            // A chapter that is set during a pause begins when the clip continues.
            guard let captured = clip.captureTime(of: mark.moment) else { continue }
            let time = captured - clip.cuts.removed(before: captured)
            let titles = setup.chapterTitles
            let title = mark.title ?? (titles.indices.contains(marks - 1) ? titles[marks - 1] : "Chapter \(marks)")
            let chapter = ClipChapter(at: .nanoseconds(max(0, time)), title: title)
            writer.add(chapter)
            reporter.tell(chapter)
        }
    }

    /// Writes one held period or video frame, the oldest of all devices, so that the file has them in order.
    /// - Returns: `nil` if nothing is held any more.
    private func replay() throws(CaptureError) -> Bool? {
        guard clip.origin != nil, let oldest = oldestHeld else { return nil }
        // Audio that comes meanwhile is held as well: it is never left to its ring.
        for track in tracks where track.isAudio { while try track.source.holdNext() {} }
        if throttle.holds(writer.isBusy) {
            // Does not wait for a stop as well: one may have been requested, and the held frames come before it.
            wait(on: [], milliseconds: Throttle.pause)
            return true
        }
        let wrote = try tracks[oldest].writeNext(to: writer)
        try writer.finishSegments(ledger)
        return wrote
    }

    private var oldestHeld: Int? {
        var found: (index: Int, time: Int64)?
        for (index, track) in tracks.enumerated() where !track.isComplete {
            guard let time = track.source.oldestHeld, time < found?.time ?? .max else { continue }
            found = (index, time)
        }
        return found?.index
    }

    private func ledger() -> LossLedger {
        LossLedger(
            tracks: tracks.map { $0.ledger(counts: writer.counts(of: $0.index)) },
            pauses: clip.pauses(until: tracks.map { $0.source.lastTimestamp }.max() ?? 0))
    }

    // MARK: Its end

    /// Checks whether a person, a device or the gate has ended the recording, and searches for unplugged devices.
    private func look() -> RecordingState.Event {
        if let cause = setup.stop.cause { return stopped(RecordingOutcome(cause)) }
        for track in tracks where !track.isComplete {
            guard let end = track.source.end else { continue }
            switch setup.reattachment.look(at: track, end) {
            case .away: break
            case .back: setup.stop.watch(tracks.compactMap { $0.source.handle })
            case .over(let last): return stopped(RecordingOutcome(last))
            case .missed:
                do throws(CaptureError) {
                    try track.miss(until: clip.duration ?? 0, in: writer)
                } catch {
                    return stopped(outcome(of: error))
                }
            }
        }
        return setup.control.requested.map { stopped(RecordingOutcome(reason: $0)) } ?? .running
    }

    private func stopped(_ outcome: RecordingOutcome) -> RecordingState.Event {
        .stopped(outcome, hasBegun: clip.origin != nil)
    }

    /// Ends what the clip is to have of the devices: with them, or at the moment of the request.
    private func endCapture() {
        guard setup.keepsDevices, tracks.allSatisfy({ $0.source.handle?.end == nil }) else { return stopDevices() }
        let moment = setup.control.requestedAt ?? SystemClock.monotonic.now
        guard let length = clip.end(at: moment) else { return }
        for track in tracks { track.limit(to: length) }
    }

    private func stopDevices() { for track in tracks { track.source.stop() } }

    private func finish(_ captured: RecordingOutcome) throws(CaptureError) -> Clip {
        if !setup.keepsDevices { stopDevices() }
        // If that fails, the output has failed before: the file is finished with the frames so far.
        for track in tracks { try? track.finish() }
        let outcome = leveled(captured)
        let clip = try finishFile(outcome)
        reporter.tellFinished()
        // The first output may have failed while another continued to the end, or only with frames that waited to be written.
        let late = clip.end == outcome.reason ? nil : writer.failure.flatMap { $0.isNormalEnd ? nil : $0 }
        reporter.tellEnd(of: clip, outcome.error ?? writer.ownFailure ?? late)
        return clip
    }

    /// Makes all tracks end together: frames that an absent or stalled device missed by the clip's end are missing in the clip
    /// as well.
    /// - Returns: the outcome, or the loss that ends the clip by its policy.
    private func leveled(_ outcome: RecordingOutcome) -> RecordingOutcome {
        guard outcome.isOfInput else { return outcome }
        let last = tracks.map(\.elapsed).max() ?? 0
        for track in tracks where !track.isComplete && (setup.reattachment.isBehind(track) || isSilent(track)) {
            do throws(CaptureError) {
                try track.miss(until: last, in: writer)
            } catch {
                // An output that fails here has nothing to say that its finishing does not.
                if error == setup.losses.failure { return self.outcome(of: error) }
            }
        }
        return outcome
    }

    private func isSilent(_ track: any TrackRecorder) -> Bool {
        switch track.source.end {
        case .stalled, .signalChanged: true
        default: false
        }
    }

    private func finishFile(_ outcome: RecordingOutcome) throws(CaptureError) -> Clip {
        let ledger = ledger()
        // A file without a frame would be no clip.
        if ledger.tracks.allSatisfy({ $0.frames == 0 }) {
            writer.discard()
            throw outcome.fatal(ledger)
        }
        var clip: Clip
        do {
            clip = try writer.finish(ledger: ledger, end: outcome.reason)
        } catch .sizeReached {
            throw outcome.fatal(ledger)
        }
        clip.tracks = reporter.clipTracks
        return clip
    }

    // MARK: Waiting

    private func wait(_ wait: RecordingState.Wait) {
        switch wait {
        case .start: self.wait(for: tracks, milliseconds: setup.preRoll?.patience ?? 100)
        case .allDevices: self.wait(for: tracks)
        case .leader: self.wait(for: [leader])
        case .tracks:
            reporter.tellProgress()
            self.wait(for: ready)
        }
    }

    /// Tracks that can continue now: before the clip has started, only the one that starts it.
    private var ready: [any TrackRecorder] {
        clip.origin == nil ? [leader] : tracks.filter { !$0.isComplete && !setup.reattachment.isAway($0) }
    }

    private func wait(for tracks: [any TrackRecorder], milliseconds: Int32 = 100) {
        wait(on: tracks.map { $0.source.readySignal } + [setup.control.descriptor], milliseconds: milliseconds)
    }

    private func wait(on descriptors: [Int32], milliseconds: Int32) {
        var items = descriptors.map { PollItem($0) }
        _ = try? Poll.wait(for: &items, milliseconds: milliseconds)
    }
}
