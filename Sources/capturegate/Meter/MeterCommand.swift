import ArgumentParser
import CaptureGate
import CaptureRecording

/// `capturegate meter`: shows levels and keeps no audio.
struct MeterCommand: AsyncParsableCommand, SignalHandlingCommand {
    static let configuration = CommandConfiguration(
        commandName: "meter",
        abstract: "Show how loud a microphone is, and keep no sound.",
        discussion: """
            A bar a channel on a terminal, with the peak of the last two seconds and a mark where it clipped; a line a \
            second elsewhere. The level 'meter' is enough: allow it with 'capturegate grant microphone --level \
            meter --always'.

              capturegate meter
              capturegate meter Podcast --for 10s
              capturegate meter --json | jq 'select(.event=="level").channels[0].peak_dbfs'
            """)

    @Argument(
        help: ArgumentHelp("An id, a part of a name, or default.", valueName: "microphone"),
        completion: DeviceCompletion.microphone(or: ["default"]))
    var microphone = "default"

    /// Without it the meter runs until Ctrl-C, which is a normal end with exit code 0.
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long, such as 10s; until Ctrl-C where not said.", valueName: "time"),
        transform: DurationArgument.parse)
    var time: DurationArgument?

    @Option(help: ArgumentHelp("How many channels.", valueName: "count"), transform: ChannelsArgument.parse)
    var channels: ChannelsArgument?

    @OptionGroup var json: JSONOption

    /// Runs the meter, waits until everything is shown, then reports what went wrong first.
    func run() async throws {
        let device = try DeviceQuery(microphone).pick(from: DeviceCatalog.scan(.identity, of: .microphone), .microphone)
        let reporter = EventReporter(view: view)
        let settings = AudioSettings(channels: channels?.count)
        let operation = MeterOperation(device, settings: settings, duration: time?.duration, reporter: reporter)
        let result = await Self.result(of: operation, reporter)
        await reporter.finish()
        // A view that fails cancels the operation; then its failure is the cause, and the cancellation only
        // follows from it.
        if case .failure(let error) = result, error.kind != .dismissed || reporter.failure == nil { throw error }
        if let failure = reporter.failure { throw failure }
    }

    /// Result of the operation. A signal, and a reader that has gone, end the meter or dismiss the open
    /// question.
    private static func result(
        of operation: MeterOperation, _ reporter: EventReporter<MeterEvent>
    ) async -> Result<Void, CaptureError> {
        let handle = GateQueue().add(operation)
        reporter.whenFailed { handle.cancel() }
        let signals = SignalSubscription { _ in handle.cancel() }
        defer { withExtendedLifetime(signals) {} }
        switch await handle.result {
        case .success: return .success(())
        case .failure(.refused(let error)), .failure(.failed(let error)): return .failure(error)
        case .failure(.cancelled):
            return .failure(CaptureError(.dismissed, "It was stopped before anything was heard."))
        }
    }

    /// Form of the output: NDJSON, bars where the cursor can be moved, plain lines elsewhere.
    private var view: any EventView<MeterEvent> {
        if json.isOn { return MeterNDJSONView() }
        return StandardStream.output.isTerminal && StandardStream.output.canMoveCursor
            ? MeterBarView() : MeterPlainView()
    }
}

/// Operation of a meter: it asks for the level `meter`, at which the library hands out levels and no audio.
struct MeterOperation: CaptureOperation {
    let authorization: AuthorizedFor<Capability.Microphone>
    let settings: AudioSettings
    /// Time to measure, of audio and not of the clock; `nil` until it is stopped.
    let duration: Duration?
    let reporter: EventReporter<MeterEvent>

    /// Makes the operation; the purpose tells the person that no audio is kept.
    init(
        _ device: Device, settings: AudioSettings, duration: Duration?, reporter: EventReporter<MeterEvent>
    ) {
        authorization = AuthorizedFor(
            Capability.Microphone(
                .meter, device: .id(device.id), purpose: "Show how loud it is; no sound is kept"))
        self.settings = settings
        self.duration = duration
        self.reporter = reporter
    }

    /// Opens the microphone and reports its levels until something ends it.
    func execute(with permit: consuming Permit, in context: OperationContext) async throws(CaptureError) {
        var permit = permit
        guard let id = permit.devices.first?.device.id, let part = permit.take(id) else {
            throw CaptureError(.notAuthorized, "The permit is empty.")
        }
        let session = try await LevelSession(opening: part, settings: settings)
        reporter.handle(.started(session.device, session.format, differences: session.differences))
        let readings = session.levels()
        // As a value, so that the readings are closed on both ways, and the end is told after the device is
        // free.
        let result: Result<Bool, CaptureError>
        do throws(CaptureError) {
            result = .success(try await isComplete(readings))
        } catch {
            result = .failure(error)
        }
        await readings.close()
        reporter.handle(.ended(isComplete: try result.get()))
    }

    /// Reports readings.
    ///
    /// - Returns: false if it was stopped before the time was over.
    private func isComplete(_ readings: LevelReadings) async throws(CaptureError) -> Bool {
        for try await reading in readings {
            reporter.handle(.level(reading))
            if let duration, .nanoseconds(reading.elapsedNanoseconds) >= duration { return true }
        }
        return false
    }
}

/// Event of a meter.
enum MeterEvent: OngoingEvent {
    case started(Device, AudioFormat, differences: [String])
    /// Levels since the reading before, every 50 ms.
    case level(LevelReading)
    /// End of the meter.
    ///
    /// - Parameter isComplete: true if the time that was asked for is over; false if somebody stopped it.
    case ended(isComplete: Bool)

    /// True for levels: a newer reading replaces one that was not shown yet.
    var isProgress: Bool { if case .level = self { true } else { false } }
}
