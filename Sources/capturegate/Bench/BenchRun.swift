import CaptureGate
import CaptureRecording
import CaptureRig

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
            measurements.append(try await Self.result(of: CaptureBenchOperation(device, capture)))
        }
        return measurements
    }

    /// Result of one capture; a signal ends it early, or dismisses the open question.
    private static func result(of operation: CaptureBenchOperation) async throws(CaptureError) -> CaptureMeasurement {
        let handle = GateQueue().add(operation)
        let signals = SignalSubscription { _ in handle.cancel() }
        defer { withExtendedLifetime(signals) {} }
        switch await handle.result {
        case .success(let measurement): return measurement
        case .failure(.refused(let error)), .failure(.failed(let error)): throw error
        case .failure(.cancelled):
            throw CaptureError(.dismissed, "It was stopped before anything was measured.")
        }
    }
}

/// Operation of a measurement: it captures as a recording would, and keeps nothing.
struct CaptureBenchOperation: CaptureOperation {
    let authorization: AuthorizedFor<Capability.All>
    let benchmark: CaptureBenchmark

    /// Makes the operation at a recording's level, since it is a recording's cost that is measured; the
    /// purpose says that nothing is kept.
    init(_ device: Device, _ benchmark: CaptureBenchmark) {
        let time = NumberText.time(nanoseconds: benchmark.duration.nanoseconds)
        authorization = AuthorizedFor(
            Capability.All([
                DeviceRequest(
                    capability: device.capability, level: device.capability == .camera ? .video : .record,
                    device: .id(device.id), purpose: "Measure it for \(time); nothing is kept")
            ]))
        self.benchmark = benchmark
    }

    /// Measures with the only device of the permit.
    func execute(
        with permit: consuming Permit, in context: OperationContext
    ) async throws(CaptureError) -> CaptureMeasurement {
        var permit = permit
        guard let id = permit.devices.first?.device.id, let part = permit.take(id) else {
            throw CaptureError(.notAuthorized, "The permit is empty.")
        }
        return try await benchmark.measure(with: part)
    }
}

/// Progress of a benchmark, for a person at a terminal.
struct BenchProgress {
    /// True where there is a terminal that can redraw a line, and no JSON is asked for.
    let isShown: Bool

    /// Shows what is being measured, in place of what was before.
    func show(_ text: String) {
        guard isShown else { return }
        // Cut to the terminal's columns: a line that wraps would not be erased. The sequence takes none but
        // counts as four; three are added back, so that the last column stays free.
        try? StandardStream.error.write("\r\u{1B}[Kmeasuring \(text)".fitting(StandardStream.error.columns + 3))
    }

    /// Erases the line before the report.
    func clear() {
        if isShown { try? StandardStream.error.write("\r\u{1B}[K") }
    }
}
