import CaptureGate
import CaptureRecording

/// Says which note a microphone hears.
/// usage: TuneInstrument [DEVICE [SECONDS]]
@main
struct TuneInstrument {
    struct Tuning: CaptureOperation {
        let seconds: Double
        let authorization: AuthorizedFor<Capability.Microphone>

        func execute(with permit: consuming Permit, in context: OperationContext) async throws(CaptureError) {
            var permit = permit
            guard let id = permit.devices.first?.device.id, let microphone = permit.take(id) else { return }
            var session = try await AudioSession(
                opening: microphone, settings: AudioSettings(channels: 1), converting: .float32)
            var pitch = PitchDetector(sampleRate: session.format.sampleRate)
            var heard = 0
            while heard < Int(seconds * Double(pitch.sampleRate)), try await session.ready() {
                session.withNextSamples { (header, samples: Span<Float>) in
                    heard += header.frameCount
                    for index in samples.indices { pitch.add(samples[index]) }
                }
                if let frequency = pitch.takeFrequency() { print("\(frequency) Hz: \(Note(of: frequency))") }
            }
            await session.close()
        }
    }

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let query = DeviceQuery(arguments.first ?? "default")
        let microphone = try query.pick(from: DeviceCatalog.scan(.identity, of: .microphone), .microphone)
        try await GateQueue().run(
            Tuning(
                seconds: arguments.dropFirst().first.flatMap(Double.init) ?? 10,
                authorization: AuthorizedFor(
                    Capability.Microphone(.record, device: .id(microphone.id), purpose: "Tune an instrument"))))
    }
}

/// Frequency of a tone, by the shift at which a quarter of a second is most like itself.
struct PitchDetector {
    let sampleRate: Int
    private var samples: [Float] = []

    init(sampleRate: Int) { self.sampleRate = sampleRate }

    mutating func add(_ sample: Float) { samples.append(sample) }

    /// The frequency of what was added, rounded to Hz; `nil` while there is too little of it, or nothing that has one.
    mutating func takeFrequency() -> Int? {
        guard samples.count >= sampleRate / 4 else { return nil }
        defer { samples.removeAll(keepingCapacity: true) }
        let window = samples.count / 2
        let power = likeness(at: 0, window)
        guard power / Float(window) > 1e-6 else { return nil }
        // The first shift that is as good as any: multiples of it are as good, too.
        let likenesses = (sampleRate / 2000...min(sampleRate / 40, window)).map { likeness(at: $0, window) }
        guard let best = likenesses.max(), best > 0.5 * power else { return nil }
        var shift = likenesses.firstIndex { $0 > 0.95 * best } ?? 0
        while shift + 1 < likenesses.count, likenesses[shift + 1] > likenesses[shift] { shift += 1 }
        return Int((Double(sampleRate) / (Double(shift + sampleRate / 2000) + middle(likenesses, shift))).rounded())
    }

    private func likeness(at shift: Int, _ window: Int) -> Float {
        var sum: Float = 0
        for index in 0..<window { sum += samples[index] * samples[index + shift] }
        return sum
    }

    /// Peak of the parabola through three values, from the one in the middle.
    private func middle(_ values: [Float], _ place: Int) -> Double {
        guard place > 0, place + 1 < values.count else { return 0 }
        let (before, here, after) = (Double(values[place - 1]), Double(values[place]), Double(values[place + 1]))
        let bend = before - 2 * here + after
        return bend == 0 ? 0 : (before - after) / bend / 2
    }
}

/// Note of the equal temperament that is nearest to a frequency, A4 being 440 Hz.
struct Note: CustomStringConvertible {
    private let number: Int

    init(of frequency: Int) {
        // From A4, by twelfths of an octave.
        var (steps, tone) = (0, 440.0)
        let ratio = 1.0594630943592953
        while tone * 1.0293022366434921 < Double(frequency) { (steps, tone) = (steps + 1, tone * ratio) }
        while tone / 1.0293022366434921 > Double(frequency) { (steps, tone) = (steps - 1, tone / ratio) }
        number = 69 + steps
    }

    var description: String {
        ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"][number % 12] + "\(number / 12 - 1)"
    }
}
