import CMedia

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
