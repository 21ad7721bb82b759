import ArgumentParser
import CaptureGate
import CaptureRecording
import CaptureRig

/// `capturegate bench`: measures what this machine can record.
///
/// Encoders are measured in processor time, which other programs disturb little; captures show what the
/// device and the scheduler make of it.
struct BenchCommand: AsyncParsableCommand, SignalHandlingCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure what this machine can record.",
        discussion: """
            Measures encoders and rings, and each device that you name. A speed of 1x is just enough for real time. From 1.5x \
            on, there is room for other work.

              capturegate bench
              capturegate bench encoders --only 1920x1080 --for 5s
              capturegate bench capture --camera C920 --for 10s
              capturegate bench --json > before.json
              capturegate bench --compare before.json

            Encoders work on one processor, with frames and audio from memory. The default parts take less than 30 s. The part \
            capture opens a device, so it needs permission. It stores nothing.
            """
    ).parsedAlone

    /// `nil` for encoders, rings, and the devices that are named.
    @Argument(help: ArgumentHelp("Part to measure.", valueName: "part"))
    var part: BenchPart?

    /// No default device: opening one needs permission, which must not be asked for unexpectedly.
    @Option(
        help: ArgumentHelp("Camera: id, node, part of its name, or default.", valueName: "id"),
        completion: DeviceCompletion.camera(or: ["default"]))
    var camera: String?

    @Option(
        help: ArgumentHelp("Microphone: id, node, part of its name, or default.", valueName: "id"),
        completion: DeviceCompletion.microphone(or: ["default"]))
    var microphone: String?

    @Option(
        help: ArgumentHelp("Frame size of the camera, such as 1280x720.", valueName: "size"),
        transform: SizeArgument.parse)
    var size: SizeArgument?

    @Option(
        help: ArgumentHelp("Frame rate of the camera, such as 30 or 30000/1001.", valueName: "rate"),
        transform: FrameRate.parse)
    var fps: FrameRate?

    @Option(
        help: ArgumentHelp("Format of the camera, such as YUYV or MJPG.", valueName: "code"),
        transform: PixelFormat.parse)
    var pixelFormat: PixelFormat?

    @Option(help: ArgumentHelp("Measure only encoders whose name contains this text.", valueName: "text"))
    var only: String?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("Duration (default encoders 16s, rings 2s, devices 5s).", valueName: "time"),
        transform: DurationArgument.parse)
    var time: DurationArgument?

    /// Document of an earlier run, as `--json` wrote it.
    @Option(help: ArgumentHelp("Compare with an earlier output of --json.", valueName: "file"), completion: .file())
    var compare: String?

    @OptionGroup var json: JSONOption

    /// Refuses options that the chosen part would ignore.
    func validate() throws {
        let isCapture = part == nil || part == .capture
        if !isCapture, camera ?? microphone != nil { throw ValidationError("Only 'bench capture' takes a device.") }
        if part == .capture, camera ?? microphone == nil {
            throw ValidationError("Add --camera ID or --microphone ID, such as --camera default.")
        }
        let isPicture = size != nil || fps != nil || pixelFormat != nil
        if isPicture, camera == nil { throw ValidationError("--size, --fps and --pixel-format need a --camera.") }
        if only != nil, part == .rings || part == .capture { throw ValidationError("--only is for encoders.") }
    }

    /// Runs the benchmark and writes the report.
    func run() async throws {
        // Read first: a wrong file must not cost half a minute.
        let baseline = try compare.map { path throws(CaptureError) in try BenchBaseline(readingFrom: path) }
        let run = try self.prepared()
        // Without a device there is nothing to close, so a signal may end the program at once.
        if run.devices.isEmpty { SignalDispatcher.current?.useDefaultActions() }
        var report = try await run.run()
        report.baseline = baseline
        if json.isOn {
            try StandardStream.output.line(report.json.text)
        } else {
            try StandardStream.output.lines(report.lines(TextStyle(for: .output)))
        }
    }

    /// Run that the options describe.
    private func prepared() throws(CaptureError) -> BenchRun {
        var capture = CaptureBenchmark(for: time?.duration ?? .seconds(5))
        capture.video = VideoSettings(
            width: size?.width, height: size?.height, pixelFormat: pixelFormat, frameRate: fps)
        let devices = try self.devices()
        let parts = part.map { [$0] } ?? [.encoders, .rings] + (devices.isEmpty ? [] : [.capture])
        return BenchRun(
            parts: parts, subjects: try subjects(), duration: time?.duration, devices: devices, capture: capture,
            progress: BenchProgress(isShown: !json.isOn && StandardStream.error.canMoveCursor))
    }

    /// Encoders to measure.
    ///
    /// - Throws: `.usage` if `--only` matches none.
    private func subjects() throws(CaptureError) -> [BenchmarkSubject] {
        guard let only else { return BenchmarkSubject.usual }
        let subjects = BenchmarkSubject.usual.filter { $0.name.lowercased().contains(only.lowercased()) }
        guard !subjects.isEmpty else {
            let names = BenchmarkSubject.usual.map(\.name).joined(separator: "; ")
            throw CaptureError(
                .usage, "No encoder's name contains \"\(only)\".", remedies: [Remedy("Choose one of: \(names).")])
        }
        return subjects
    }

    /// Devices to capture from. Opens none.
    ///
    /// - Throws: `.noDevice`.
    private func devices() throws(CaptureError) -> [Device] {
        guard camera ?? microphone != nil else { return [] }
        let listing = DeviceCatalog.scan(.identity)
        var devices: [Device] = []
        if let camera { devices.append(try DeviceQuery(camera).pick(from: listing, .camera)) }
        if let microphone { devices.append(try DeviceQuery(microphone).pick(from: listing, .microphone)) }
        return devices
    }
}

/// Part of the benchmark; raw values are the command line's words.
enum BenchPart: String, ExpressibleByArgument, CaseIterable {
    case encoders, rings, capture
}

/// Run of the benchmark, part by part, never two at once: they would measure each other.
struct BenchRun {
    let parts: [BenchPart]
    let subjects: [BenchmarkSubject]
    /// Time for all encoders, for all rings, or for each device; `nil` for each part's own default.
    let duration: Duration?
    let devices: [Device]
    let capture: CaptureBenchmark
    let progress: BenchProgress

    /// Measures the parts in a fixed order and erases the progress line at the end.
    func run() async throws(CaptureError) -> BenchReport {
        var report = BenchReport()
        defer { progress.clear() }
        if parts.contains(.encoders) { report.encoders = try encoders() }
        if parts.contains(.rings) { report.rings = try rings() }
        if parts.contains(.capture) { report.captures = try await captures() }
        return report
    }

    /// Encoders one after another, each with an equal share of the time.
    private func encoders() throws(CaptureError) -> [EncoderMeasurement] {
        // Its frames, the warm-up and the count of allocations come on top.
        let each = (duration ?? .seconds(16)) / max(subjects.count, 1)
        let benchmark = EncoderBenchmark(duration: each)
        var measurements: [EncoderMeasurement] = []
        for (index, subject) in subjects.enumerated() {
            progress.show("\(subject.name) (\(index + 1) of \(subjects.count))")
            measurements.append(try benchmark.measure(subject))
        }
        return measurements
    }

    /// Rings one after another.
    private func rings() throws(CaptureError) -> [RingMeasurement] {
        let each = (duration ?? .seconds(2)) / RingBenchmark.usual.count
        var measurements: [RingMeasurement] = []
        for ring in RingBenchmark.usual {
            progress.show("rings")
            measurements.append(try ring.measure(for: each))
        }
        return measurements
    }

    /// Devices one after another: together they would share the processor that each one's share is about.
    private func captures() async throws(CaptureError) -> [CaptureMeasurement] {
        var measurements: [CaptureMeasurement] = []
        for device in devices {
            progress.show(device.name.visible)
            let operation = DeviceOperation(
                device, purpose: "Measure it for \(NumberText.time(capture.duration)), without keeping anything"
            ) { [capture] (permit: consuming DevicePermit) async throws(CaptureError) in
                try await capture.measure(with: permit)
            }
            measurements.append(try await Self.result(of: operation))
        }
        return measurements
    }

    /// Result of one capture; a signal ends it early, or dismisses the open question.
    private static func result(
        of operation: DeviceOperation<CaptureMeasurement>
    ) async throws(CaptureError) -> CaptureMeasurement {
        let handle = GateQueue().add(operation)
        let signals = SignalSubscription { _ in handle.cancel() }
        defer { withExtendedLifetime(signals) {} }
        switch await handle.result {
        case .success(let measurement): return measurement
        case .failure(.refused(let error)), .failure(.failed(let error)): throw error
        case .failure(.cancelled):
            throw CaptureError(.dismissed, "Stopped before anything was measured.")
        }
    }
}

/// Progress of a benchmark, for a person at a terminal.
struct BenchProgress {
    /// True if there is a terminal that can redraw a line, and no JSON is asked for.
    let isShown: Bool

    /// Shows what is being measured, replacing the previous text.
    func show(_ text: String) {
        guard isShown else { return }
        // Cut to the terminal's columns: a line that wraps would not be erased. The escape sequence counts as four columns but
        // takes none, so three are added, which keeps the last column free.
        try? StandardStream.error.write("\r\u{1B}[Kmeasuring \(text)".fitting(StandardStream.error.columns + 3))
    }

    /// Erases the line before the report.
    func clear() {
        if isShown { try? StandardStream.error.write("\r\u{1B}[K") }
    }
}
