import CaptureEncoding
import CaptureGate

/// The operation: listens at the level `meter`, and keeps nothing of what it hears.
struct MeterWork: CaptureOperation {
    let authorization: AuthorizedFor<Capability.Microphone>
    let settings: AudioSettings
    /// How much sound; `nil` until it is stopped.
    let duration: Duration?
    let reporter: EventReporter<MeterEvent>

    init(
        _ device: Device, settings: AudioSettings, duration: Duration?, reporter: EventReporter<MeterEvent>
    ) {
        authorization = AuthorizedFor(
            Capability.Microphone(
                .meter, device: .id(device.id), purpose: "Show how loud it is; no sound is kept"))
        self.settings = settings
        self.duration = duration
        self.reporter = reporter
    }

    func execute(with permit: consuming Permit, in context: OperationContext) async throws(CaptureError) {
        var permit = permit
        guard let id = permit.devices.first?.device.id, let part = permit.take(id) else {
            throw CaptureError(.notAuthorized, "The permit is empty.")
        }
        let session = try await AudioSession(opening: part, settings: settings)
        reporter.handle(.started(session.device, session.format, differences: session.differences))
        var count = MeterCount(session.format)
        let frames = session.frames()
        let result: Result<Void, CaptureError>
        do throws(CaptureError) {
            for try await period in frames {
                reporter.handle(.level(count.reading(period)))
                if let duration, count.elapsed >= duration { break }
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await frames.close()
        try result.get()
        reporter.handle(.ended(isComplete: duration.map { count.elapsed >= $0 } ?? false))
    }
}

/// What a meter has heard.
private struct MeterCount {
    private let rate: Int64
    private var meter: LevelMeter
    private var frames: Int64 = 0
    private var lost: UInt64 = 0

    init(_ format: AudioFormat) {
        rate = Int64(format.sampleRate)
        meter = LevelMeter(format)
    }

    var elapsed: Duration { .nanoseconds(nanoseconds) }

    private var nanoseconds: Int64 {
        frames / rate * 1_000_000_000 + frames % rate * 1_000_000_000 / rate
    }

    mutating func reading(_ period: CapturedFrame) -> MeterReading {
        frames += Int64(period.header.frameCount)
        lost += period.header.lost.total
        meter.update(with: period.bytes.span.bytes)
        return MeterReading(elapsedNanoseconds: nanoseconds, channels: meter.read(), lost: lost)
    }
}
