import CaptureGate
import CaptureRecording

extension CheckMakers {
    /// Checks of starting and stopping.
    static let start: [String: Maker] = [
        "camera.first_frame_decodes": firstFrameDecodes, "camera.first_frame": firstFrame,
        "camera.reconfigure": reconfigure,
        "camera.cycles": { (context) throws(CaptureError) in try await cycles(context) },
        "camera.sharing": sharing, "camera.compliance": compliance,
    ]

    private static func firstFrameDecodes(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        let device = try context.device()
        let capture = try context.capture(frames: 1)
        var broken = 0
        for _ in 0..<max(context.count("times") ?? 20, 0) {
            let (record, look) = try await context.streams.record(capture, from: device) {
                (media) throws(CaptureError) in WholeFrames(media)
            }
            try record.checkFirst()
            // A frame that the driver marks as damaged is not lent: the ledger counts it.
            let isDamaged = record.headers.first.map { $0.lost.damaged > 0 } ?? true
            if isDamaged || look.broken > 0 { broken += 1 }
        }
        return CheckFindings([Measure("broken", Double(broken), "frames", .lower)])
    }

    private static func firstFrame(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        let device = try context.device()
        let capture = try context.capture(frames: 1)
        var times: [Int64] = []
        for _ in 0..<max(context.count("times") ?? 5, 0) {
            let record = try await context.streams.record(capture, from: device)
            times.append(try record.checkFirst() - record.begun)
        }
        return CheckFindings(.firstFrame(times))
    }

    /// The gate is asked between two captures; its time is not the device's, and is subtracted.
    private static func reconfigure(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        let device = try await context.askedDevice()
        let first = try context.capture(frames: 1)
        guard let modes = try ModeList(device).pair(first.video) else {
            return .skipped("\(device.id) has only one mode, so it can't change.")
        }
        var times: [Int64] = []
        var before: StreamRecord?
        for change in 0...max(context.count("times") ?? 5, 0) {
            var capture = first
            capture.video = change % 2 == 0 ? modes.0 : modes.1
            let record = try await context.streams.record(capture, from: device)
            let arrival = try record.checkFirst()
            if let before { times.append(before.closing + arrival - record.begun) }
            before = record
        }
        return CheckFindings(.reconfigure(times))
    }

    /// - Parameters:
    ///   - meter: of this process's descriptors and threads.
    ///   - patience: time in which threads of a capture must have ended.
    static func cycles(
        _ context: CheckContext, meter: UsageMeter = { ProcessUsage.now() }, patience: Duration = .seconds(6)
    ) async throws(CaptureError) -> CheckFindings {
        let device = try context.device()
        var failed = 0
        var warm: ProcessUsage?
        // A process has all its permanent resources, such as idle threads, after the first cycle of each length.
        for time in 1...3 {
            for frames in [1, 2, 3, 5, 8, 13, 21, 34, 55, 89] {
                if try await !isWhole(try context.capture(frames: frames), device, context) { failed += 1 }
            }
            if time == 1 { warm = meter() }
        }
        let after = try await ProcessUsage.settled(warm, meter, within: patience)
        return CheckFindings(
            [Measure("failed", Double(failed), "cycles", .lower)] + ProcessUsage.leaks(from: warm, to: after))
    }

    /// - Returns: false for a capture that has not all its frames: it ended before, or the ledger says that some are missing.
    private static func isWhole(
        _ capture: StreamCapture, _ device: Device, _ context: CheckContext
    ) async throws(CaptureError) -> Bool {
        do throws(CaptureError) {
            let record = try await context.streams.record(capture, from: device)
            if record.failure == nil { try record.check() }
            return record.failure == nil && record.headers.count >= capture.frames ?? 0
                && record.headers.allSatisfy { $0.lost.total == 0 }
        } catch  where error.isOfDevice {
            return false
        }
    }
}

extension CheckFindings {
    /// Times that a device took.
    fileprivate init(_ latencies: Latencies) { self.init(latencies.measures, series: latencies.series) }
}

extension CheckContext {
    /// Capture with the requested parameters, and with this number of frames.
    func capture(frames: Int) throws(CaptureError) -> StreamCapture {
        var capture = try capture(for: .seconds(3600))
        capture.frames = frames
        return capture
    }

    /// Device with its formats, sizes and rates, for which it is opened with the gate's permission.
    ///
    /// - Throws: the errors of the gate and the device, and `.unavailable` for one that reports none.
    func askedDevice() async throws(CaptureError) -> Device {
        let device = try await queue.run(
            DeviceOperation(device(), purpose: "Read its formats, without capturing") {
                (permit: consuming DevicePermit) async throws(CaptureError) in
                try await DeviceInquiry.ask(permit) { (device) throws(CaptureError) in try device.asked() }
            })
        guard device.formats != .unknown else {
            throw CaptureError(.unavailable, "\(device.id) does not report its formats.")
        }
        return device
    }
}

extension StreamRecord {
    /// - Returns: the arrival of the first frame.
    /// - Throws: as ``check()``, and `.stalled` if no frame came.
    @discardableResult
    func checkFirst() throws(CaptureError) -> Int64 {
        try check()
        if let first = arrivals.first { return first }
        throw CaptureError(.stalled, "\(device.id) delivered no frame.")
    }
}

extension CaptureError {
    /// True for an error that is about what the device does, and not about the permission or the bench.
    var isOfDevice: Bool { [.deviceGone, .stalled, .notAsAsked, .unavailable].contains(kind) }
}

/// Inspector for broken frames: compressed ones that do not decode, and raw ones that are too short.
///
/// *session-bound*
struct WholeFrames: StreamInspector {
    private(set) var broken = 0
    private let format: VideoFormat?

    init(_ media: ClipTrack.Media) {
        if case .video(let format) = media { self.format = format } else { format = nil }
    }

    mutating func inspect(_ header: FrameHeader, _ bytes: RawSpan) {
        guard let format else { return }
        let isWhole =
            // For few frames: the decoder is not kept.
            format.pixelFormat.isJPEG
            ? MJPEGRepair(format: format).decodes(bytes) : bytes.byteCount >= format.leastBytes
        if !isWhole { broken += 1 }
    }
}

extension VideoFormat {
    /// Bytes that a raw frame has at least; 0 for compressed ones. Of a layout that is not known the rows of the first plane count.
    var leastBytes: Int { RawLayout(self)?.byteCount ?? bytesPerLine * height }
}
