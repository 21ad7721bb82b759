import CaptureBase
import CaptureRealtime

/// The sound of `test:tone`: a sine of 997 Hz at -20 dBFS (AES17: 0 dBFS is a full-scale sine), the same in all channels.
///
/// 997 is prime, so the samples of one second are all different positions in the wave, and every second is the same. The sine
/// is calculated here and not by the C library, so the same sample has the same bytes on every machine.
///
/// *thread-safe*
public struct TestToneSamples: Sendable {
    /// Hz.
    public static let frequency = 997
    /// Of full scale: -20 dB.
    public static let amplitude = 0.1

    /// The samples of one second, one channel, as they stand in memory.
    let second: [UInt8]
    let settings: PCMSettings

    init(_ settings: PCMSettings) {
        self.settings = settings
        let size = settings.format.bytesPerSample
        second = (0..<settings.rate).flatMap { index -> [UInt8] in
            let value = TestToneSamples.value(at: index, rate: settings.rate)
            return (0..<size).map {
                UInt8(truncatingIfNeeded: TestToneSamples.bits(value, settings.format) >> (8 * $0))
            }
        }
    }

    /// The value of a sample, -0.1…0.1.
    ///
    /// - Parameters:
    ///   - index: of the frame, from the start of the capture.
    ///   - rate: Hz.
    public static func value(at index: Int, rate: Int) -> Double {
        let phase = index % rate * frequency % rate
        return amplitude * sine(Double(phase) / Double(rate))
    }

    /// One sample of the click that `--clap` puts into each second: 0.9 of full scale.
    static func click(_ format: PCMFormat) -> [UInt8] {
        (0..<format.bytesPerSample).map { UInt8(truncatingIfNeeded: bits(0.9, format) >> (8 * $0)) }
    }

    /// The bytes of frames.
    ///
    /// - Parameters:
    ///   - index: of the first frame, from the start of the capture.
    ///   - count: frames.
    ///   - format: rate, channels and sample format of the bytes.
    public static func bytes(from index: Int, count: Int, format: AudioFormat) -> [UInt8] {
        let sample = format.sampleFormat.pcm
        return (index..<index + count).flatMap { frame -> [UInt8] in
            let word = bits(value(at: frame, rate: format.sampleRate), sample)
            let one = (0..<sample.bytesPerSample).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
            return (0..<format.channels).flatMap { _ in one }
        }
    }

    /// A sample as its format has it, low byte first.
    private static func bits(_ value: Double, _ format: PCMFormat) -> UInt32 {
        switch format {
        case .s16: UInt32(bitPattern: Int32((value * 32_768).rounded(.toNearestOrEven)))
        case .s24, .s24Packed: UInt32(bitPattern: Int32((value * 8_388_608).rounded(.toNearestOrEven)))
        case .s32: UInt32(bitPattern: Int32((value * 2_147_483_648).rounded(.toNearestOrEven)))
        case .float32: Float(value).bitPattern
        }
    }

    /// sin(2πx) by its power series, after folding x into a quarter of a turn: exact to the last bits of a Double.
    private static func sine(_ turn: Double) -> Double {
        var x = turn - turn.rounded(.down)
        if x > 0.5 { return -sine(1 - x) }
        if x > 0.25 { x = 0.5 - x }
        let angle = 2 * Double.pi * x
        var (term, sum) = (angle, angle)
        for power in stride(from: 3.0, through: 25.0, by: 2.0) {
            term *= -angle * angle / (power * (power - 1))
            sum += term
        }
        return sum
    }
}
