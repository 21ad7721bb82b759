import CaptureGate
import CaptureRecording

@main
struct Program {
    static func main() throws {
        let devices = DeviceCatalog.scan(.identity)
        let camera = try DeviceQuery.default.pick(from: devices, .camera)
        let microphone = try DeviceQuery.default.pick(from: devices, .microphone)
        print("\(camera.name) and \(microphone.name)")
    }
}
