/// Format of captured audio: interleaved frames of `channels` samples each.
///
/// *thread-safe*
public struct AudioFormat: Hashable, Sendable, Codable {
    /// Frames per second, in Hz.
    public let sampleRate: Int
    /// Samples per frame, 1 upwards.
    public let channels: Int
    /// Layout of one sample.
    public let sampleFormat: SampleFormat

    public init(sampleRate: Int, channels: Int, sampleFormat: SampleFormat) {
        self.sampleRate = sampleRate
        self.channels = channels
        self.sampleFormat = sampleFormat
    }

    /// Bytes of one frame: one sample of every channel, without padding.
    public var bytesPerFrame: Int { channels * sampleFormat.bytesPerSample }
}

/// Layout of one audio sample: little endian; the raw value is ALSA's name of the format.
///
/// *thread-safe*
public enum SampleFormat: String, Hashable, Sendable, Codable, CaseIterable {
    /// Signed, 16 bits.
    case s16 = "S16_LE"
    /// Signed, 24 bits in 3 bytes.
    case s24Packed = "S24_3LE"
    /// Signed, 24 bits in the low 3 of 4 bytes.
    case s24 = "S24_LE"
    /// Signed, 32 bits.
    case s32 = "S32_LE"
    /// IEEE 754 single precision, full scale ±1.0.
    case float32 = "FLOAT_LE"

    /// Bytes of one sample in memory.
    public var bytesPerSample: Int {
        switch self {
        case .s16: 2
        case .s24Packed: 3
        case .s24, .s32, .float32: 4
        }
    }

    /// Bits that carry audio; 32 for `.float32`, as containers report it.
    public var significantBits: Int {
        switch self {
        case .s16: 16
        case .s24Packed, .s24: 24
        case .s32, .float32: 32
        }
    }
}
