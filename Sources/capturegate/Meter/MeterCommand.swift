import ArgumentParser
import CaptureEncoding
import CaptureGate

/// `capturegate meter`
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

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long, such as 10s; until Ctrl-C where not said.", valueName: "time"),
        transform: DurationArgument.parse)
    var time: DurationArgument?

    @Option(help: ArgumentHelp("How many channels.", valueName: "count"), transform: ChannelsArgument.parse)
    var channels: ChannelsArgument?

    @OptionGroup var json: JSONOption

    func run() async throws {
        let device = try DeviceQuery(microphone).pick(from: DeviceCatalog.scan(.identity, of: .microphone), .microphone)
        let reporter = EventReporter(view: view)
        let settings = AudioSettings(channels: channels?.count)
        let operation = MeterOperation(device, settings: settings, duration: time?.duration, reporter: reporter)
        let result = await Self.result(of: operation, reporter)
        await reporter.finish()
        // Not the cancellation that comes of it.
        if case .failure(let error) = result, error.kind != .dismissed || reporter.failure == nil { throw error }
        if let failure = reporter.failure { throw failure }
    }

    /// A signal ends the meter, or dismisses the question that is open; and so does a reader that has gone.
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

    private var view: any EventView<MeterEvent> {
        if json.isOn { return MeterNDJSONView() }
        return StandardStream.output.isTerminal && StandardStream.output.canMoveCursor
            ? MeterBarView() : MeterPlainView()
    }
}

/// The operation: asks for the level `meter`, which lends it no sound to keep.
struct MeterOperation: CaptureOperation {
    let authorization: AuthorizedFor<Capability.Microphone>
    let settings: AudioSettings
    /// How much sound; `nil` until it is stopped.
    let duration: Duration?
    let reporter: EventReporter<MeterEvent>

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

    func execute(with permit: consuming Permit, in context: OperationContext) async throws(CaptureError) {
        var permit = permit
        guard let id = permit.devices.first?.device.id, let part = permit.take(id) else {
            throw CaptureError(.notAuthorized, "The permit is empty.")
        }
        let session = try await LevelSession(opening: part, settings: settings)
        reporter.handle(.started(session.device, session.format, differences: session.differences))
        let readings = session.levels()
        let result: Result<Bool, CaptureError>
        do throws(CaptureError) {
            result = .success(try await isComplete(readings))
        } catch {
            result = .failure(error)
        }
        await readings.close()
        reporter.handle(.ended(isComplete: try result.get()))
    }

    /// - Returns: false where it was stopped before the time was over.
    private func isComplete(_ readings: LevelReadings) async throws(CaptureError) -> Bool {
        for try await reading in readings {
            reporter.handle(.level(reading))
            if let duration, .nanoseconds(reading.elapsedNanoseconds) >= duration { return true }
        }
        return false
    }
}

/// What a meter tells.
enum MeterEvent: OngoingEvent {
    case started(Device, AudioFormat, differences: [String])
    case level(LevelReading)
    /// - Parameter isComplete: the time that was asked for is over; otherwise somebody stopped it.
    case ended(isComplete: Bool)

    var isProgress: Bool { if case .level = self { true } else { false } }
}
