import CaptureGate
import CaptureRecording

/// Shares one open microphone among all who are allowed to have it, and with nobody else: an authorized singleton for each
/// device. Each request is granted at once, denied at once, or waits for a person.
/// usage: SharedMicrophone [DEVICE…]
@main
struct SharedMicrophone {
    static func main() async throws {
        let names = CommandLine.arguments.dropFirst()
        for name in names.isEmpty ? ["default"] : Array(names) {
            let device = try DeviceQuery(name).pick(from: DeviceCatalog.scan(.identity, of: .microphone), .microphone)
            let capability = Capability.Microphone(
                .meter, device: .id(device.id), purpose: "Show the level of \(device.name), without keeping any audio")
            let instance = Gatekeeper.shared.instance(of: LoudnessMeter.self, for: capability)
            // Twice: the second one gets what the first one has opened.
            for _ in 0..<2 { await show(instance, device) }
            // Whoever comes next gets the same one, until somebody lets go of it.
            if case .present(let meter) = instance.state { await meter.stop() }
            instance.release()
        }
    }

    /// The three answers, each of which comes at once: a person who has to be asked holds nobody up.
    private static func show(_ instance: AuthorizedInstance<LoudnessMeter>, _ device: Device) async {
        switch await instance.request() {
        case .granted(let meter): print("\(device.id): granted, \(await meter.loudness) dBFS")
        case .denied(let reason): print("\(device.id): denied. \(reason.message)")
        case .waiting(let pending):
            print("\(device.id): waiting for a person")
            do throws(CaptureError) {
                print("\(device.id): granted, \(try await pending.service.loudness) dBFS")
            } catch {
                print("\(device.id): refused. \(error.message)")
            }
        }
    }
}

/// A microphone that stays open and is metered. Its initializer takes the permit: nobody else can make one.
actor LoudnessMeter: AuthorizedService {
    static let capability = Capability.Microphone(.meter, purpose: "Show the level, without keeping any audio")
    private let readings: LevelReadings
    /// Loudness of the last 50 ms, dB below full scale.
    private(set) var loudness = -120

    init(opening permit: consuming Permit) async throws(CaptureError) {
        guard let id = permit.devices.first?.device.id, let device = permit.take(id) else {
            throw CaptureError(.noDevice, "The permit names no microphone.")
        }
        readings = try await LevelSession(opening: device).levels()
        let (beginning, begin) = AsyncStream.makeStream(of: Void.self)
        Task { await follow(begin) }
        for await _ in beginning {}
    }

    /// Ends when the device is closed: by `stop()`, by the gate, or because it is unplugged.
    private func follow(_ begin: AsyncStream<Void>.Continuation) async {
        defer { begin.finish() }
        do {
            for try await reading in readings {
                loudness = Int(reading.channels.map(\.peakDBFS).max() ?? -120)
                begin.finish()
            }
        } catch {
            print("\(error.message)")
        }
    }

    /// Closes the microphone, and returns when that is done.
    func stop() async { await readings.close() }
}
