import CaptureGate
import CaptureRecording

/// Findings of a check, before limits are put to them.
///
/// *thread-safe*
package struct CheckFindings: Sendable {
    package var measures: [Measure] = []
    package var series: [Series] = []
    package var evidence: [Evidence] = []
    /// One sentence that the numbers do not say.
    package var message: String?
    /// Names of measures that this device can't have, which the result then omits.
    package var absent: Set<String> = []
    /// True if the device has not what the check is about, which the message says: nothing was measured then.
    package var isSkipped = false

    package init(
        _ measures: [Measure] = [], series: [Series] = [], evidence: [Evidence] = [], message: String? = nil
    ) {
        self.measures = measures
        self.series = series
        self.evidence = evidence
        self.message = message
    }

    /// Findings about a device that has not what the check is about.
    ///
    /// - Parameter reason: one sentence.
    package static func skipped(_ reason: String) -> CheckFindings {
        var findings = CheckFindings(message: reason)
        findings.isSkipped = true
        return findings
    }

    /// The measures of a check, in its order and with limits; one that was not measured has no value.
    func measures(of check: CheckDefinition, limits: [String: Limit]) -> [Measure] {
        check.measures.filter { !absent.contains($0.name) }.map { wanted in
            let found = measures.first { $0.name == wanted.name }
            return Measure(
                wanted.name, found?.value, wanted.unit, wanted.direction, limit: limits[wanted.name])
        }
    }
}

extension CheckMakers {
    /// Checks whose measures all come from one capture without reading its content.
    static let stream: [String: Maker] = Dictionary(
        uniqueKeysWithValues: [
            "camera.rate", "camera.constant_rate", "camera.jitter", "camera.local_drops", "camera.loss",
            "camera.timestamps", "sound.rate", "sound.duration", "sound.xruns", "sound.steps",
        ].map { ($0, timing) })

    private static func timing(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        let capture = try context.capture()
        let record = try await context.streams.record(capture, from: context.device())
        try record.check()
        return CheckFindings(timing: record, for: capture.duration)
    }
}

extension CheckFindings {
    /// All measures of timing that a capture has.
    init(timing record: StreamRecord, for duration: Duration) {
        switch record.media {
        case .video(let format):
            let rate = (format.frameRate.numerator, format.frameRate.denominator)
            let timing = FrameTiming(record.frames, rate: rate, arrivals: record.arrivals)
            self.init(timing.measures, series: timing.series)
        case .audio(let format):
            let timing = SoundTiming(
                record.periods, rate: (format.sampleRate, 1), asked: duration.nanoseconds, xruns: record.xruns)
            self.init(timing.measures, series: timing.series)
        }
        // Headers have repaired timestamps: only the counter knows what the driver's own were.
        let repaired = record.repairedTimestamps.map { Double($0) }
        measures.append(Measure("timestamps_repaired", repaired, "frames", .lower))
    }
}
