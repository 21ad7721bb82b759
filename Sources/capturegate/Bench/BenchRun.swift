import CaptureEncoding
import CaptureGate

/// One run of the benchmark, part by part.
struct BenchRun {
    let parts: [BenchPart]
    let subjects: [BenchmarkSubject]
    /// Of the whole part: encoders, or rings; of each device.
    let duration: Duration?
    let devices: [Device]
    let capture: CaptureBenchmark
    let progress: BenchProgress

    func run() async throws(CaptureError) -> BenchReport {
        var report = BenchReport()
        defer { progress.clear() }
        if parts.contains(.encoders) { report.encoders = try encoders() }
        if parts.contains(.rings) { report.rings = try rings() }
        if parts.contains(.capture) { report.captures = try await captures() }
        return report
    }

    private func encoders() throws(CaptureError) -> [EncoderMeasurement] {
        // Beside the time for each come its frames, the warm-up, and the count of allocations.
        let each = (duration ?? .seconds(16)) / max(subjects.count, 1)
        let benchmark = EncoderBenchmark(duration: each)
        var measurements: [EncoderMeasurement] = []
        for (index, subject) in subjects.enumerated() {
            progress.show("\(subject.name) (\(index + 1) of \(subjects.count))")
            measurements.append(try benchmark.measure(subject))
        }
        return measurements
    }

    private func rings() throws(CaptureError) -> [RingMeasurement] {
        let each = (duration ?? .seconds(2)) / RingBenchmark.usual.count
        var measurements: [RingMeasurement] = []
        for ring in RingBenchmark.usual {
            progress.show("rings")
            measurements.append(try ring.measure(for: each))
        }
        return measurements
    }

    private func captures() async throws(CaptureError) -> [CaptureMeasurement] {
        var measurements: [CaptureMeasurement] = []
        for device in devices {
            progress.show(device.name.visible)
            measurements.append(try await Self.result(of: CaptureBenchOperation(device, capture)))
        }
        return measurements
    }

    /// A signal ends the measurement sooner, or dismisses the question that is open.
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

/// The operation: it captures as a recording would, and keeps nothing.
struct CaptureBenchOperation: CaptureOperation {
    let authorization: AuthorizedFor<Capability.All>
    let benchmark: CaptureBenchmark

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

/// Tells a person at a terminal what is being measured.
struct BenchProgress {
    /// A line that is drawn over again; nothing where there is no terminal to draw on.
    let isShown: Bool

    func show(_ text: String) {
        guard isShown else { return }
        try? StandardStream.error.write("\r\u{1B}[Kmeasuring \(text)".fitting(StandardStream.error.columns + 3))
    }

    func clear() {
        if isShown { try? StandardStream.error.write("\r\u{1B}[K") }
    }
}
