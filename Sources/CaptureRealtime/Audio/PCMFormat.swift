/// How a sample stands in memory; little endian. The numbers are ALSA's (snd_pcm_format_t).
///
/// *thread-safe*
public enum PCMFormat: Int32, BitwiseCopyable, Sendable, Hashable, CaseIterable {
    /// Signed 16 bit.
    case s16 = 2
    /// Signed 24 bit in the low three bytes of four.
    case s24 = 6
    /// Signed 32 bit.
    case s32 = 10
    /// IEEE 754 single, full scale ±1.0.
    case float32 = 14
    /// Signed 24 bit in three bytes.
    case s24Packed = 32

    public var bytesPerSample: Int {
        switch self {
        case .s16: 2
        case .s24Packed: 3
        case .s24, .s32, .float32: 4
        }
    }
}
