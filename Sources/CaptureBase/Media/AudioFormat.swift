/// What a microphone delivers: interleaved frames of `channels` samples each.
///
/// *thread-safe*
public struct AudioFormat: Hashable, Sendable, Codable {
    /// Frames a second, in Hz.
    public let sampleRate: Int
    public let channels: Int
    public let sampleFormat: SampleFormat

    public init(sampleRate: Int, channels: Int, sampleFormat: SampleFormat) {
        self.sampleRate = sampleRate
        self.channels = channels
        self.sampleFormat = sampleFormat
    }

    public var bytesPerFrame: Int { channels * sampleFormat.bytesPerSample }
}

/// How one sample of sound stands in memory; little endian, interleaved.
///
/// *thread-safe*
public enum SampleFormat: String, Hashable, Sendable, Codable, CaseIterable {
    /// Signed 16 bit.
    case s16 = "S16_LE"
    /// Signed 24 bit in 3 bytes.
    case s24Packed = "S24_3LE"
    /// Signed 24 bit in the low 3 bytes of 4.
    case s24 = "S24_LE"
    /// Signed 32 bit.
    case s32 = "S32_LE"
    /// IEEE 754 single, full scale ±1.0.
    case float32 = "FLOAT_LE"

    public var bytesPerSample: Int {
        switch self {
        case .s16: 2
        case .s24Packed: 3
        case .s24, .s32, .float32: 4
        }
    }

    /// Bits that carry sound.
    public var significantBits: Int {
        switch self {
        case .s16: 16
        case .s24Packed, .s24: 24
        case .s32, .float32: 32
        }
    }
}
