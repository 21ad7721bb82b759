import CaptureGate

/// Findings of a check, before limits are put to them.
///
/// *thread-safe*
package struct CheckFindings: Sendable {
    package var measures: [Measure] = []
    package var series: [Series] = []
    /// One sentence that the numbers do not say.
    package var message: String?

    /// The measures of a check, in its order and with limits; one that was not measured has no value.
    func measures(of check: CheckDefinition, limits: [String: Limit]) -> [Measure] {
        check.measures.map { wanted in
            let found = measures.first { $0.name == wanted.name }
            return Measure(
                wanted.name, found?.value, wanted.unit, wanted.direction, limit: limits[wanted.name])
        }
    }
}

/// Checks that are judged by one capture.
///
/// *thread-safe*
struct StreamCheck: Sendable {
    /// Checks whose measures all come from one capture without a look at its content.
    static let names: Set<String> = [
        "camera.rate", "camera.constant_rate", "camera.jitter", "camera.local_drops", "camera.loss",
        "camera.timestamps",
        "sound.rate", "sound.duration", "sound.xruns", "sound.steps",
    ]

    let capture: StreamCapture

    /// - Throws: `.usage` for a parameter that the device's kind does not have.
    init(_ planned: PlannedCheck) throws(CaptureError) {
        var capture = StreamCapture(for: .seconds(3))
        for (name, value) in planned.parameters { try Self.set(name, value, of: &capture) }
        self.capture = capture
    }

    private static func set(_ name: String, _ value: PlanValue, of capture: inout StreamCapture) throws(CaptureError) {
        switch (name, value) {
        case ("for", .duration(let time)): capture.duration = time
        case ("size", .size(let width, let height)): (capture.video.width, capture.video.height) = (width, height)
        case ("rate", .rate(let numerator, let denominator)):
            capture.video.frameRate = FrameRate(numerator, denominator)
        case ("rate", .count(let rate)): capture.audio.sampleRate = rate
        case ("channels", .count(let channels)): capture.audio.channels = channels
        case ("format", .word(let word)): try setFormat(word, of: &capture)
        default: throw CaptureError(.usage, "A capture has no parameter \(name) of this kind.")
        }
    }

    /// A name that is both means each: only the settings of the device's kind are used.
    private static func setFormat(_ word: String, of capture: inout StreamCapture) throws(CaptureError) {
        capture.video.pixelFormat = PixelFormat(word)
        capture.audio.sampleFormat = SampleFormat(rawValue: word)
        if capture.video.pixelFormat == nil, capture.audio.sampleFormat == nil {
            throw CaptureError(.usage, "\(word) is no format, neither of pictures nor of sound.")
        }
    }

    /// Captures and measures.
    ///
    /// - Throws: the error that kept the device from being captured, or ended it.
    func findings(with permit: consuming DevicePermit) async throws(CaptureError) -> CheckFindings {
        let record = try await capture.record(with: permit)
        if let failure = record.failure { throw failure }
        if Task.isCancelled { throw CaptureError(.cancelled, "The plan was interrupted.") }
        // Otherwise the numbers would be about a mode that nobody asked for.
        if !record.differences.isEmpty {
            throw CaptureError(.notAsAsked, record.differences.map(\.description).joined(separator: "; ") + ".")
        }
        return Self.findings(of: record, for: capture.duration)
    }

    private static func findings(of record: StreamRecord, for duration: Duration) -> CheckFindings {
        var findings = CheckFindings()
        switch record.media {
        case .video(let format):
            let rate = (format.frameRate.numerator, format.frameRate.denominator)
            let timing = FrameTiming(record.frames, rate: rate, arrivals: record.arrivals)
            (findings.measures, findings.series) = (timing.measures, timing.series)
        case .audio(let format):
            let timing = SoundTiming(
                record.periods, rate: (format.sampleRate, 1), asked: duration.nanoseconds,
                xruns: record.statistics?.xruns)
            (findings.measures, findings.series) = (timing.measures, timing.series)
        }
        // Headers have repaired timestamps: only the counter knows what the driver's own were.
        let repaired = record.statistics.map { Double($0.repairedTimestamps) }
        findings.measures.append(Measure("timestamps_repaired", repaired, "frames", .lower))
        return findings
    }
}
