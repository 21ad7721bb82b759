import CaptureGate
import LinuxSystem

/// Sound that an encoder finds neither too easy nor too hard: tones whose loudness moves, and noise 50 dB below.
struct Voice {
    private let format: AudioFormat
    private var noise: Noise
    private var frame = 0

    private static let tones = [(196.0, 0.30), (440.0, 0.15), (1318.5, 0.06), (3520.0, 0.02)]

    init(_ format: AudioFormat, seed: UInt64) {
        self.format = format
        noise = Noise(seed: seed)
    }

    mutating func period(frames: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(frames * format.bytesPerFrame)
        for _ in 0..<frames {
            let time = Double(frame) / Double(format.sampleRate)
            let tone = Self.tones.reduce(0) { $0 + sine(2 * .pi * $1.0 * time) * $1.1 }
            let loudness = 0.6 + 0.4 * sine(2 * .pi * 0.7 * time)
            for channel in 0..<format.channels {
                let value =
                    tone * loudness * (channel.isMultiple(of: 2) ? 1 : 0.8) + Double(noise.grain(1000)) / 300_000
                append(value, to: &bytes)
            }
            frame += 1
        }
        return bytes
    }

    private func append(_ value: Double, to bytes: inout [UInt8]) {
        let bits: UInt32
        switch format.sampleFormat {
        case .s16: bits = UInt32(bitPattern: Int32(value * 32_767))
        case .s24Packed, .s24: bits = UInt32(bitPattern: Int32(value * 8_388_607))
        case .s32: bits = UInt32(bitPattern: Int32(value * 2_147_483_520))
        case .float32: bits = Float(value).bitPattern
        }
        for byte in 0..<format.sampleFormat.bytesPerSample {
            bytes.append(UInt8(truncatingIfNeeded: bits >> (8 * UInt32(byte))))
        }
    }
}
