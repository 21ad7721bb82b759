import CaptureGate
import CaptureRecording

extension CheckMakers {
    /// The shutter is opened again whatever happened: the next check has to see something.
    static func shutter(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        guard let close = context.command("close") else {
            throw CaptureError(
                .usage, "\(context.planned.name) has no command that closes the shutter.",
                remedies: [Remedy("Write `close: [PROGRAM, ARGUMENT]`.")])
        }
        let seen = await outcome { () async throws(CaptureError) in try await covered(context, by: close) }
        var failure: CaptureError?
        if let open = context.command("open") { failure = await context.commands.failure(of: open) }
        let findings = try seen.get()
        if let failure { throw failure }
        return findings
    }

    private static func covered(
        _ context: CheckContext, by close: PlanCommand
    ) async throws(CaptureError) -> CheckFindings {
        let action = StreamAction(after: .seconds(1)) { await context.commands.failure(of: close) }
        var capture = try context.capture()
        (capture.duration, capture.action) = (.seconds(2), action)
        let (record, look) = try await context.streams.record(capture, from: context.device()) {
            (media) throws(CaptureError) in
            ShutterLook(luma: try FrameLuma(media), action, PictureSample(media, pace: PictureSample.coarse))
        }
        await action.finish()
        if let failure = action.failure { throw failure }
        try look.faults.check(record)
        return CheckFindings(look.measures + [look.faults.measure], evidence: look.faults.evidence(context, record))
    }
}

/// Inspector of frames before and after a shutter is closed. *session-bound*
private struct ShutterLook: StreamInspector {
    /// Time after closing from which on frames must be black, though nothing has told that the shutter is closed.
    private static let patience: Int64 = 500_000_000

    let luma: FrameLuma
    private let action: StreamAction
    /// Timestamp of the first frame that the control's event has marked, CLOCK_MONOTONIC in ns.
    private var event: Int64?
    private var last: Int64 = 0
    private var uncovered = 0
    var faults = PictureFaults()

    private var sample: PictureSample

    init(luma: FrameLuma, _ action: StreamAction, _ sample: PictureSample) {
        (self.luma, self.action, self.sample) = (luma, action, sample)
    }

    mutating func inspect(_ header: FrameHeader, _ bytes: RawSpan) {
        last = header.timestamp
        // The shutter moves during the first marked frame, which may show a part of the scene.
        let mustBeBlack = event != nil || action.ended.map { last - $0 > Self.patience } ?? false
        if event == nil, header.flags.contains(.covered) { event = last }
        guard sample.isDue(header, bytes.byteCount, isSuspect: faults.isAny || luma.isDoubtful(bytes)) else { return }
        let points = luma.points(of: bytes)
        if points == nil { faults.add(.unreadable, header, bytes) }
        guard mustBeBlack, points.map({ !BlackFrozen.isBlack($0.mean) }) ?? true else { return }
        uncovered += 1
        faults.add(.uncovered, header, bytes)
    }

    /// A program may end after its shutter has closed: then the event takes no time.
    var measures: [Measure] {
        let time = action.ended.map { Double(max((event ?? last) - $0, 0)) / 1e6 }
        return [
            Measure("shutter_event", time, "ms", .lower),
            Measure("uncovered", time == nil ? nil : Double(uncovered), "frames", .lower),
        ]
    }
}
