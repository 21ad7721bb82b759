import CaptureEncoding
import CaptureGate

/// Event of a running recording, told on the recorder's thread, which waits for the handler.
public enum RecordingEvent: Sendable {
    /// The clip begins later: at a moment, as the time since 1970, or on request. With a pre-roll the devices capture already.
    case waiting(preRoll: Duration?, startsAt: Duration?)
    /// The clip has begun: each device delivers, and the first frame is written. Not reported if no frame arrives. The differences
    /// are those of all devices, and of the pre-roll.
    case started(tracks: [ClipTrack], differences: [RecordingDifference])
    /// Told about ten times a second; before the clip has begun, with a pre-roll, with no time and the levels of what waits.
    case progress(RecordingProgress)
    /// Image of the first camera, where ``RecorderSettings/preview`` asks for it.
    case preview(Thumbnail)
    /// Frames of a track are missing; told where losses are marked.
    case lost(ClipTrack, LossEvent)
    /// A device's input has lost or regained its signal. Also sent if the signal is missing at the start. Frames without a
    /// signal are written, and count as lost. The time is from the clip's start.
    case signal(ClipTrack, SignalState, at: Duration)
    /// The recording is paused, or resumed if it is false. The time is the time in the clip.
    case paused(Bool, at: Duration)
    /// A chapter was set.
    case chapter(ClipChapter)
    /// One of several outputs has failed. The others continue.
    case outputFailed(OutputFailure)
    /// One segment is finished.
    case segment(ClipSegment)
    /// The file is finished. The error is the reason for an early end, if there is one. `lastTimestamp` is the capture
    /// threads' last timestamp, CLOCK_MONOTONIC nanoseconds, 0 without a frame.
    case ended(Clip, CaptureError?, lastTimestamp: Int64)
}

/// Difference between a recording and its settings.
///
/// *thread-safe*
public enum RecordingDifference: Hashable, Sendable, CustomStringConvertible {
    /// A device does otherwise, or its frames are converted.
    case format(FormatDifference)
    /// The device does not have the sample rate, and its audio is converted; Hz.
    case sampleRate(from: Int, to: Int)
    /// The pre-roll is shorter: there was no more yet, or no more memory.
    case preRoll(asked: Duration, got: Duration)

    /// Words for a person.
    public var description: String {
        switch self {
        case .format(let difference): difference.description
        case .sampleRate(let source, let target): "audio is captured at \(source) Hz and converted to \(target) Hz"
        case .preRoll(let asked, let got):
            "The pre-roll is \(Self.seconds(got)) s, not \(Self.seconds(asked)) s: "
                + "the capture was too short, or memory was full."
        }
    }

    private static func seconds(_ duration: Duration) -> String {
        let tenths = (max(0, duration.nanoseconds) + 50_000_000) / 100_000_000
        return "\(tenths / 10).\(tenths % 10)"
    }
}

/// Progress of a recording, about ten times a second.
///
/// *thread-safe*
public struct RecordingProgress: Hashable, Sendable, Codable {
    /// ``elapsed`` in nanoseconds, for `Codable`.
    package let elapsedNanoseconds: Int64
    /// Bytes written so far.
    public let bytes: Int64
    /// In the clip's order of tracks.
    public let microphones: [AudioProgress]
    public let cameras: [VideoProgress]

    /// Time from the clip's start to the end of its last frame.
    public var elapsed: Duration { .nanoseconds(elapsedNanoseconds) }
    /// The first microphone.
    public var audio: AudioProgress? { microphones.first }
    /// The first camera.
    public var video: VideoProgress? { cameras.first }
}

/// Progress of a microphone. Levels are those since the last progress.
public struct AudioProgress: Hashable, Sendable, Codable {
    /// Loudest sample, dB of full scale, 0 or less; -120 for silence.
    public let peakDBFS: Double
    /// Power, dB of full scale, where a full-scale square wave is 0; -120 for silence.
    public let rmsDBFS: Double
    /// True if a sample reached full scale.
    public let clipped: Bool
    /// Audio frames in the clip.
    public let frames: UInt64
    /// Audio frames lost.
    public let lost: UInt64
    public let xruns: UInt64
}

extension AudioProgress {
    /// The same in frames at another sample rate.
    func scaled(by ratio: FrameRatio) -> AudioProgress {
        AudioProgress(
            peakDBFS: peakDBFS, rmsDBFS: rmsDBFS, clipped: clipped, frames: ratio.scale(frames),
            lost: ratio.scale(lost), xruns: xruns)
    }
}

/// Progress of a camera.
public struct VideoProgress: Hashable, Sendable, Codable {
    /// Video frames in the clip.
    public let frames: UInt64
    /// Video frames lost.
    public let lost: UInt64
    /// Frames a second since the clip's start.
    public let framesPerSecond: Double
}

/// Events of a recording as an asynchronous sequence, for one loop beside the recording.
///
///     let events = RecordingEvents()
///     async let shown: Void = show(events)          // for await event in events { … }
///     let clip = try await recorder.record(into: target, events: events)
///     await shown
///
/// It ends with the recording, and gets the events of one. Who reads slowly loses the oldest of those that wait.
///
/// *thread-safe*
public struct RecordingEvents: AsyncSequence, Sendable {
    public typealias Element = RecordingEvent
    public typealias Failure = Never

    private let stream: AsyncStream<RecordingEvent>
    private let continuation: AsyncStream<RecordingEvent>.Continuation

    /// - Parameter count: events that wait for a slow reader, 1 upwards; about ten a second come.
    public init(keeping count: Int = 1000) {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Swift.max(count, 1)))
    }

    public func makeAsyncIterator() -> AsyncStream<RecordingEvent>.Iterator { stream.makeAsyncIterator() }

    func add(_ event: RecordingEvent) { continuation.yield(event) }

    func end() { continuation.finish() }
}

extension Recorder {
    /// Records into an existing target, and reports the events in a sequence.
    ///
    /// - Parameters:
    ///   - target: output of the clip.
    ///   - others: further outputs, each with the tracks that its format can hold.
    ///   - duration: duration of the clip; `nil` uses the settings'.
    ///   - control: ends the recording; so does cancelling the task.
    ///   - events: gets the recording's events, and ends with it.
    /// - Throws: if no file was created.
    public consuming func record(
        into target: RecordingTarget, and others: [RecordingTarget] = [], for duration: Duration? = nil,
        control: RecordingControl? = nil, events: RecordingEvents
    ) async throws(CaptureError) -> Clip {
        defer { events.end() }
        return try await record(into: target, and: others, for: duration, control: control, onEvent: events.add)
    }
}

extension LiveCapture {
    /// Records a clip, and reports the events in a sequence.
    ///
    /// - Parameters:
    ///   - target: output of the clip.
    ///   - others: further outputs, each with the tracks that its format can hold.
    ///   - duration: duration of the clip; `nil` uses the settings'.
    ///   - control: pauses, resumes and ends the clip; so does cancelling the task.
    ///   - events: gets the clip's events, and ends with it.
    /// - Throws: as the other `record`.
    public func record(
        into target: RecordingTarget, and others: [RecordingTarget] = [], for duration: Duration? = nil,
        control: RecordingControl? = nil, events: RecordingEvents
    ) async throws(CaptureError) -> Clip {
        defer { events.end() }
        return try await record(into: target, and: others, for: duration, control: control, onEvent: events.add)
    }
}
