import CaptureGate

extension CheckMakers {
    /// A camera alone, for hours.
    static func soak(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        try await Soak(context).camera(context.device())
    }

    /// A camera and a microphone, for hours.
    static func soakOfBoth(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        guard context.devices.count == 2 else {
            throw CaptureError(.usage, "\(context.planned.name) takes a camera and a microphone.")
        }
        return try await Soak(context).both(context.devices[0], context.devices[1])
    }
}

/// Captures for hours, of which the sums remain.
///
/// *thread-safe*
struct Soak: Sendable {
    let streams: any StreamSource
    private let capture: StreamCapture
    /// Time after which memory must not grow any more.
    private let settling: Duration
    private let meter: UsageMeter

    /// - Parameter meter: reads the process.
    init(_ context: CheckContext, meter: @escaping UsageMeter = ProcessUsage.now) throws(CaptureError) {
        streams = context.streams
        var capture = try context.capture(for: .seconds(8 * 3600))
        capture.keepsHeaders = false
        self.capture = capture
        settling = context.duration("settle") ?? .seconds(600)
        self.meter = meter
    }

    func camera(_ device: Device) async throws(CaptureError) -> CheckFindings {
        let seen = try await inspected(device, meter).get()
        return CheckFindings(
            seen.usageMeasures(after: settling) + [
                Measure("lost", Double(seen.lost), "frames", .lower),
                Measure("unaccounted", seen.unaccounted, "frames", .lower),
            ], series: [seen.series])
    }

    /// Both at once. The camera's times are those at which the process is looked at.
    func both(_ camera: Device, _ microphone: Device) async throws(CaptureError) -> CheckFindings {
        async let seeing = inspected(camera, meter)
        async let hearing = inspected(microphone, nil)
        let (seen, heard) = (try await seeing.get(), try await hearing.get())
        let drift = ClockDrift(of: heard.clock, against: seen.clock)
        let unaccounted = seen.unaccounted.flatMap { one in heard.unaccounted.map { one + $0 } }
        return CheckFindings(
            seen.usageMeasures(after: settling) + [
                Measure("lost", Double(seen.lost), "frames", .lower),
                Measure("sound_lost", Double(heard.lost), "frames", .lower),
                Measure("unaccounted", unaccounted, "frames", .lower),
            ] + drift.measures(), series: [seen.series] + drift.series)
    }

    /// A capture by an inspector, which is all that remains of it.
    private func inspected(_ device: Device, _ meter: UsageMeter?) async -> Result<SoakInspector, CaptureError> {
        let duration = capture.duration
        do throws(CaptureError) {
            let taken = try await streams.record(capture, from: device) { (media) throws(CaptureError) in
                SoakInspector(media, for: duration, meter: meter)
            }
            try taken.record.check()
            return .success(taken.inspector)
        } catch {
            return .failure(error)
        }
    }
}
