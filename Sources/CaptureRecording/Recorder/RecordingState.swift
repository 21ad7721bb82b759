import CaptureEncoding
import CaptureGate

/// Result of a recording's capture: the reason for its end, and the error to report.
struct RecordingOutcome: Equatable, Sendable {
    let reason: EndReason
    let error: CaptureError?
    /// True if the output is well and would take more frames: those captured before the end are still written.
    var isOfInput = true

    init(reason: EndReason, error: CaptureError? = nil, isOfInput: Bool = true) {
        self.reason = reason
        self.error = error
        self.isOfInput = isOfInput
    }

    /// Outcome of an error of the output, or of a loss that ends the clip.
    /// - Parameters:
    ///   - error: that was thrown.
    ///   - loss: `LossLog.failure`.
    init(thrown error: CaptureError, loss: CaptureError?) {
        if error == loss {
            self.init(reason: .loss, error: error, isOfInput: false)
        } else if error.isNormalEnd {
            self.init(reason: EndReason(ofOutput: error), isOfInput: false)
        } else {
            self.init(reason: error.kind == .diskFull ? .diskFull : .failure, error: error, isOfInput: false)
        }
    }

    /// Outcome of a device's session that ended.
    init(_ end: SessionEnd) {
        let reason: EndReason =
            switch end {
            case .stopped: .interrupt
            case .refused: .revoked
            case .deviceGone: .deviceGone
            case .stalled: .stalled
            case .signalChanged: .signal
            case .failed: .failure
            }
        self.init(reason: reason, error: end.error)
    }

    init(_ cause: StopMonitor.Cause) {
        switch cause {
        case .control(let reason): self.init(reason: reason)
        case .device(let end): self.init(end)
        case .reader: self.init(reason: .failure, error: .slowReader)
        }
    }

    /// Error for a clip without a single frame, of which there is no file.
    func fatal(_ ledger: LossLedger) -> CaptureError {
        if let error { return error }
        return switch reason {
        case .maxSize:
            CaptureError(
                .usage, "The maximum size is too small for the first frame. No file was created.",
                remedies: [Remedy("Raise --max-size, or choose a smaller --size.")])
        case .complete where Self.broken(ledger) != nil: Self.broken(ledger) ?? .stoppedBeforeStart
        case .complete, .silence:
            CaptureError(
                .usage, "The clip ended before its first frame. No file was created.",
                remedies: [Remedy("Choose a longer time.")])
        default: .stoppedBeforeStart
        }
    }

    /// Error for video of which no frame was whole.
    private static func broken(_ ledger: LossLedger) -> CaptureError? {
        func count(_ lost: LostFrames) -> UInt64 { lost.corrupt + lost.short + lost.empty }
        guard let track = ledger.tracks.first(where: { count($0.lost) > 0 }) else { return nil }
        return CaptureError(
            .inputOutput,
            "All \(count(track.lost)) frames of \(track.device) were damaged. No file was created.",
            remedies: [Remedy("Choose another --pixel-format, or plug the device in again.")])
    }
}

/// State machine of a recording: what it does next, given what happened.
///
/// It is a value without clock or I/O. `RecordingDriver` performs the action, and hands in the one event that came of it:
///
///     waiting ──▶ recording ──▶ draining ──▶ finished        with a pre-roll, or a start that is scheduled
///     aligning ──▶ recording                                 several devices: until each delivers
///
/// Each state ends in `finished` at a failure. A stop ends it at once before the clip has begun, and by way of `draining`
/// later: frames captured before the stop belong to the clip. An event that a state does not expect changes nothing, and the
/// state's usual action follows.
struct RecordingState: Sendable {
    enum Phase: Equatable, Sendable {
        /// Frames are held in memory until the clip begins. A stop meanwhile waits for one more check of the start: a clip that
        /// was requested and stopped right after it includes its pre-roll.
        case waiting(stop: RecordingOutcome?)
        /// Frames are thrown away until every device delivers.
        case aligning
        /// One more video frame is thrown away. A frame is stamped when it begins and comes when it is whole, so the audio
        /// of its beginning may be gone; that of the next one is not.
        case aligningFrame
        /// Frames are written.
        case recording
        /// Frames that were captured before the end are written.
        case draining(RecordingOutcome)
        case finished(RecordingOutcome)
    }

    /// Event that came of an action.
    enum Event: Equatable, Sendable {
        /// Frames were taken into memory; false if none were there.
        case held(Bool)
        /// Frames were thrown away; true once every device has delivered one, or, for a single frame, once it is gone.
        case discarded(Bool)
        /// Frames were written; `some` is false if none were there.
        case wrote(some: Bool, isQuiet: Bool, isComplete: Bool)
        /// The output failed, or a frame was lost and the settings end the clip then.
        case failed(RecordingOutcome)
        /// Nothing has ended the recording.
        case running
        /// A person, a device or the gate has ended it.
        case stopped(RecordingOutcome, hasBegun: Bool)
        /// The clip is to begin at a moment, CLOCK_MONOTONIC nanoseconds.
        case due(Int64)
        case notDue
        /// An action that has no result is done.
        case done
    }

    /// Action to perform next.
    enum Action: Equatable, Sendable {
        /// Take one frame of each device into memory.
        case hold
        /// See whether the clip is to begin.
        case checkStart
        /// Begin the clip, CLOCK_MONOTONIC nanoseconds.
        case begin(at: Int64)
        /// Throw away what devices deliver.
        case discard
        /// Throw away one frame of the leading camera.
        case discardFrame
        /// Write the available frames.
        case write
        /// See whether the recording has ended.
        case look
        /// Wait for frames.
        case wait(Wait)
        /// Stop all devices: from then on there is an end of their frames.
        case stopDevices
        /// Write frames captured before the end.
        case drain
        /// Finish the file.
        case finish(RecordingOutcome)
    }

    /// Devices whose frames are waited for.
    enum Wait: Equatable, Sendable {
        /// All devices, or the moment of the start.
        case start
        case allDevices
        case leader
        /// Devices of tracks that can continue.
        case tracks
    }

    private(set) var phase: Phase
    /// True if the last step found no frame, so that the next one is waited for.
    private var isIdle = false
    private let leadsWithVideo: Bool

    /// - Parameters:
    ///   - hasPreRoll: true if the clip's start is waited for.
    ///   - devices: number of devices.
    ///   - leadsWithVideo: true if the leading track is a camera.
    init(hasPreRoll: Bool, devices: Int, leadsWithVideo: Bool) {
        self.leadsWithVideo = leadsWithVideo
        phase = hasPreRoll ? .waiting(stop: nil) : devices > 1 ? .aligning : .recording
    }

    /// Usual action of the state, and the first one to perform.
    var action: Action {
        switch phase {
        case .waiting: .hold
        case .aligning: .discard
        case .aligningFrame: .discardFrame
        case .recording: .write
        case .draining: .drain
        case .finished(let outcome): .finish(outcome)
        }
    }

    /// Takes in an event.
    /// - Returns: the action to perform next.
    mutating func handle(_ event: Event) -> Action {
        switch phase {
        case .waiting(let stop): wait(event, stop)
        case .aligning: align(event)
        case .aligningFrame: alignFrame(event)
        case .recording: record(event)
        case .draining(let outcome): drain(event, outcome)
        case .finished: action
        }
    }

    private mutating func wait(_ event: Event, _ stop: RecordingOutcome?) -> Action {
        switch event {
        case .held(let some):
            isIdle = !some
            return .look
        case .running:
            return .checkStart
        case .stopped(let outcome, _):
            // The gate's word comes before any start.
            if outcome.reason == .revoked { return finish(outcome) }
            phase = .waiting(stop: outcome)
            return .checkStart
        case .due(let start):
            phase = .recording
            return .begin(at: start)
        case .notDue:
            if let stop { return finish(stop) }
            return isIdle ? .wait(.start) : .hold
        case .failed(let outcome): return finish(outcome)
        case .discarded, .wrote, .done: return action
        }
    }

    private mutating func align(_ event: Event) -> Action {
        switch event {
        case .discarded(let allDeliver):
            isIdle = !allDeliver
            return .look
        case .running:
            if isIdle { return .wait(.allDevices) }
            phase = leadsWithVideo ? .aligningFrame : .recording
            return action
        case .stopped(let outcome, _), .failed(let outcome): return finish(outcome)
        case .held, .wrote, .due, .notDue, .done: return action
        }
    }

    private mutating func alignFrame(_ event: Event) -> Action {
        switch event {
        case .discarded(true):
            phase = .recording
            return action
        case .discarded(false): return .look
        case .running: return .wait(.leader)
        case .stopped(let outcome, _), .failed(let outcome): return finish(outcome)
        case .held, .wrote, .due, .notDue, .done: return action
        }
    }

    private mutating func record(_ event: Event) -> Action {
        switch event {
        case .wrote(let some, let isQuiet, let isComplete):
            if isQuiet { return finish(RecordingOutcome(reason: .silence)) }
            if isComplete { return finish(RecordingOutcome(reason: .complete)) }
            isIdle = !some
            return .look
        case .running: return isIdle ? .wait(.tracks) : .write
        case .stopped(let outcome, let hasBegun):
            guard hasBegun, outcome.isOfInput, outcome.reason != .revoked else { return finish(outcome) }
            phase = .draining(outcome)
            return .stopDevices
        case .failed(let outcome): return finish(outcome)
        case .held, .discarded, .due, .notDue, .done: return action
        }
    }

    private mutating func drain(_ event: Event, _ outcome: RecordingOutcome) -> Action {
        switch event {
        case .wrote(some: true, _, _): return .drain
        case .wrote(some: false, _, let isComplete):
            return finish(isComplete ? RecordingOutcome(reason: .complete) : outcome)
        case .failed(let failure):
            // A clip whose output ends without an error reports the error of its device, if there is one.
            return finish(failure.error == nil && outcome.error != nil ? outcome : failure)
        case .held, .discarded, .running, .stopped, .due, .notDue, .done: return action
        }
    }

    private mutating func finish(_ outcome: RecordingOutcome) -> Action {
        phase = .finished(outcome)
        return .finish(outcome)
    }
}
