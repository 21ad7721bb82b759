import CaptureGate

/// Lists microphones and cameras; with `--watch`, also reports those that come and go.
@main
struct ListDevices {
    static func main() async {
        for device in DeviceCatalog.scan(.formats) { print(line(device)) }
        guard CommandLine.arguments.contains("--watch") else { return }
        for await event in DeviceMonitor() {
            switch event.change {
            case .added(let device): print("+ \(line(device))")
            case .removed(let device): print("- \(line(device))")
            case .changed(let device): print("~ \(line(device))")
            }
        }
    }

    private static func line(_ device: Device) -> String {
        let formats =
            switch device.formats {
            case .audio(let ranges): "\(ranges.sampleRates) Hz, \(ranges.channels) channels"
            case .video(let modes): "\(modes.count) modes"
            case .unknown: "formats unknown"
            }
        return "\(device.capability) \(device.id): \(device.name) (\(formats))"
    }
}
