import CaptureGate
import CaptureRecording

/// Job of one recording, from the question to the finished file.
struct RecordingJob {
    let plan: RecordingPlan
    let targets: RecordingTargets
    let reporter: EventReporter<RecordingEvent>

    /// Runs the operation and waits for its result.
    ///
    /// - Throws: what kept a file from coming to be; nothing is left behind then.
    func run() async throws(CaptureError) -> RecordingOutcome {
        let stop = try RecordingStop(partial: targets.partial)
        // Before the operation starts, so that Ctrl-C at the question is heard.
        let signals = SignalSubscription { stop.receive($0) }
        defer { withExtendedLifetime(signals) {} }
        let queue = GateQueue()
        let handle = queue.add(operation(stop))
        stop.cancels { handle.cancel() }
        switch await handle.result {
        case .success(let outcome): return outcome
        case .failure(let failure):
            // The targets hold empty files under their partial names, which must not outlive a refusal.
            targets.discard()
            throw Self.error(failure)
        }
    }

    /// Operation with everything the plan says.
    private func operation(_ stop: RecordingStop) -> RecordingOperation {
        RecordingOperation(
            authorization: AuthorizedFor(Capability.All(plan.requests)), settings: plan.settings, targets: targets,
            stop: stop, reporter: reporter)
    }

    /// Error of a failure; a cancellation is worded as a person means it.
    private static func error(_ failure: OperationError<CaptureError>) -> CaptureError {
        switch failure {
        case .refused(let error), .failed(let error): error
        case .cancelled:
            CaptureError(.dismissed, "It was stopped before anything was recorded; no file was made.")
        }
    }
}

/// Operation of a recording: it receives a permit from the gate and opens the devices with it.
struct RecordingOperation: CaptureOperation {
    let authorization: AuthorizedFor<Capability.All>
    let settings: RecorderSettings
    let targets: RecordingTargets
    let stop: RecordingStop
    let reporter: EventReporter<RecordingEvent>

    /// Waits for the start, opens the devices, and records until something ends it.
    func execute(
        with permit: consuming Permit, in context: OperationContext
    ) async throws(CaptureError) -> RecordingOutcome {
        // The devices stay closed until shortly before: nobody is watched hours ahead.
        if let moment = settings.startsAt {
            reporter.handle(.waiting(preRoll: nil, startsAt: moment))
            try await ScheduledStart(nanoseconds: moment).wait(preRoll: settings.preRoll, control: stop.control)
        }
        // Enter means something only while a pre-roll waits for it.
        let enter = settings.preRoll == nil ? nil : EnterKeyListener { [stop] in stop.control.begin() }
        defer { enter?.end() }
        let recorder = try await Recorder(opening: permit, settings: settings)
        // A signal now ends the recording instead of cancelling the operation, so that the file is finished.
        stop.begin()
        let cause = IncompleteRecordingCause()
        let clip = try await recorder.record(
            into: targets.first, and: targets.others, control: stop.control
        ) { [reporter] event in
            // The recorder returns a clip also where an error cut it short, since the file is valid.
            if case .ended(_, let error, _) = event { cause.set(error) }
            reporter.handle(event)
        }
        return RecordingOutcome(clip: clip, error: cause.value)
    }
}

/// Opened destinations of a recording: OUT first, then each `--tee`.
struct RecordingTargets: Sendable {
    let first: RecordingTarget
    let others: [RecordingTarget]

    /// Opens all destinations.
    ///
    /// - Throws: as `RecordingTarget`; nothing is left behind then.
    init(_ plan: RecordingPlan, _ files: FileOptions, replacing: Bool) throws(CaptureError) {
        var targets: [RecordingTarget] = []
        do throws(CaptureError) {
            for output in [PlannedOutput(destination: plan.destination, format: plan.format)] + plan.tees {
                targets.append(
                    try RecordingTarget(
                        output.destination, format: output.format, replacing: replacing,
                        segment: files.segment?.duration, maxBytes: files.maxSize?.bytes))
            }
        } catch {
            // All or nothing: the files of those before it would remain, empty.
            for target in targets { target.discard() }
            throw error
        }
        first = targets[0]
        others = Array(targets.dropFirst())
    }

    /// Names of the files until they are finished; outputs to streams have none.
    var partial: [String] { ([first] + others).compactMap(\.partialName) }

    /// Removes what was created, where the recording never began.
    func discard() { for target in [first] + others { target.discard() } }
}

/// Finished clip, with the error that ended it early, if one did.
struct RecordingOutcome: Sendable {
    let clip: Clip
    let error: CaptureError?
}

/// Carrier of the error that ended a recording early, out of the recorder's thread.
///
/// *thread-safe*
final class IncompleteRecordingCause: Sendable {
    private let error = Locked<CaptureError?>(nil)

    var value: CaptureError? { error.withLock { $0 } }

    func set(_ error: CaptureError?) { self.error.withLock { $0 = error } }
}
