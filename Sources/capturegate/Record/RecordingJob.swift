import CaptureGate
import CaptureRecording
import Dispatch
import LinuxSystem
import Synchronization

/// Job of one recording, from the question to the finished file.
struct RecordingJob {
    let plan: RecordingPlan
    let targets: RecordingTargets
    let reporter: EventReporter<RecordingEvent>

    /// Runs the operation and waits for its result.
    ///
    /// - Throws: the reason why a file could not be created; nothing is left behind then.
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

    /// Operation with the settings of the plan.
    private func operation(_ stop: RecordingStop) -> RecordingOperation {
        RecordingOperation(
            authorization: AuthorizedFor(Capability.All(plan.requests)), settings: plan.settings, targets: targets,
            stop: stop, keys: plan.keys, reporter: reporter)
    }

    /// Error of a failure; a cancellation is worded as a person means it.
    private static func error(_ failure: OperationError<CaptureError>) -> CaptureError {
        switch failure {
        case .refused(let error), .failed(let error): error
        case .cancelled:
            CaptureError(.dismissed, "Stopped before anything was recorded. No file was created.")
        }
    }
}

/// Operation of a recording: it receives a permit from the gate and opens the devices with it.
struct RecordingOperation: CaptureOperation {
    let authorization: AuthorizedFor<Capability.All>
    let settings: RecorderSettings
    let targets: RecordingTargets
    let stop: RecordingStop
    /// Meaning of keys; `nil` if nothing on the screen explains them.
    let keys: RecordingKeys?
    let reporter: EventReporter<RecordingEvent>

    /// Waits for the start, opens the devices, and records until something ends it.
    func execute(
        with permit: consuming Permit, in context: OperationContext
    ) async throws(CaptureError) -> RecordingOutcome {
        // The devices stay closed until shortly before: nobody is watched hours ahead.
        if let moment = settings.startsAt {
            reporter.handle(.waiting(preRoll: nil, startsAt: moment))
            try await ScheduledStart(sinceEpoch: moment).wait(preRoll: settings.preRoll, control: stop.control)
        }
        // After the question, which reads the same keys.
        let listener = keys.map { keys in KeyListener { [stop] key in keys.act(on: key, stop.control) } }
        stop.aborts { listener?.end() }
        defer { listener?.end() }
        let recorder = try await Recorder(opening: permit, settings: settings)
        // A signal now ends the recording instead of cancelling the operation, so that the file is finished.
        stop.begin()
        let cause = IncompleteRecordingCause()
        let clip = try await recorder.record(
            into: targets.first, and: targets.others, control: stop.control
        ) { [reporter] event in
            // The recorder returns a clip even if an error cut it short, since the file is valid.
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
                // Options about files don't apply to a virtual camera among the outputs.
                let isFile = output.format != .v4l2
                targets.append(
                    try RecordingTarget(
                        output.destination, format: output.format, replacing: replacing,
                        segment: isFile ? files.segment?.duration : nil, keep: isFile ? files.keep : nil,
                        maxBytes: isFile ? files.maxSize?.bytes : nil, buffer: Int(files.buffer.bytes)))
            }
        } catch {
            // All or nothing: otherwise the empty files of earlier outputs would remain.
            for target in targets { target.discard() }
            throw error
        }
        first = targets[0]
        others = Array(targets.dropFirst())
    }

    /// Names of the files until they are finished; outputs to streams have none.
    var partial: [String] { ([first] + others).compactMap(\.partialName) }

    /// Removes the created files if the recording never began.
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

/// Effect of signals on a recording: one dismisses an open question, or ends the running recording; the next aborts a recording
/// that does not finish.
///
/// *thread-safe*
final class RecordingStop: Sendable {
    let control: RecordingControl
    private let state = Locked(State())

    /// Phase, and the time of the first signal.
    private struct State {
        var isRecording = false
        var cancel: (@Sendable () -> Void)?
        var first: ContinuousClock.Instant?
        var abort: (@Sendable () -> Void)?
    }

    /// Names of the unfinished files.
    private let partial: [String]

    /// Prepares for signals before the operation starts.
    ///
    /// - Parameter partial: paths; of several files, a pattern with `NNNN` in it.
    init(partial: [String]) throws(CaptureError) {
        self.partial = partial
        control = try RecordingControl()
    }

    /// Sets what ends the operation while it waits: for an answer, for its moment, or for a device to open.
    func cancels(_ cancel: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.cancel = cancel
            return state.first != nil
        }
        // The signal came before there was anything to cancel.
        if isLate { cancel() }
    }

    /// Marks the devices as open: from now on a signal ends the recording, and the file is finished.
    func begin() { state.withLock { $0.isRecording = true } }

    /// Sets an action to run before the process ends at once.
    func aborts(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.abort = action } }

    /// Acts on a signal; called on the main thread. SIGUSR1 begins a clip that waits in its pre-roll; SIGUSR2 pauses and resumes.
    func receive(_ number: Int32) {
        if number == Signals.user1 { return control.begin() }
        if number == Signals.user2 { return control.togglePause() }
        let action = state.withLock { Self.action(&$0, at: .now) }
        switch action {
        case .stop: control.stop()
        case .cancel(let cancel): cancel?()
        case .wait: break
        case .abort: abort()
        }
    }

    /// Decision about a signal; taken under the lock, carried out outside it.
    private enum Action {
        case stop
        case cancel((@Sendable () -> Void)?)
        case wait
        case abort
    }

    /// Time in which a second signal is taken for the first one's echo: one Ctrl-C may arrive twice, from the
    /// terminal and from a parent that forwards it. A person takes longer.
    private static let echo = Duration.milliseconds(300)

    /// Decision about a signal at a time.
    private static func action(_ state: inout State, at now: ContinuousClock.Instant) -> Action {
        guard let first = state.first else {
            state.first = now
            return state.isRecording ? .stop : .cancel(state.cancel)
        }
        return now - first < echo ? .wait : .abort
    }

    /// Ends the process at once, naming the files that remain. They are valid for `capturegate recover`.
    private func abort() -> Never {
        var rest = ""
        // One of several outputs may be finished already, so that its partial name no longer exists.
        let left = partial.filter { $0.contains("-NNNN") || $0.contains("%") || FileSystem.allows(.existence, to: $0) }
            .map(\.visible)
        if !left.isEmpty { rest = ". The recording is in \(left.joined(separator: " and "))" }
        StandardStream.error.note("capturegate: Stopped before the clip was finished\(rest).")
        state.withLock { $0.abort }?()
        // Without unwinding, since that is what hangs.
        Signals.endProcess(status: CaptureError(.inputOutput, "").exitCode)
    }
}
