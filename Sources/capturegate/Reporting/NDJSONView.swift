import CaptureGate
import CaptureRecording
import LinuxSystem

/// Recording as NDJSON: one event per line, each with an "event" member.
///
/// Names of members end in their unit: `_ns` nanoseconds, `_dbfs` dB of full scale. Times of a clip count
/// from its start.
struct NDJSONView: EventView {
    /// Standard output, or standard error if the clip itself goes to standard output.
    let stream: StandardStream
    let plan: RecordingPlan
    /// Limits progress to one a second: logs of hours-long recordings stay readable.
    private var limiter = RateLimiter()

    init(stream: StandardStream, plan: RecordingPlan) {
        self.stream = stream
        self.plan = plan
    }

    /// Writes one event. Previews are not written.
    mutating func show(_ event: RecordingEvent) {
        switch event {
        case .waiting(let preRoll, let moment): stream.note(Self.waiting(preRoll, moment).text)
        case .started(let tracks, let differences): stream.note(start(tracks, differences).text)
        case .progress(let progress):
            if limiter.isDue(progress) { stream.note(progress.json.text) }
        case .preview: break
        case .lost(let track, let mark): stream.note(Self.loss(track, mark).text)
        case .signal(let track, let state, let moment): stream.note(Self.signal(track, state, moment).text)
        case .paused(let isPaused, let moment): stream.note(Self.pause(isPaused, moment).text)
        case .chapter(let chapter): stream.note(Self.chapter(chapter).text)
        case .outputFailed(let failure): stream.note(Self.failure(failure).text)
        case .segment(let part): stream.note(Self.segment(part).text)
        case .ended(let clip, let error, let last): stream.note(Self.end(clip, error, last).text)
        }
    }

    /// Clip that has not begun. The process id is what `kill -USR1` needs to begin it.
    private static func waiting(_ preRoll: Duration?, _ moment: Duration?) -> JSONValue {
        [
            "event": "waiting", "pre_roll_ns": preRoll.map { .integer($0.nanoseconds) } ?? .null,
            "start_at_ns": moment.map { .nanoseconds($0) } ?? .null, "pid": .integer(Int64(ProcessStart.processID)),
        ]
    }

    /// Clip that has begun, with the tracks as negotiated.
    private func start(_ tracks: [ClipTrack], _ differences: [RecordingDifference]) -> JSONValue {
        [
            "event": "start", "path": .string(plan.destination.description), "format": .string(plan.format.rawValue),
            "duration_ns": plan.settings.duration.map { .integer($0.nanoseconds) } ?? .null,
            "tracks": .array(tracks.map(\.json)), "differences": .strings(differences.map(\.description)),
        ]
    }

    /// Loss in a track; reported only with `--on-loss mark`.
    private static func loss(_ track: ClipTrack, _ mark: LossEvent) -> JSONValue {
        [
            "event": "loss", "kind": .string(track.kind.rawValue), "device": .string(track.device),
            "at_ns": .integer(mark.atNanoseconds), "frames": .count(mark.frames),
        ]
    }

    /// Change of an input's signal.
    private static func signal(_ track: ClipTrack, _ state: SignalState, _ time: Duration) -> JSONValue {
        [
            "event": "signal", "kind": .string(track.kind.rawValue), "device": .string(track.device),
            "state": .string(state.word), "at_ns": .nanoseconds(time),
        ]
    }

    /// Pause, or its end; the time is that in the clip.
    private static func pause(_ isPaused: Bool, _ time: Duration) -> JSONValue {
        ["event": .string(isPaused ? "pause" : "resume"), "at_ns": .nanoseconds(time)]
    }

    private static func chapter(_ chapter: ClipChapter) -> JSONValue {
        ["event": "chapter", "at_ns": .nanoseconds(chapter.at), "title": .string(chapter.title)]
    }

    /// Output that failed while others continue.
    private static func failure(_ failure: OutputFailure) -> JSONValue {
        [
            "event": "output_failed", "path": .string(failure.path),
            "error": ErrorReport(error: failure.error).json,
        ]
    }

    /// Finished file of several; it has its final name and can be moved.
    private static func segment(_ part: ClipSegment) -> JSONValue {
        [
            "event": "segment", "path": .string(part.path), "start_ns": .nanoseconds(part.start),
            "duration_ns": .nanoseconds(part.duration), "bytes": .integer(part.bytes),
        ]
    }

    /// Finished clip, with the full ledgers; the last event of every recording that began.
    private static func end(_ clip: Clip, _ error: CaptureError?, _ last: Int64) -> JSONValue {
        [
            "event": "end", "reason": .string(clip.end.rawValue), "path": .string(clip.path),
            "format": .string(clip.format.rawValue), "duration_ns": .nanoseconds(clip.duration),
            "bytes": .integer(clip.bytes), "last_timestamp_ns": .integer(last),
            "tracks": .array(clip.ledger.tracks.map(\.countsJSON)), "ledger": .rendered(clip.ledger.json),
            "segments": .array(clip.segments.map { .rendered($0.json) }),
            "tees": .array(clip.tees.map { .rendered($0.json) }),
            "error": error.map { ErrorReport(error: $0).json } ?? .null,
        ]
    }
}

extension RecordingProgress {
    fileprivate var json: JSONValue {
        let first: [(String, JSONValue)] = [
            ("event", "progress"), ("elapsed_ns", .integer(elapsedNanoseconds)), ("bytes", .integer(bytes)),
            ("audio", audio?.json ?? .null), ("video", video?.json ?? .null),
        ]
        let many = microphones.count > 1 || cameras.count > 1
        return .object(
            first
                + (many
                    ? [
                        ("microphones", .array(microphones.map(\.json))), ("cameras", .array(cameras.map(\.json))),
                    ] : []))
    }
}

extension AudioProgress {
    /// Level and counts of a microphone; two digits are finer than any meter.
    fileprivate var json: JSONValue {
        [
            "peak_dbfs": .rounded(peakDBFS, 2), "rms_dbfs": .rounded(rmsDBFS, 2), "clipped": .bool(clipped),
            "frames": .count(frames), "lost": .count(lost), "xruns": .count(xruns),
        ]
    }
}

extension VideoProgress {
    /// Counts and rate of a camera.
    fileprivate var json: JSONValue {
        ["frames": .count(frames), "lost": .count(lost), "fps": .rounded(framesPerSecond, 2)]
    }
}

extension TrackLedger {
    /// Summary of the counts; the event's "ledger" has them by cause.
    fileprivate var countsJSON: JSONValue {
        [
            "kind": .string(kind.rawValue), "name": .string(name), "device": .string(device),
            "frames": .count(frames), "lost": .count(lost.total), "xruns": .count(xruns),
        ]
    }
}

extension ClipTrack {
    /// Track as negotiated with the device, which may differ from the request.
    fileprivate var json: JSONValue {
        let base: [(String, JSONValue)] = [
            ("kind", .string(kind.rawValue)), ("name", .string(name)), ("device", .string(device)),
        ]
        switch media {
        case .audio(let format):
            return .object(
                base + [
                    ("sample_rate", .count(format.sampleRate)), ("channels", .count(format.channels)),
                    ("sample_format", .string(format.sampleFormat.rawValue)),
                ])
        case .video(let format):
            return .object(
                base + [
                    ("width", .count(format.width)), ("height", .count(format.height)),
                    ("pixel_format", .string(format.pixelFormat.description)),
                    ("frame_rate", .string(format.frameRate.description)), ("colorimetry", format.colorimetry.json),
                    ("field_order", .string(format.fieldOrder.rawValue)),
                    ("pixel_aspect", .optional(format.pixelAspect?.description)),
                ])
        }
    }
}

extension RecordingEvent: OngoingEvent {
    /// True for events that the next one replaces: figures and previews. Losses and ends are never dropped.
    var isProgress: Bool {
        switch self {
        case .progress, .preview: true
        default: false
        }
    }
}

/// Rate limiter that lets one progress per second of the clip pass.
///
/// By the clip's time, not the clock's: lines are then at full seconds, however late the view is.
struct RateLimiter: Sendable {
    /// Earliest time of the next progress, nanoseconds.
    private var next: Int64 = 1_000_000_000

    /// True if this progress is to be shown; the next one is due in the following full second.
    mutating func isDue(_ progress: RecordingProgress) -> Bool {
        guard progress.elapsedNanoseconds >= next else { return false }
        next = (progress.elapsedNanoseconds / 1_000_000_000 + 1) * 1_000_000_000
        return true
    }
}
