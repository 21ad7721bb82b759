import CaptureEncoding
import CaptureGate

/// One recording, from the question to the finished file.
struct RecordingJob {
    let plan: RecordingPlan
    let targets: RecordingTargets
    let reporter: EventReporter<RecordingEvent>

    /// - Throws: what kept a file from coming to be; nothing is left behind then.
    func run() async throws(CaptureError) -> RecordingOutcome {
        let stop = try RecordingStop(partial: targets.partial)
        let signals = SignalSubscription { stop.receive($0) }
        defer { withExtendedLifetime(signals) {} }
        let queue = GateQueue()
        let handle = queue.add(operation(stop))
        stop.cancels { handle.cancel() }
        switch await handle.result {
        case .success(let outcome): return outcome
        case .failure(let failure):
            targets.discard()
            throw Self.error(failure)
        }
    }

    private func operation(_ stop: RecordingStop) -> RecordingOperation {
        RecordingOperation(
            authorization: AuthorizedFor(Capability.All(plan.requests)), settings: plan.settings, targets: targets,
            stop: stop, reporter: reporter)
    }

    private static func error(_ failure: OperationError<CaptureError>) -> CaptureError {
        switch failure {
        case .refused(let error), .failed(let error): error
        case .cancelled:
            CaptureError(.dismissed, "It was stopped before anything was recorded; no file was made.")
        }
    }
}

/// The operation: it gets its permit from the gate, and opens the devices with it.
struct RecordingOperation: CaptureOperation {
    let authorization: AuthorizedFor<Capability.All>
    let settings: RecorderSettings
    let targets: RecordingTargets
    let stop: RecordingStop
    let reporter: EventReporter<RecordingEvent>

    func execute(
        with permit: consuming Permit, in context: OperationContext
    ) async throws(CaptureError) -> RecordingOutcome {
        if let moment = settings.startsAt {
            reporter.handle(.waiting(preRoll: nil, startsAt: moment))
            try await StartMoment(nanoseconds: moment).wait(preRoll: settings.preRoll, control: stop.control)
        }
        let enter = settings.preRoll == nil ? nil : EnterKeyListener { [stop] in stop.control.begin() }
        defer { enter?.end() }
        let recorder = try await Recorder(opening: permit, settings: settings)
        stop.begin()
        let cause = IncompleteRecordingCause()
        let clip = try await recorder.record(
            into: targets.first, and: targets.others, control: stop.control
        ) { [reporter] event in
            if case .ended(_, let error, _) = event { cause.set(error) }
            reporter.handle(event)
        }
        return RecordingOutcome(clip: clip, error: cause.value)
    }
}

/// Where a recording goes: OUT first, then each --tee.
struct RecordingTargets: Sendable {
    let first: RecordingTarget
    let others: [RecordingTarget]

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
            for target in targets { target.discard() }
            throw error
        }
        first = targets[0]
        others = Array(targets.dropFirst())
    }

    /// What the files are called until they are finished.
    var partial: [String] { ([first] + others).compactMap(\.partialName) }

    func discard() { for target in [first] + others { target.discard() } }
}

/// A finished clip, and why it ended early, where it did.
struct RecordingOutcome: Sendable {
    let clip: Clip
    let error: CaptureError?
}

/// Carries the reason for an early end out of the recorder's thread.
final class IncompleteRecordingCause: Sendable {
    private let error = Locked<CaptureError?>(nil)

    var value: CaptureError? { error.withLock { $0 } }

    func set(_ error: CaptureError?) { self.error.withLock { $0 = error } }
}
