import CaptureBase

/// Parameters of a PCM, requested or obtained.
///
/// *thread-safe*
public struct PCMSettings: BitwiseCopyable, Sendable, Hashable {
    /// Sample rate in Hz.
    public var rate: Int
    public var channels: Int
    public var format: PCMFormat
    /// Frames from wake-up to wake-up; 0 asks for ``periodTime``.
    public var periodFrames: Int
    /// Requested duration of a period in ns, used if ``periodFrames`` is 0; 0 asks for 10 ms. The frames are known only once the
    /// device has its rate, which may differ from the request.
    public var periodTime: Int64
    /// Frames that the device buffers before it overruns; 0 asks for 500 ms.
    public var bufferFrames: Int

    public init(
        rate: Int = 48_000, channels: Int = 2, format: PCMFormat = .s16, periodFrames: Int = 0, bufferFrames: Int = 0,
        periodTime: Int64 = 0
    ) {
        self.rate = rate
        self.channels = channels
        self.format = format
        self.periodFrames = periodFrames
        self.bufferFrames = bufferFrames
        self.periodTime = periodTime
    }

    /// Requested frames of a period, 1 or more.
    ///
    /// - Parameter rate: Rate obtained from the device, Hz.
    public func wantedPeriod(at rate: Int) -> Int {
        if periodFrames > 0 { return periodFrames }
        let wanted = SampleClock(rate: rate).frames(periodTime > 0 ? periodTime : 10_000_000)
        return max(1, Int(clamping: wanted))
    }

    public var bytesPerFrame: Int { channels * format.bytesPerSample }

    /// Duration of a period, ns.
    public var periodNanoseconds: Int64 { SampleClock(rate: rate).nanoseconds(Int64(periodFrames)) }
}

/// Sample format in memory, little endian. The raw values are ALSA's (snd_pcm_format_t).
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

/// Type of a PCM's outermost plugin (snd_pcm_type_t).
///
/// *thread-safe*
public struct PCMType: RawRepresentable, BitwiseCopyable, Sendable, Hashable {
    public let rawValue: Int32

    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// A kernel device.
    public static let hardware = PCMType(rawValue: 0)
    /// A plugin of external code: PulseAudio, PipeWire, JACK, Bluetooth.
    public static let ioplug = PCMType(rawValue: 28)

    /// True for a kernel device with or without conversions in front of it: hw, hooks, copy, linear, alaw, mulaw, rate,
    /// route, plug, float, iec958, softvol, mmap emulation. Any other type may spin or call a server.
    var isHardwareOrConversion: Bool {
        [0, 1, 7, 8, 9, 10, 12, 13, 14, 20, 26, 27, 30].contains(rawValue)
    }
}
