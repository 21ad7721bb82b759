import ArgumentParser
import CaptureGate
import CaptureRecording

/// `capturegate meter`: shows levels and keeps no audio.
struct MeterCommand: AsyncParsableCommand, SignalHandlingCommand {
    static let configuration = CommandConfiguration(
        commandName: "meter",
        abstract: "Show the level of a microphone. Stores no audio.",
        discussion: """
            A terminal shows a bar per channel, with the peak of the last two seconds and a mark for clipping. Other outputs \
            get one line per second.

              capturegate meter
              capturegate meter Podcast --for 10s
              capturegate meter --json | jq 'select(.event=="level").channels[0].peak_dbfs'

            A permission of the level 'meter' is enough: 'capturegate grant microphone --level meter --always'.
            """
    ).parsedAlone

    @Argument(
        help: ArgumentHelp("Microphone: id, node or part of its name.", valueName: "microphone"),
        completion: DeviceCompletion.microphone(or: ["default"]))
    var microphone = "default"

    /// Without it the meter runs until Ctrl-C, which is a normal end with exit code 0.
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("Duration, such as 10s (default: until Ctrl-C).", valueName: "time"),
        transform: DurationArgument.parse)
    var time: DurationArgument?

    @Option(help: ArgumentHelp("Number of channels.", valueName: "count"), transform: ChannelsArgument.parse)
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

    /// Result of the operation. A signal or a closed pipe ends the meter, or dismisses the open question.
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
            return .failure(CaptureError(.dismissed, "Stopped before the first level was measured."))
        }
    }

    /// Form of the output: NDJSON, bars if the cursor can be moved, plain lines otherwise.
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

    /// Makes the operation; the purpose tells the person that no audio is stored.
    init(
        _ device: Device, settings: AudioSettings, duration: Duration?, reporter: EventReporter<MeterEvent>
    ) {
        authorization = AuthorizedFor(
            Capability.Microphone(
                .meter, device: .id(device.id), purpose: "Show the level, without keeping any audio"))
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
        // As a value, so that the readings are closed in both
        // cases, and the end is reported after the device is free.
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
            if let duration, reading.elapsed >= duration { return true }
        }
        return false
    }
}

/// Event of a meter.
enum MeterEvent: OngoingEvent {
    case started(Device, AudioFormat, differences: [FormatDifference])
    /// Levels since the previous reading, every 50 ms.
    case level(LevelReading)
    /// End of the meter.
    ///
    /// - Parameter isComplete: true if the requested time is over; false if somebody stopped it.
    case ended(isComplete: Bool)

    /// True for levels: a newer reading replaces one that was not shown yet.
    var isProgress: Bool { if case .level = self { true } else { false } }
}

/// Meter as bars of a terminal, one per channel, redrawn in place.
struct MeterBarView: EventView {
    private let stream = StandardStream.output
    private let style = TextStyle(for: .output)
    /// Peak holds, one per channel.
    private var holds: [PeakHold] = []

    /// Shows one event. Failures are thrown: showing is all that a meter does.
    mutating func show(_ event: MeterEvent) throws(StreamFailure) {
        switch event {
        case .started(let device, let format, let differences):
            try stream.line("\(MeterText.title(device, format).fitting(stream.columns))")
            for difference in differences { try stream.line("Note: \(difference.description.visible)") }
            holds = Array(repeating: PeakHold(), count: format.channels)
        case .level(let reading): try draw(reading)
        case .ended: break
        }
    }

    /// Draws all bars and the scale over those before.
    private mutating func draw(_ reading: LevelReading) throws(StreamFailure) {
        // The first time there are no lines to move up over.
        let isFirst = holds.allSatisfy(\.isNew)
        var text = isFirst ? "" : "\u{1B}[\(holds.count + 1)A"
        // A reading never has more channels than its format, but an index out of range would trap.
        for (channel, level) in reading.channels.enumerated() where channel < holds.count {
            holds[channel].update(level.peakDBFS, isClipped: level.isClipped, at: reading.elapsed.exactNanoseconds)
            text += "\r\u{1B}[K" + row(channel, level) + "\n"
        }
        text += "\r\u{1B}[K" + scale(reading) + "\n"
        try stream.write(text)
    }

    /// Columns of a bar: what the channel's number, the peak and the clip mark leave; at most 100, beyond
    /// which a cell is less than 0.6 dB.
    private var width: Int { max(0, min(stream.columns - 32, 100)) }

    /// Row of a channel. Where no bar fits, the figures alone are shown.
    private func row(_ channel: Int, _ level: AudioLevel) -> String {
        let hold = holds[channel]
        let number = String(channel + 1).aligned(to: 3)
        let peak = "\(NumberText.fixed(hold.peakDBFS, 1).aligned(to: 6)) dBFS"
        return "\(number) \(bar(level, hold))\(peak)\(hold.isClipped ? style.red(" CLIPPED") : "")"
            .fitting(width == 0 ? stream.columns : .max)
    }

    /// Bar in three colours: yellow from the alignment level of -18 dBFS on (EBU R 68), red for the last 6
    /// dB.
    private func bar(_ level: AudioLevel, _ hold: PeakHold) -> String {
        guard width > 0 else { return "" }
        let cells = MeterScale(width: width)
        let (yellow, red) = (cells.position(-18), cells.position(-6))
        let text = LevelBar(scale: cells).text(level.peakDBFS, hold: hold)
        let parts = [
            style.green(String(text.prefix(yellow))), style.yellow(String(text.prefix(red).dropFirst(yellow))),
            style.red(String(text.dropFirst(red))),
        ]
        return "[\(parts.joined())] "
    }

    /// Row below the bars: figures, time, losses.
    private func scale(_ reading: LevelReading) -> String {
        let lost = reading.lost > 0 ? "  lost \(reading.lost)" : ""
        let foot = "\(NumberText.time(reading.elapsed))\(lost)  Ctrl-C stops."
        // In a narrower bar the scale's figures would touch.
        guard width >= 40 else { return foot.fitting(stream.columns) }
        return "     \(MeterScale(width: width).figures)  \(style.faint(foot))"
    }
}

/// Meter as lines of text, one a second, for a pipe or a file.
struct MeterPlainView: EventView {
    /// Highest levels since the last line, per channel; a peak between two lines must not be lost.
    private var loudest: [AudioLevel] = []
    /// Time of the next line, nanoseconds.
    private var next: Int64 = 1_000_000_000

    /// Writes one event.
    mutating func show(_ event: MeterEvent) throws(StreamFailure) {
        switch event {
        case .started(let device, let format, let differences):
            try StandardStream.output.line(MeterText.title(device, format))
            for difference in differences { try StandardStream.output.line("Note: \(difference.description.visible)") }
        case .level(let reading): try add(reading)
        case .ended: break
        }
    }

    /// Adds a reading, and writes a line once a second is over.
    private mutating func add(_ reading: LevelReading) throws(StreamFailure) {
        loudest = loudest.isEmpty ? reading.channels : zip(loudest, reading.channels).map { $0.louder($1) }
        guard reading.elapsed.exactNanoseconds >= next else { return }
        next = (reading.elapsed.exactNanoseconds / 1_000_000_000 + 1) * 1_000_000_000
        let levels = loudest.map { MeterText.level($0) }.joined(separator: "  ")
        let lost = reading.lost > 0 ? "  lost \(reading.lost)" : ""
        try StandardStream.output.line("\(NumberText.time(reading.elapsed))  \(levels)\(lost)")
        loudest = []
    }
}

extension AudioLevel {
    /// Higher values of both. The RMS values are not averaged: the loudest moment counts, as for the peak.
    fileprivate func louder(_ other: AudioLevel) -> AudioLevel {
        AudioLevel(
            peakDBFS: max(peakDBFS, other.peakDBFS), rmsDBFS: max(rmsDBFS, other.rmsDBFS),
            isClipped: isClipped || other.isClipped)
    }
}

/// Meter as NDJSON: one event per line.
///
/// Every reading is written, not one a second: a program that draws a meter needs the full rate.
struct MeterNDJSONView: EventView {
    /// Writes one event.
    mutating func show(_ event: MeterEvent) throws(StreamFailure) {
        switch event {
        case .started(let device, let format, let differences):
            try tell([
                "event": "start", "device": .string(device.id.rawValue), "name": .string(device.name),
                "sample_rate": .count(format.sampleRate), "channels": .count(format.channels),
                "sample_format": .string(format.sampleFormat.rawValue),
                "differences": .strings(differences.map(\.description)),
            ])
        case .level(let reading):
            try tell([
                "event": "level", "elapsed_ns": .nanoseconds(reading.elapsed), "lost": .count(reading.lost),
                "channels": .array(reading.channels.map(\.json)),
            ])
        case .ended(let isComplete): try tell(["event": "end", "reason": isComplete ? "complete" : "interrupt"])
        }
    }

    private func tell(_ event: JSONValue) throws(StreamFailure) { try StandardStream.output.line(event.text) }
}

extension AudioLevel {
    /// Level of a channel; the members have the names of a recording's progress.
    fileprivate var json: JSONValue {
        ["peak_dbfs": .rounded(peakDBFS, 2), "rms_dbfs": .rounded(rmsDBFS, 2), "clipped": .bool(isClipped)]
    }
}

/// Words of a meter that its text views share.
enum MeterText {
    /// First line: the microphone and its format.
    static func title(_ device: Device, _ format: AudioFormat) -> String {
        let channels = NumberText.counted(format.channels, "channel")
        return "\(device.name.visible): \(format.sampleRate) Hz, \(channels), \(format.sampleFormat.rawValue)"
    }

    /// Peak of a channel, padded so that the columns of a log line up.
    static func level(_ level: AudioLevel) -> String {
        "\(NumberText.fixed(level.peakDBFS, 1).aligned(to: 6)) dBFS\(level.isClipped ? " CLIPPED" : "")"
    }
}
