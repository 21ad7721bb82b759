import CaptureGate
import Glibc

/// How loud sound is, between two readings.
struct LevelMeter {
    private var peak = 0.0
    private var power = 0.0
    private var samples = 0

    /// Full scale counts as clipped: converters stand there when they can't go further.
    private var clipped: Bool { peak >= 1 - 1.0 / 32_768 }

    /// - Parameter bytes: whole interleaved samples.
    mutating func update(with bytes: RawSpan, format: SampleFormat) {
        bytes.withUnsafeBytes { bytes in
            switch format {
            case .s16:
                add(bytes, stride: 2) { Double(bytes.loadUnaligned(fromByteOffset: $0, as: Int16.self)) / 0x8000 }
            case .s24Packed: add(bytes, stride: 3) { Self.packed(bytes, $0) }
            case .s24:
                add(bytes, stride: 4) {
                    Double(bytes.loadUnaligned(fromByteOffset: $0, as: Int32.self) << 8) / 0x8000_0000
                }
            case .s32:
                add(bytes, stride: 4) { Double(bytes.loadUnaligned(fromByteOffset: $0, as: Int32.self)) / 0x8000_0000 }
            case .float32:
                add(bytes, stride: 4) { Double(bytes.loadUnaligned(fromByteOffset: $0, as: Float.self)) }
            }
        }
    }

    /// What was heard since the last reading.
    mutating func read() -> (peakDBFS: Double, rmsDBFS: Double, clipped: Bool) {
        defer { self = LevelMeter() }
        let mean = samples == 0 ? 0 : power / Double(samples)
        return (Self.decibels(peak), Self.decibels(mean.squareRoot()), clipped)
    }

    @inline(__always)
    private mutating func add(_ bytes: UnsafeRawBufferPointer, stride: Int, _ sample: (Int) -> Double) {
        var offset = 0
        while offset + stride <= bytes.count {
            let value = sample(offset)
            let size = value.magnitude
            // A float may be NaN, which compares false and stays out.
            if size > peak { peak = size }
            if size < 1e6 { power += size * size }
            offset += stride
            samples += 1
        }
    }

    private static func packed(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> Double {
        let low = UInt32(bytes[at]) << 8 | UInt32(bytes[at + 1]) << 16 | UInt32(bytes[at + 2]) << 24
        return Double(Int32(bitPattern: low)) / 0x8000_0000
    }

    private static func decibels(_ amplitude: Double) -> Double {
        guard amplitude > 1e-6 else { return -120 }
        return min(0, 20 * log10(amplitude))
    }
}
