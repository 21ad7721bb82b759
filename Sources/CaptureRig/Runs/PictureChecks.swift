import CaptureGate
import CaptureRecording

extension CheckMakers {
    /// Checks of what a camera shows.
    static let picture: [String: Maker] = [
        "camera.frozen": frozen, "camera.pixels": pixels, "camera.sharpness": sharpness, "camera.exposure": exposure,
        "camera.low_light": lowLight, "camera.shutter": shutter,
    ]

    private static func frozen(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        let alike = context.number("frozen_above")
        let (record, look) = try await context.streams.record(context.capture(), from: context.device()) {
            (media) throws(CaptureError) in
            FrozenLook(luma: try FrameLuma(media), counter: BlackFrozen(frozenAbove: alike))
        }
        try look.faults.check(record)
        return CheckFindings(
            look.counter.measures + [look.faults.measure], evidence: look.faults.evidence(context, record))
    }

    private static func exposure(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        let (record, look) = try await brightness(context)
        return CheckFindings(
            look.course.measures + [look.faults.measure], series: [look.course.series],
            evidence: look.faults.evidence(context, record))
    }

    private static func lowLight(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        let (record, look) = try await brightness(context)
        guard case .video(let format) = record.media else { throw CaptureError(.usage, "Sound has no light.") }
        let rate = (format.frameRate.numerator, format.frameRate.denominator)
        let timing = FrameTiming(record.frames, rate: rate, arrivals: record.arrivals)
        let distance = timing.frameRate.map { $0 - Double(rate.0) / Double(rate.1) }
        return CheckFindings(
            [Measure("frame_rate_distance", distance, "Hz", .target)] + timing.measures + look.course.measures
                + [look.faults.measure],
            series: timing.series + [look.course.series], evidence: look.faults.evidence(context, record))
    }

    private static func brightness(
        _ context: CheckContext
    ) async throws(CaptureError) -> (StreamRecord, BrightnessLook) {
        let (record, look) = try await context.streams.record(context.capture(), from: context.device()) {
            (media) throws(CaptureError) in BrightnessLook(luma: try FrameLuma(media))
        }
        try look.faults.check(record)
        return (record, look)
    }
}

/// Look for black and repeated frames. *session-bound*
private struct FrozenLook: StreamInspector {
    let luma: FrameLuma
    var counter: BlackFrozen
    var faults = PictureFaults()
    private var repetition = FrameRepetition()

    init(luma: FrameLuma, counter: BlackFrozen) { (self.luma, self.counter) = (luma, counter) }

    mutating func inspect(_ header: FrameHeader, _ bytes: RawSpan) {
        let (luma, number) = (luma, repetition.number(of: bytes))
        let finding = luma.read(bytes) { counter.add($0, $1, checksum: number) } ?? nil
        guard let finding else { return faults.add(.unreadable, header, bytes) }
        if finding.isBlack { faults.add(.black, header, bytes) }
        if finding.isFrozen { faults.add(.frozen, header, bytes) }
    }
}

/// Look at the brightness over time. *session-bound*
private struct BrightnessLook: StreamInspector {
    let luma: FrameLuma
    var course = ExposureCourse()
    var faults = PictureFaults()

    init(luma: FrameLuma) { self.luma = luma }

    mutating func inspect(_ header: FrameHeader, _ bytes: RawSpan) {
        guard let points = luma.points(of: bytes) else { return faults.add(.unreadable, header, bytes) }
        course.add(seconds: Double(header.timestamp) / 1e9, luma: points.mean)
    }
}
