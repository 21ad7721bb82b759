import CaptureEncoding
import CaptureGate
import LinuxSystem

/// Meter of audio levels, channel by channel, between two readings.
///
/// *session-bound*
public struct LevelMeter: Sendable {
    private struct Sum {
        var peak = 0.0
        var power = 0.0
        var samples = 0
    }

    private let format: AudioFormat
    private var sums: [Sum]

    public init(_ format: AudioFormat) {
        self.format = format
        sums = Array(repeating: Sum(), count: max(0, format.channels))
    }

    /// Adds audio.
    ///
    /// - Parameter bytes: interleaved samples in the format of the meter; an incomplete frame at the end does not count.
    public mutating func update(with bytes: RawSpan) {
        bytes.withUnsafeBytes { bytes in
            switch format.sampleFormat {
            case .s16:
                add(bytes) { Double(bytes.loadUnaligned(fromByteOffset: $0, as: Int16.self)) / 0x8000 }
            case .s24Packed: add(bytes) { Self.packed(bytes, $0) }
            case .s24:
                add(bytes) { Double(bytes.loadUnaligned(fromByteOffset: $0, as: Int32.self) << 8) / 0x8000_0000 }
            case .s32:
                add(bytes) { Double(bytes.loadUnaligned(fromByteOffset: $0, as: Int32.self)) / 0x8000_0000 }
            case .float32:
                add(bytes) { Double(bytes.loadUnaligned(fromByteOffset: $0, as: Float.self)) }
            }
        }
    }

    /// Returns the level of each channel since the last reading; silence if there was no audio.
    public mutating func read() -> [AudioLevel] {
        let levels = sums.map(Self.level)
        reset()
        return levels
    }

    /// Takes the level of all channels together.
    mutating func readTogether() -> AudioLevel {
        var all = Sum()
        for sum in sums {
            all.peak = max(all.peak, sum.peak)
            all.power += sum.power
            all.samples += sum.samples
        }
        reset()
        return Self.level(all)
    }

    /// Takes the level of the loudest channel.
    mutating func readLoudest() -> AudioLevel {
        var loudest = Sum()
        for sum in sums {
            loudest.peak = max(loudest.peak, sum.peak)
            loudest.power = max(loudest.power, sum.power)
            loudest.samples = sum.samples
        }
        reset()
        return Self.level(loudest)
    }

    private mutating func reset() {
        for channel in sums.indices { sums[channel] = Sum() }
    }

    @inline(__always)
    private mutating func add(_ bytes: UnsafeRawBufferPointer, _ sample: (Int) -> Double) {
        let frame = format.bytesPerFrame
        let end = bytes.count / frame * frame
        for channel in sums.indices {
            var sum = sums[channel]
            for offset in stride(from: channel * frame / sums.count, to: end, by: frame) {
                let value = sample(offset)
                let size = value.magnitude
                // A float may be NaN, which compares false and stays out.
                if size > sum.peak { sum.peak = size }
                if size < 1e6 { sum.power += size * size }
                sum.samples += 1
            }
            sums[channel] = sum
        }
    }

    private static func packed(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> Double {
        let low = UInt32(bytes[at]) << 8 | UInt32(bytes[at + 1]) << 16 | UInt32(bytes[at + 2]) << 24
        return Double(Int32(bitPattern: low)) / 0x8000_0000
    }

    private static func level(_ sum: Sum) -> AudioLevel {
        let mean = sum.samples == 0 ? 0 : sum.power / Double(sum.samples)
        return AudioLevel(
            peakDBFS: decibels(sum.peak), rmsDBFS: decibels(mean.squareRoot()), isClipped: sum.peak >= 1 - 1.0 / 32_768)
    }

    private static func decibels(_ amplitude: Double) -> Double {
        guard amplitude > 1e-6 else { return -120 }
        return min(0, 20 * decimalLogarithm(amplitude))
    }
}

/// Level of audio over a time. 0 dBFS is full scale, -120 dBFS and less is silence.
///
/// *thread-safe*
public struct AudioLevel: Hashable, Sendable {
    /// Loudest sample, dBFS, -120…0.
    public let peakDBFS: Double
    /// Root of the mean square, dBFS, -120…0: a sine of full scale has -3.01.
    public let rmsDBFS: Double
    /// True if a sample was at full scale, where converters clip.
    public let isClipped: Bool

    public init(peakDBFS: Double, rmsDBFS: Double, isClipped: Bool) {
        self.peakDBFS = peakDBFS
        self.rmsDBFS = rmsDBFS
        self.isClipped = isClipped
    }

    public static let silence = AudioLevel(peakDBFS: -120, rmsDBFS: -120, isClipped: false)
}
