import CaptureEncoding
import CaptureGate

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
