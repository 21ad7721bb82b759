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
}

@main
struct Program {
    static func main() throws {
        let devices = DeviceCatalog.scan(.identity)
        let camera = try DeviceQuery.default.pick(from: devices, .camera)
        let microphone = try DeviceQuery.default.pick(from: devices, .microphone)
        print("\(camera.name) and \(microphone.name)")
    }
}
