import CaptureGate
import CaptureRecording

struct FirstClip: CaptureOperation {
    let authorization: AuthorizedFor<Capability.All>

    init(_ camera: Device, _ microphone: Device) {
        authorization = AuthorizedFor(
            Capability.All(
                Capability.Camera(.video, device: .id(camera.id), purpose: "Record a clip"),
                Capability.Microphone(.record, device: .id(microphone.id), purpose: "Record a clip")))
    }

    func execute(with permit: consuming Permit, in context: OperationContext) async throws(CaptureError) -> Clip {
        try await Recorder(opening: permit).record(to: "first.mkv", for: .seconds(5))
    }
}

@main
struct Program {
    static func main() async throws {
        let queries = CommandLine.arguments.dropFirst().map { DeviceQuery($0) }
        let devices = DeviceCatalog.scan(.identity)
        do throws(CaptureError) {
            let camera = try (queries.first ?? .default).pick(from: devices, .camera)
            let microphone = try (queries.dropFirst().first ?? .default).pick(from: devices, .microphone)
            let clip = try await GateQueue().run(FirstClip(camera, microphone))
            for track in clip.ledger.tracks {
                print("\(track.name): \(track.frames) frames, \(track.lost.total) lost")
            }
        } catch {
            print(error.notice)
        }
    }
}
