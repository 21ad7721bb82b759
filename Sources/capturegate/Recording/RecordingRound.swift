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
