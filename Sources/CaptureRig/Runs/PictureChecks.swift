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
            // The likeness to the frame before needs each frame.
            FrozenLook(
                luma: try FrameLuma(media), counter: BlackFrozen(frozenAbove: alike),
                sample: PictureSample(media, pace: alike == nil ? PictureSample.coarse : 0))
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
        guard case .video(let format) = record.media else { throw CaptureError(.usage, "Audio has no brightness.") }
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
            (media) throws(CaptureError) in
            BrightnessLook(luma: try FrameLuma(media), sample: PictureSample(media, pace: PictureSample.coarse))
        }
        try look.faults.check(record)
        return (record, look)
    }
}

/// Inspector for black and repeated frames. *session-bound*
private struct FrozenLook: StreamInspector {
    let luma: FrameLuma
    var counter: BlackFrozen
    var faults = PictureFaults()
    private var sample: PictureSample
    private var repetition = FrameRepetition()

    init(luma: FrameLuma, counter: BlackFrozen, sample: PictureSample) {
        (self.luma, self.counter, self.sample) = (luma, counter, sample)
    }

    mutating func inspect(_ header: FrameHeader, _ bytes: RawSpan) {
        let (luma, number) = (luma, repetition.number(of: bytes))
        guard sample.isDue(header, bytes.byteCount, isSuspect: faults.isAny || luma.isDoubtful(bytes)) else {
            if counter.add(checksum: number).isFrozen { faults.add(.frozen, header, bytes) }
            return
        }
        let finding = luma.read(bytes, points: BlackFrozen.points) { counter.add($0, $1, checksum: number) } ?? nil
        guard let finding else { return faults.add(.unreadable, header, bytes) }
        if finding.isBlack { faults.add(.black, header, bytes) }
        if finding.isFrozen { faults.add(.frozen, header, bytes) }
    }
}

/// Inspector of the brightness over time. *session-bound*
private struct BrightnessLook: StreamInspector {
    let luma: FrameLuma
    var course = ExposureCourse()
    var faults = PictureFaults()
    private var sample: PictureSample

    init(luma: FrameLuma, sample: PictureSample) { (self.luma, self.sample) = (luma, sample) }

    mutating func inspect(_ header: FrameHeader, _ bytes: RawSpan) {
        guard sample.isDue(header, bytes.byteCount, isSuspect: faults.isAny || luma.isDoubtful(bytes)) else { return }
        guard let points = luma.points(of: bytes) else { return faults.add(.unreadable, header, bytes) }
        course.add(seconds: Double(header.timestamp) / 1e9, luma: points.mean)
    }
}

/// Faulty frames of a capture: how many can't be read, and copies of a few that the report shows.
///
/// *session-bound*
struct PictureFaults: Sendable {
    private struct Frame {
        let header: FrameHeader
        let fault: Fault
        let bytes: [UInt8]
    }

    /// Fault that an image in the report shows.
    enum Fault: String {
        case unreadable = "It is incomplete or can't be decoded."
        case black = "It is black."
        case frozen = "It repeats the previous frame."
        case otherChecksum = "Its checksum is not in the golden file."
        case unlike = "It differs from the golden image."
        case uncovered = "The shutter is closed, but the frame is not black."
    }

    /// Most frames that are kept, in all and of one kind: a capture may have thousands of them.
    private static let (most, mostOfKind) = (6, 3)
    private var frames: [Frame] = []
    /// Number of frames that are too short, or can't be decoded.
    private(set) var unreadable = 0

    var isAny: Bool { !frames.isEmpty }

    /// Notes a faulty frame.
    mutating func add(_ fault: Fault, _ header: FrameHeader, _ bytes: RawSpan) {
        if fault == .unreadable { unreadable += 1 }
        // One image of a frame is enough, even with several faults.
        guard frames.last?.header.sequence != header.sequence, frames.count < Self.most,
            frames.count(where: { $0.fault == fault }) < Self.mostOfKind
        else { return }
        frames.append(Frame(header: header, fault: fault, bytes: bytes.withUnsafeBytes { Array($0) }))
    }

    /// Measure `unreadable` (frames).
    var measure: Measure { Measure("unreadable", Double(unreadable), "frames", .lower) }

    /// Ends a check whose capture has no usable frame.
    ///
    /// - Throws: the record's own error, or an error for the device's fault: without a readable frame, there are no numbers.
    func check(_ record: StreamRecord) throws(CaptureError) {
        try record.check()
        guard !record.headers.isEmpty else {
            throw CaptureError(.stalled, "\(record.device.id) delivered no frame.")
        }
        guard unreadable < record.headers.count else {
            throw CaptureError(.notAsAsked, "None of the \(unreadable) frames of \(record.device.id) can be decoded.")
        }
    }

    /// Keeps the frames beside the report: as PNG, a camera's JPEG unchanged, and one that is not an image as its bytes.
    func evidence(_ context: CheckContext, _ record: StreamRecord) -> [Evidence] {
        guard context.evidence.directory != nil, case .video(let format) = record.media else { return [] }
        let still: StillFormat = format.pixelFormat.isJPEG ? .jpeg : .png
        // Fast: six frames of 4K must not keep the bench waiting.
        let encoder = try? StillEncoder(format, as: still, parameters: StillParameters(pngLevel: 1))
        let begun = record.headers.first?.timestamp ?? 0
        return frames.compactMap { frame in
            let picture = frame.fault == .unreadable ? nil : try? encoder?.encode(frame.bytes.span.bytes)
            let (number, time) = (frame.header.sequence, (frame.header.timestamp - begun) / 1_000_000)
            let ending = picture == nil ? "bin" : still.endings[0]
            return context.evidence.keep(
                picture ?? frame.bytes, as: "\(context.planned.name)-\(number).\(ending)",
                "Frame \(number), \(time) ms after the first one. \(frame.fault.rawValue)")
        }
    }
}
