import CMedia
import CaptureBase

/// What a PCM is asked to do, or does.
///
/// *thread-safe*
public struct PCMSettings: BitwiseCopyable, Sendable, Hashable {
    /// Frames a second, Hz.
    public var rate: Int
    public var channels: Int
    public var format: PCMFormat
    /// Frames from wake-up to wake-up; 0 asks for ``periodTime``.
    public var periodFrames: Int
    /// What a period is asked to last where no frames are said, ns; 0 asks for 10 ms. How many frames that are is known
    /// once the device has its rate, which need not be the one asked for.
    public var periodTime: Int64
    /// Frames that the device holds before it overruns; 0 asks for 500 ms.
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

    /// Frames of the period that is asked for, 1 or more.
    ///
    /// - Parameter rate: that the device has taken, Hz.
    public func wantedPeriod(at rate: Int) -> Int {
        if periodFrames > 0 { return periodFrames }
        let wanted = SampleClock(rate: rate).frames(periodTime > 0 ? periodTime : 10_000_000)
        return max(1, Int(clamping: wanted))
    }

    public var bytesPerFrame: Int { channels * format.bytesPerSample }

    /// ns from period to period.
    public var periodNanoseconds: Int64 { SampleClock(rate: rate).nanoseconds(Int64(periodFrames)) }
}

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

/// What lies behind the name of a PCM: snd_pcm_type_t of its outermost plugin.
///
/// *thread-safe*
public struct PCMType: RawRepresentable, BitwiseCopyable, Sendable, Hashable {
    public let rawValue: Int32

    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// The kernel's own device.
    public static let hardware = PCMType(rawValue: 0)
    /// Somebody's code: PulseAudio, PipeWire, JACK, Bluetooth.
    public static let ioplug = PCMType(rawValue: 28)

    /// The kernel's device, or conversions in front of one: hw, hooks, copy, linear, alaw, mulaw, rate, route, plug,
    /// float, iec958, softvol, mmap emulation. Anything else may spin or call a server.
    var isHardwareOrConversion: Bool {
        [0, 1, 7, 8, 9, 10, 12, 13, 14, 20, 26, 27, 30].contains(rawValue)
    }
}

/// Finds with an open PCM what comes nearest to what was asked for, and takes it into use.
///
/// In ALSA's order: access, format, channels, rate, then sizes, because each choice narrows the next: how many frames a
/// period has follows from the rate that was got. The corresponding C
/// functions are `snd_pcm_hw_params_*` and `snd_pcm_sw_params_*`.
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

    /// SND_PCM_ACCESS_RW_INTERLEAVED, else SND_PCM_ACCESS_RW_NONINTERLEAVED.
    private mutating func chooseAccess() throws(RealtimeFault) {
        isInterleaved = unsafe cm_hw_test_access(pcm, parameters, 3) >= 0
        _ = try unsafe checked(.accessPCM, cm_hw_set_access(pcm, parameters, isInterleaved ? 3 : 4))
    }

    /// What was asked for, else the format that loses least.
    private mutating func chooseFormat() throws(RealtimeFault) {
        let order = [got.format, .s32, .s24, .s24Packed, .float32, .s16]
        let found = order.first { unsafe cm_hw_test_format(pcm, parameters, $0.rawValue) >= 0 }
        guard let found else { throw RealtimeFault(.formatPCM, result: -EINVAL) }
        got.format = found
        _ = try unsafe checked(.formatPCM, cm_hw_set_format(pcm, parameters, found.rawValue))
    }

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

    /// A device whose one period is its whole buffer has overrun by the time it is read, so a small buffer gets smaller
    /// periods: four of them, else two.
    private func preferSeveralPeriods() {
        for periods in [4, 2] as [UInt32] where unsafe cm_hw_set_periods_least(pcm, parameters, periods) >= 0 { return }
    }

    private mutating func commit() throws(RealtimeFault) {
        _ = try unsafe checked(.commitPCM, cm_hw_commit(pcm, parameters))
        got.periodFrames = try unsafe checked(.periodPCM, cm_hw_period(parameters))
        got.bufferFrames = try unsafe checked(.bufferPCM, cm_hw_buffer(parameters))
        // Of a device that can't but have one period, at least what is there is taken before it is full.
        got.periodFrames = max(1, min(got.periodFrames, got.bufferFrames / 2))
        _ = try unsafe checked(.softwareParametersPCM, cm_sw_commit(pcm, UInt64(got.periodFrames)))
    }
}
