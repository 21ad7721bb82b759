import CaptureGate
import CaptureRecording

/// Shows a microphone's level. It requests the level `meter`, which opens no session that lends audio.
/// usage: MeterMicrophone [DEVICE [SECONDS]]
@main
struct MeterMicrophone {
    struct Meter: CaptureOperation {
        let seconds: Int64
        let authorization: AuthorizedFor<Capability.Microphone>

        func execute(with permit: consuming Permit, in context: OperationContext) async throws(CaptureError) {
            var permit = permit
            guard let id = permit.devices.first?.device.id, let part = permit.take(id) else { return }
            let readings = try await LevelSession(opening: part).levels()
            for try await reading in readings {
                show(reading)
                if reading.elapsed >= .seconds(seconds) { break }
            }
            await readings.close()
        }

        /// Bar with a column per decibel above -60 dBFS.
        private func show(_ reading: LevelReading) {
            let peak = reading.channels.map(\.peakDBFS).max() ?? -120
            print(String(repeating: "#", count: max(0, 60 + Int(peak))))
        }
    }

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let query = DeviceQuery(arguments.first ?? "default")
        let microphone = try query.pick(from: DeviceCatalog.scan(.identity, of: .microphone), .microphone)
        let capability = Capability.Microphone(
            .meter, device: .id(microphone.id), purpose: "Show the level, without keeping any audio")
        let seconds = arguments.dropFirst().first.flatMap { Int64($0) } ?? 5
        try await GateQueue().run(Meter(seconds: seconds, authorization: AuthorizedFor(capability)))
    }
}
