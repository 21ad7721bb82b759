import CaptureGate
import CaptureRecording

/// A camera and a microphone, recorded into nothing for a time, with others at once.
struct PairRecording: CaptureOperation {
    let authorization: AuthorizedFor<Capability.All>
    private let target: RecordingTarget
    private let duration: Duration
    private let cost: SharedCost

    init(camera: String, microphone: String, duration: Duration, cost: SharedCost) throws(CaptureError) {
        authorization = AuthorizedFor(
            Capability.All([
                DeviceRequest(
                    capability: .camera, level: .video, device: .id(DeviceID(rawValue: camera)),
                    purpose: "Record many cameras"),
                DeviceRequest(
                    capability: .microphone, level: .record, device: .id(DeviceID(rawValue: microphone)),
                    purpose: "Record many microphones"),
            ]))
        target = try RecordingTarget(.nothing)
        self.duration = duration
        self.cost = cost
    }

    func execute(with permit: consuming Permit, in context: OperationContext) async throws(CaptureError) -> Clip {
        var settings = RecorderSettings()
        settings.video.width = 640
        settings.video.height = 360
        settings.video.frameRate = FrameRate(30)
        settings.audio.sampleRate = 48000
        let cost = cost
        let recorder = try await Recorder(opening: permit, settings: settings)
        await cost.begin()
        return try await recorder.record(into: target, for: duration) { event in
            if case .ended = event { cost.end() }
        }
    }
}
