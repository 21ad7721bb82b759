import CaptureGate

/// Shows how loud a microphone is. It asks for the level `meter`, which keeps no sound.
/// usage: MeterMicrophone [DEVICE [SECONDS]]
@main
struct MeterMicrophone {
    struct Meter: CaptureOperation {
        let seconds: Int
        let authorization: AuthorizedFor<Capability.Microphone>

        func execute(with permit: consuming Permit, in context: OperationContext) async throws(CaptureError) {
            var permit = permit
            guard let id = permit.devices.first?.device.id, let part = permit.take(id) else { return }
            let session = try await AudioSession(opening: part, settings: AudioSettings(sampleFormat: .s16))
            var left = seconds * session.format.sampleRate
            let frames = session.frames()
            for try await period in frames {
                show(period)
                left -= period.header.frameCount
                if left <= 0 { break }
            }
            await frames.close()
        }

        private func show(_ period: CapturedFrame) {
            let peak =
                stride(from: 0, to: period.bytes.count - 1, by: 2).map { at in
                    Int(Int16(bitPattern: UInt16(period.bytes[at]) | UInt16(period.bytes[at + 1]) << 8)).magnitude
                }.max() ?? 0
            print(String(repeating: "#", count: Int(peak) * 60 / 32_768))
        }
    }

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let query = DeviceQuery(arguments.first ?? "default")
        let microphone = try query.pick(from: DeviceCatalog.scan(.identity, of: .microphone), .microphone)
        let capability = Capability.Microphone(
            .meter, device: .id(microphone.id), purpose: "Show how loud it is; no sound is kept")
        let seconds = arguments.dropFirst().first.flatMap { Int($0) } ?? 5
        try await GateQueue().run(Meter(seconds: seconds, authorization: AuthorizedFor(capability)))
    }
}
