import CaptureGate
import CaptureRecording

extension Rig {
    /// Captures from a device, and measures by the device's own clock and the loss ledger, never by arrival times.
    ///
    /// The capture is not stored. Cancelling the task ends it sooner.
    ///
    /// - Parameters:
    ///   - device: a camera or a microphone of this bench.
    ///   - duration: time from the first frame on, above zero and at most an hour, without the device's start.
    ///   - video: format of a camera; the device chooses missing settings.
    ///   - audio: format of a microphone.
    /// - Throws: `.notAuthorized` without a grant, asking nobody; `.notAsAsked` for a device that uses other settings;
    ///   `.deviceGone` or another error for one that ends early; `.stalled` for one that stops to deliver; `.cancelled` for a
    ///   cancelled task; `.usage` for another duration. So there are figures of a whole capture, or none.
    public func stream(
        _ device: Device, for duration: Duration, video: VideoSettings = VideoSettings(),
        audio: AudioSettings = AudioSettings()
    ) async throws(CaptureError) -> RigStream {
        guard duration > .zero, duration <= .seconds(3600) else {
            throw CaptureError(
                .usage, "A capture's time must be above zero and at most an hour.",
                remedies: [Remedy("Use the check camera.soak for a longer time.")])
        }
        var capture = StreamCapture(for: duration)
        (capture.video, capture.audio) = (video, audio)
        let record =
            if let virtual {
                try await virtual.record(capture, from: device)
            } else {
                try await GatedStreams(GateQueue(gatekeeper: gatekeeper)).record(capture, from: device)
            }
        try record.check()
        return try RigStream(record, for: duration)
    }
}

/// Figures of one capture.
///
/// The checks of the catalogue judge by the same figures; here the test sets the limits. *thread-safe*
public struct RigStream: Sendable {
    public let device: Device
    /// Format of the capture.
    public let media: ClipTrack.Media
    /// Number of frames that arrived: video frames, or audio frames (one sample of each channel).
    public let delivered: Int
    /// Number of frames that were made and not delivered, by the sequence numbers of V4L2 or the overruns of ALSA.
    public let lost: Int
    /// Frames a second by the device's timestamps, in Hz: video frames, or audio frames. Lost ones count as made.
    public let rate: Double
    /// Difference of ``rate`` from the nominal rate, in %; positive for a device that is too fast. Multiplied by 10,000, it
    /// is the drift of the device's clock against CLOCK_MONOTONIC in ppm.
    public let rateError: Double
    /// Timestamp of each video frame, or of the first audio frame of each period, on CLOCK_MONOTONIC.
    public let timestamps: [Duration]
    /// All figures, without limits: those that the checks of timing have, by the same names and units.
    public let measures: [Measure]
    /// Plots of the intervals, or of the distance of the audio from its clock.
    public let series: [Series]

    /// - Throws: `.stalled` if there are too few frames.
    init(_ record: StreamRecord, for duration: Duration) throws(CaptureError) {
        let findings = CheckFindings(timing: record, for: duration)
        func first(_ names: String...) -> Double? {
            findings.measures.first { names.contains($0.name) }?.value
        }
        guard let rate = first("frame_rate", "sound_rate"), let lost = first("lost"),
            let rateError = first("frame_rate_error", "sound_rate_error")
        else {
            throw CaptureError(
                .stalled,
                "\(record.device.id) delivered \(record.headers.count) buffers, but their timestamps give no rate.")
        }
        device = record.device
        media = record.media
        switch record.media {
        case .video: delivered = record.headers.count
        case .audio: delivered = record.headers.reduce(0) { $0 + $1.frameCount }
        }
        (self.rate, self.rateError, self.lost) = (rate, rateError, Int(exactly: lost) ?? .max)
        timestamps = record.headers.map { .nanoseconds($0.timestamp) }
        (measures, series) = (findings.measures, findings.series)
    }

    /// A figure by its name, in the unit that the check has: `jitter_p99` is in ms.
    ///
    /// - Throws: `.usage` for a name that no figure of this kind of device has, with the one that was probably meant;
    ///   `.unavailable` for one that could not be measured.
    public func value(_ measure: String) throws(CaptureError) -> Double { try measures.number(of: measure) }
}

extension RigStream: CustomStringConvertible {
    /// One clause for the message of a test: `test:bars: 90 frames, 0 lost, 30 Hz`.
    public var description: String {
        "\(device.id): \(delivered) frames, \(lost) lost, \(RigWords.quantity(rate, "Hz"))"
    }
}

extension [Measure] {
    /// Number of a measure by its name.
    ///
    /// - Throws: `.usage` for an unknown name, `.unavailable` for a number that was not measured.
    func number(of name: String) throws(CaptureError) -> Double {
        guard let measure = first(where: { $0.name == name }) else {
            let advice = PlanMistakes.advice(on: name, among: map(\.name))
            throw CaptureError(.usage, "\(PlanMistakes.quoted(name)) is not a measure here: \(advice).")
        }
        if let value = measure.value { return value }
        throw CaptureError(.unavailable, "\(measure.finding).")
    }
}
