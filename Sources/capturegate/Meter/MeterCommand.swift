import ArgumentParser
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
