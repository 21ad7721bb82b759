import CMedia
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
    /// Requested duration of a period in ns, used where ``periodFrames`` is 0; 0 asks for 10 ms. The frames are known
    /// only once the device has its rate, which may differ from the request.
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

/// Negotiation of hardware and software parameters with an open PCM: the nearest to the request that the device can do.
///
/// The order is ALSA's: access, format, channels, rate, then sizes, because each choice narrows the next: the frames of
/// a period follow from the rate obtained. The corresponding C functions are `snd_pcm_hw_params_*` and
/// `snd_pcm_sw_params_*`.
///
/// *session-bound*
@safe
struct PCMNegotiation: ~Copyable {
    private let pcm: OpaquePointer
    private let parameters: OpaquePointer
    private(set) var got: PCMSettings
    private(set) var isInterleaved = true

    init(_ handle: borrowing PCMHandle, asked: PCMSettings) throws(RealtimeFault) {
        guard let parameters = unsafe cm_hw_new() else { throw RealtimeFault(.parametersPCM, result: -ENOMEM) }
        unsafe pcm = handle.pcm
        unsafe self.parameters = parameters
        got = asked
    }

    /// Sets the parameters.
    ///
    /// - Throws: The call that failed. EINVAL: the device supports nothing of the kind.
    mutating func negotiate() throws(RealtimeFault) {
        let asked = got
        _ = try unsafe checked(.parametersPCM, cm_hw_any(pcm, parameters))
        try chooseAccess()
        try chooseFormat()
        try chooseSizes(asked)
        try commit()
    }

    deinit {
        unsafe cm_hw_free(parameters)
    }

    /// Chooses SND_PCM_ACCESS_RW_INTERLEAVED, else SND_PCM_ACCESS_RW_NONINTERLEAVED.
    private mutating func chooseAccess() throws(RealtimeFault) {
        isInterleaved = unsafe cm_hw_test_access(pcm, parameters, 3) >= 0
        _ = try unsafe checked(.accessPCM, cm_hw_set_access(pcm, parameters, isInterleaved ? 3 : 4))
    }

    /// Chooses the requested format, else the one that loses least: wide before narrow.
    private mutating func chooseFormat() throws(RealtimeFault) {
        let order = [got.format, .s32, .s24, .s24Packed, .float32, .s16]
        let found = order.first { unsafe cm_hw_test_format(pcm, parameters, $0.rawValue) >= 0 }
        guard let found else { throw RealtimeFault(.formatPCM, result: -EINVAL) }
        got.format = found
        _ = try unsafe checked(.formatPCM, cm_hw_set_format(pcm, parameters, found.rawValue))
    }

    /// Chooses channels and rate, and then the sizes that depend on the rate.
    private mutating func chooseSizes(_ asked: PCMSettings) throws(RealtimeFault) {
        let (channels, rate) = (UInt32(clamping: asked.channels), UInt32(clamping: asked.rate))
        got.channels = try unsafe checked(.channelsPCM, cm_hw_set_channels_near(pcm, parameters, channels))
        got.rate = try unsafe checked(.ratePCM, cm_hw_set_rate_near(pcm, parameters, rate))
        preferSeveralPeriods()
        got.periodFrames = try unsafe checked(
            .periodPCM, cm_hw_set_period_near(pcm, parameters, UInt64(asked.wantedPeriod(at: got.rate))))
        let buffer = asked.bufferFrames > 0 ? asked.bufferFrames : max(got.rate / 2, 4 * got.periodFrames)
        got.bufferFrames = try unsafe checked(
            .bufferPCM, cm_hw_set_buffer_near(pcm, parameters, UInt64(buffer)))
    }

    /// Asks for four periods in the buffer, else two. A device whose only period is its whole buffer has overrun by the
    /// time it is read, so a small buffer must have smaller periods.
    private func preferSeveralPeriods() {
        for periods in [4, 2] as [UInt32] where unsafe cm_hw_set_periods_least(pcm, parameters, periods) >= 0 { return }
    }

    /// Applies the parameters and reads back what they became: drivers round once more.
    private mutating func commit() throws(RealtimeFault) {
        _ = try unsafe checked(.commitPCM, cm_hw_commit(pcm, parameters))
        got.periodFrames = try unsafe checked(.periodPCM, cm_hw_period(parameters))
        got.bufferFrames = try unsafe checked(.bufferPCM, cm_hw_buffer(parameters))
        // A device that insists on one period is read at half of its buffer, before it is full.
        got.periodFrames = max(1, min(got.periodFrames, got.bufferFrames / 2))
        _ = try unsafe checked(.softwareParametersPCM, cm_sw_commit(pcm, UInt64(got.periodFrames)))
    }
}
