import CaptureEncoding
import CaptureGate

/// The operation: asks for the level `meter`, which lends it no sound to keep.
struct MeterOperation: CaptureOperation {
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
        let session = try await LevelSession(opening: part, settings: settings)
        reporter.handle(.started(session.device, session.format, differences: session.differences))
        let readings = session.levels()
        let result: Result<Bool, CaptureError>
        do throws(CaptureError) {
            result = .success(try await isComplete(readings))
        } catch {
            result = .failure(error)
        }
        await readings.close()
        reporter.handle(.ended(isComplete: try result.get()))
    }

    /// - Returns: false where it was stopped before the time was over.
    private func isComplete(_ readings: LevelReadings) async throws(CaptureError) -> Bool {
        for try await reading in readings {
            reporter.handle(.level(reading))
            if let duration, .nanoseconds(reading.elapsedNanoseconds) >= duration { return true }
        }
        return false
    }
}
