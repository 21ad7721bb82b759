import CaptureGate

/// Prints whether this program may record, now and after every change, whichever process makes it.
/// usage: FollowGrants [DEVICE [CHANGES]]
@main
struct FollowGrants {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let query = DeviceQuery(arguments.first ?? "default")
        let device = try query.pick(from: DeviceCatalog.scan(.identity, of: .microphone), .microphone)
        let microphone = Capability.Microphone(.record, device: .id(device.id), purpose: "Record a voice memo")
        var left = arguments.dropFirst().first.flatMap { Int($0) } ?? .max
        for await status in Gatekeeper.shared.statusChanges(of: microphone) {
            print(words(status))
            left -= 1
            if left <= 0 { return }
        }
    }

    private static func words(_ status: AuthorizationStatus) -> String {
        switch status {
        case .notDetermined: "not determined: a person has to be asked"
        case .restricted(let restriction): "restricted: \(restriction.reason)"
        case .denied: "denied"
        case .authorized: "authorized"
        }
    }
}
