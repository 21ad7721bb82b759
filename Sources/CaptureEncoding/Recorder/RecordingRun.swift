import CSystem
import CaptureGate

/// One recording on its thread: waits for frames, has each lane write what it has, and knows when it is over.
final class RecordingRun {
    let lanes: [any Lane]
    private let leader: any Lane
    let writer: any ClipWriter
    /// The same, where it writes several files.
    private let parts: (any PartsWriter)?
    /// The same, where it writes to several places.
    private let tee: TeeWriter?
    let timeline: Timeline
    let control: RecordingControl
    /// For a writer that waits for its reader.
    let over: EndOfCapture
    private let reattachment: Reattachment
    /// Where the clip goes into several files: which of them are finished.
    private let finishing: [FinishingQueue]
    /// What it waits for; `nil` where the clip begins at once.
    private let preRoll: PreRoll?
    /// What the devices, and the pre-roll, do otherwise than asked.
    var differences: [String]
    let report: (RecordingEvent) -> Void
    /// Keeps what was held from coming faster than it can be stored.
    var throttle = Throttle()
    private let progressInterval: Int64
    private var nextReport: Int64 = 0
    /// Of the clip, when it was last looked whether to report, and when that was last done.
    private var reached: Int64 = 0
    private var reported: Int64
    private var isStarted = false
    /// Of each lane's device, as it was told last.
    private var signals: [SignalState]

    /// Why it ended, and the error to report.
    struct End {
        let reason: EndReason
        let error: CaptureError?
        /// Whether the output is well, and would take more.
        var isOfInput = true

        /// What there is to say where the clip has not a single frame.
        func fatal(_ ledger: LossLedger) -> CaptureError {
            if let error { return error }
            return switch reason {
            case .maxSize:
                CaptureError(
                    .usage, "The greatest size is too small for the clip's first frame; no file was made.",
                    remedies: [Remedy("Allow more with --max-size, or ask for smaller pictures.")])
            case .complete where Self.broken(ledger) != nil: Self.broken(ledger) ?? .stoppedBeforeStart
            case .complete, .silence:
                CaptureError(
                    .usage, "The clip was over before its first frame; no file was made.",
                    remedies: [Remedy("Choose a longer time.")])
            default: .stoppedBeforeStart
            }
        }

        /// Where pictures came, and none of them was whole.
        private static func broken(_ ledger: LossLedger) -> CaptureError? {
            func count(_ lost: LostFrames) -> UInt64 { lost.corrupt + lost.short + lost.empty }
            guard let track = ledger.tracks.first(where: { count($0.lost) > 0 }) else { return nil }
            return CaptureError(
                .inputOutput,
                "None of the \(count(track.lost)) pictures of \(track.device) was whole: there is no file.",
                remedies: [Remedy("Choose another --pixel-format, or plug the device in again.")])
        }
    }

    /// - Returns: `nil` without a lane.
    init?(
        lanes: [any Lane], writer: any ClipWriter, timeline: Timeline, control: RecordingControl,
        over: EndOfCapture, reattachment: Reattachment, finishing: [FinishingQueue], preRoll: PreRoll?,
        progressInterval: Duration,
        report: @escaping (RecordingEvent) -> Void
    ) {
        guard let leader = lanes.first(where: { $0 is VideoLane }) ?? lanes.first else { return nil }
        self.lanes = lanes
        differences = lanes.flatMap { $0.source.differences }
        self.leader = leader
        signals = lanes.map { _ in .present }
        self.writer = writer
        parts = writer as? any PartsWriter
        tee = writer as? TeeWriter
        self.timeline = timeline
        self.control = control
        self.over = over
        self.reattachment = reattachment
        self.finishing = finishing
        self.preRoll = preRoll
        self.progressInterval = progressInterval.nanoseconds
        reported = -self.progressInterval
        self.report = report
    }

    /// Records until it is over, and finishes the file.
    ///
    /// - Throws: where no valid file came to be.
    func run() throws(CaptureError) -> Clip {
        for lane in lanes { lane.source.start() }
        // The first frame itself may not be read.
        if preRoll == nil { over.expect(timeline.duration, from: cs_clock_ns(Int32(CS_CLOCK_MONOTONIC))) }
        let recorded = record()
        for lane in lanes { lane.source.stop() }
        // Where that fails, the output has failed before: the file is finished as far as it is.
        for lane in lanes { try? lane.finish() }
        let end = leveled(recorded)
        let clip = try finish(end)
        tellFinished()
        // The first output may have failed while another went on to the end.
        let error = end.error ?? tee?.ownFailure
        report(.ended(clip, error, lastTimestamp: lanes.map { $0.source.lastTimestamp }.max() ?? 0))
        return clip
    }

    private func record() -> End {
        tellSignals()
        if let preRoll {
            if let end = awaitStart(preRoll) { return end }
        } else if lanes.count > 1, let end = align() {
            return end
        }
        var turns = 0
        while true {
            let wrote: Bool
            do {
                wrote = try writeOnce()
            } catch {
                return self.end(error)
            }
            tellFinished()
            if wrote { tellStart() }
            tellSignals()
            if timeline.silence?.isOver == true { return End(reason: .silence, error: nil) }
            if lanes.allSatisfy(\.isComplete) { return End(reason: .complete, error: nil) }
            if let end = ended() { return drained(end) }
            turns += 1
            // Not after each picture: that would be a look at the clock for each. Whoever keeps up waits soon anyway.
            if !wrote || turns % 64 == 0 { reportProgress() }
            if !wrote { wait(for: waiting) }
        }
    }

    /// - Parameter error: of the output, or of a loss that was to end it.
    func end(_ error: CaptureError) -> End {
        if error == timeline.losses.failure { return End(reason: .loss, error: error, isOfInput: false) }
        if error == .sizeReached { return End(reason: .maxSize, error: nil, isOfInput: false) }
        return End(reason: error.kind == .diskFull ? .diskFull : .failure, error: error, isOfInput: false)
    }

    private func end(_ cause: EndOfCapture.Cause) -> End {
        switch cause {
        case .control(let reason): End(reason: reason, error: nil)
        case .device(let last): end(last)
        case .reader: End(reason: .failure, error: .slowReader)
        }
    }

    private func end(_ end: SessionEnd) -> End {
        switch end {
        case .stopped: End(reason: .interrupt, error: nil)
        case .refused(let error): End(reason: .revoked, error: error)
        case .deviceGone(let error): End(reason: .deviceGone, error: error)
        case .stalled(let error): End(reason: .stalled, error: error)
        case .signalChanged(let error): End(reason: .signal, error: error)
        case .failed(let error): End(reason: .failure, error: error)
        }
    }

    /// What there is to tell while frames are written.
    func tell() {
        tellFinished()
        tellStart()
        reportProgress()
    }

    private func tellFinished() {
        for queue in finishing { for part in queue.takeFinished() { report(.segment(part)) } }
        for (track, mark) in timeline.losses.takeUntold() { report(.lost(lanes[track].track, mark)) }
        for failure in tee?.takeFailures() ?? [] { report(.outputFailed(failure)) }
    }

    private func tellSignals() {
        for (index, lane) in lanes.enumerated() where lane.source.signal != signals[index] {
            signals[index] = lane.source.signal
            report(.signal(lane.track, signals[index], atNanoseconds: lane.elapsed))
        }
    }

    private func tellStart() {
        guard !isStarted, lanes.contains(where: { $0.elapsed > 0 }) else { return }
        isStarted = true
        if let origin = timeline.origin { over.expect(timeline.duration, from: origin) }
        report(.started(tracks: lanes.map(\.track), differences: differences))
    }

    func writeOnce() throws(CaptureError) -> Bool {
        if let wrote = try replay() { return wrote }
        var wrote = false
        for (index, lane) in lanes.enumerated() where timeline.origin != nil || lane === leader {
            if try lane.write(to: writer, as: index) { wrote = true }
        }
        try finishParts()
        return wrote
    }

    func finishParts() throws(CaptureError) { try parts?.finishParts { Self.ledger(lanes, writer) } }

    /// The lanes that can go on now: before the clip has started, only the one that starts it.
    private var waiting: [any Lane] {
        timeline.origin == nil ? [leader] : lanes.filter { !$0.isComplete && !reattachment.isAway($0) }
    }

    /// Throws away what comes before every device delivers.
    private func align() -> End? {
        var idle = Array(lanes.indices)
        while !idle.isEmpty {
            idle.removeAll { lanes[$0].source.skip() }
            for index in lanes.indices where !idle.contains(index) { while lanes[index].source.skip() {} }
            if let end = ended() { return end }
            if !idle.isEmpty { wait(for: lanes) }
        }
        return passOnePicture()
    }

    /// A picture is stamped when it begins and comes when it is whole, so the sound of its beginning may have been
    /// thrown away; that of the next one has not.
    private func passOnePicture() -> End? {
        while leader is VideoLane, !leader.source.skip() {
            if let end = ended() { return end }
            wait(for: [leader])
        }
        return nil
    }

    func ended() -> End? {
        if let cause = over.cause { return end(cause) }
        for (index, lane) in lanes.enumerated() where !lane.isComplete {
            guard let end = lane.source.end else { continue }
            switch reattachment.look(at: lane, end) {
            case .away: break
            case .back: over.watch(lanes.compactMap { $0.source.handle })
            case .over(let last): return self.end(last)
            case .missed:
                do {
                    try lane.miss(until: timeline.duration ?? 0, in: writer, as: index)
                } catch {
                    return self.end(error)
                }
            }
        }
        return control.requested.map { End(reason: $0, error: nil) }
    }

    private func reportProgress() {
        guard isStarted, isReportPossible else { return }
        let now = cs_clock_ns(Int32(CS_CLOCK_MONOTONIC))
        guard now >= nextReport else { return }
        nextReport = now + progressInterval
        reported = reached
        report(
            .progress(
                RecordingProgress(
                    elapsedNanoseconds: lanes.map(\.elapsed).max() ?? 0, bytes: writer.bytesWritten,
                    microphones: lanes.compactMap { ($0 as? AudioLane)?.progress() },
                    cameras: lanes.enumerated().compactMap { index, lane in
                        (lane as? VideoLane)?.progress(leftOut: writer.leftOut(of: index))
                    })))
    }

    /// As long as frames come, they tell the time: the clock is a system call on some machines.
    private var isReportPossible: Bool {
        let elapsed = lanes.lazy.map(\.elapsed).max() ?? 0
        defer { reached = elapsed }
        return elapsed == reached || elapsed - reported >= progressInterval
    }

    private func finish(_ end: End) throws(CaptureError) -> Clip {
        let ledger = Self.ledger(lanes, writer)
        // A file without a frame would be no clip.
        if ledger.tracks.allSatisfy({ $0.frames == 0 }) {
            writer.discard()
            throw end.fatal(ledger)
        }
        var clip: Clip
        do {
            clip = try writer.finish(ledger: ledger, end: end.reason)
        } catch .sizeReached {
            throw end.fatal(ledger)
        }
        clip.tracks = lanes.map(\.track)
        return clip
    }

    /// What a device that is away, or has fallen silent, has missed by the clip's end is missing in the clip as well: its
    /// tracks end together.
    ///
    /// - Returns: the end, or the loss that was to end it.
    private func leveled(_ end: End) -> End {
        guard end.isOfInput else { return end }
        let last = lanes.map(\.elapsed).max() ?? 0
        for (index, lane) in lanes.enumerated()
        where !lane.isComplete && (reattachment.isBehind(lane) || Self.isSilent(lane)) {
            do {
                try lane.miss(until: last, in: writer, as: index)
            } catch {
                // An output that fails here has nothing to say that its finishing does not.
                if error == timeline.losses.failure { return self.end(error) }
            }
        }
        return end
    }

    private static func isSilent(_ lane: any Lane) -> Bool {
        switch lane.source.end {
        case .stalled, .signalChanged: true
        default: false
        }
    }

    private static func ledger(_ lanes: [any Lane], _ writer: any ClipWriter) -> LossLedger {
        LossLedger(tracks: lanes.enumerated().map { index, lane in lane.ledger(counts: writer.counts(of: index)) })
    }
}
