import CMedia
import CaptureBase

/// An open PCM; deinit closes it. The corresponding C functions are `snd_pcm_open` and `snd_pcm_close`.
///
/// *session-bound*
@safe
struct PCMHandle: ~Copyable, @unchecked Sendable {
    // `@unchecked Sendable`: only this value owns the pointer.
    let pcm: OpaquePointer

    init(opening name: String) throws(RealtimeFault) {
        unsafe pcm = try Self.opened { pcm in unsafe cm_pcm_open(&pcm, name) }
    }

    /// Opens a PCM for playback.
    init(playing name: String) throws(RealtimeFault) {
        unsafe pcm = try Self.opened { pcm in unsafe cm_playback_open(&pcm, name) }
    }

    private static func opened(_ open: (inout OpaquePointer?) -> Int32) throws(RealtimeFault) -> OpaquePointer {
        // Before the first open: sets LIBASOUND_THREAD_SAFE=0, otherwise libasound takes two mutexes for each read.
        let isSetUp = cm_alsa_setup()
        guard isSetUp >= 0 else { throw RealtimeFault(.openPCM, result: isSetUp) }
        var pcm: OpaquePointer?
        let opened = unsafe open(&pcm)
        guard opened >= 0, let pcm = unsafe pcm else { throw RealtimeFault(.openPCM, result: opened) }
        return unsafe pcm
    }

    /// Libasound's description of the PCM. The corresponding C function is `snd_pcm_dump`.
    ///
    /// - Parameter byteCount: Maximum length of the text.
    /// - Returns: `nil` if the description is empty or longer.
    /// - Throws: `snd_pcm_dump`'s error.
    func dump(upTo byteCount: Int) throws(RealtimeFault) -> String? {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        let pcm = unsafe pcm
        let length = unsafe bytes.withUnsafeMutableBytes { buffer -> Int64 in
            guard let start = buffer.baseAddress else { return 0 }
            return unsafe cm_pcm_dump(pcm, start, buffer.count)
        }
        if length == -Int64(ENAMETOOLONG) || length == -Int64(ENOSYS) { return nil }
        guard length >= 0 else { throw RealtimeFault(.infoPCM, result: Int32(truncatingIfNeeded: length)) }
        return String(decoding: bytes.prefix(Int(length)), as: UTF8.self)
    }

    deinit {
        _ = unsafe cm_pcm_close(pcm)
    }
}

/// Negotiation of hardware and software parameters with an open PCM: the nearest to the request that the device supports.
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

    /// Chooses SND_PCM_ACCESS_RW_INTERLEAVED, otherwise SND_PCM_ACCESS_RW_NONINTERLEAVED.
    private mutating func chooseAccess() throws(RealtimeFault) {
        isInterleaved = unsafe cm_hw_test_access(pcm, parameters, 3) >= 0
        _ = try unsafe checked(.accessPCM, cm_hw_set_access(pcm, parameters, isInterleaved ? 3 : 4))
    }

    /// Chooses the requested format, otherwise the one with the least loss: wide before narrow.
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

    /// Asks for four periods in the buffer, otherwise for two. A device whose only period is its whole buffer has overrun by the
    /// time it is read, so a small buffer must have smaller periods.
    private func preferSeveralPeriods() {
        for periods in [4, 2] as [UInt32] where unsafe cm_hw_set_periods_least(pcm, parameters, periods) >= 0 { return }
    }

    /// Applies the parameters and reads back the results, since drivers round once more.
    private mutating func commit() throws(RealtimeFault) {
        _ = try unsafe checked(.commitPCM, cm_hw_commit(pcm, parameters))
        got.periodFrames = try unsafe checked(.periodPCM, cm_hw_period(parameters))
        got.bufferFrames = try unsafe checked(.bufferPCM, cm_hw_buffer(parameters))
        // A device that insists on one period is read at half of its buffer, before it is full.
        got.periodFrames = max(1, min(got.periodFrames, got.bufferFrames / 2))
        _ = try unsafe checked(.softwareParametersPCM, cm_sw_commit(pcm, UInt64(got.periodFrames)))
    }
}

/// Playback device for a bench's test sounds. It captures nothing, so it needs no permission. It is not part of the capture loop,
/// and does not follow the loop's rules.
///
/// *session-bound*
@safe
package struct PCMPlayback: ~Copyable, Sendable {
    private let handle: PCMHandle
    private let channels: Int

    /// Opens a device for samples of 16 bits.
    ///
    /// - Parameters:
    ///   - name: ALSA's name.
    ///   - rate: frames per second, which the device must support; `plughw:` converts.
    ///   - channels: samples per frame.
    ///   - latency: length of its buffer in ns.
    /// - Throws: ENOENT or ENODEV: there is no such device. EBUSY: another process plays on it. EINVAL of `snd_pcm_set_params`: it
    ///   can't play this.
    package init(opening name: String, rate: Int, channels: Int, latency: Int64) throws(RealtimeFault) {
        let handle = try PCMHandle(playing: name)
        let microseconds = UInt32(clamping: latency / 1000)
        _ = try unsafe checked(
            .setPlaybackPCM,
            cm_playback_set(
                handle.pcm, PCMFormat.s16.rawValue, UInt32(clamping: channels), UInt32(clamping: rate), microseconds))
        self.handle = handle
        self.channels = channels
    }

    /// Writes as many samples as there is space for.
    ///
    /// - Parameter samples: interleaved, of whole frames.
    /// - Returns: number of frames written; 0 after 100 ms without any space.
    /// - Throws: EPIPE after an underrun; the errno of a device that has gone.
    package func write(_ samples: ArraySlice<Int16>) throws(RealtimeFault) -> Int {
        let pcm = unsafe handle.pcm
        // The write reports an error of the wait, too.
        _ = unsafe cm_playback_wait(pcm, 100)
        let frames = Int64(samples.count / channels)
        let written = unsafe samples.withUnsafeBytes { bytes -> Int64 in
            guard let start = bytes.baseAddress else { return 0 }
            return unsafe cm_playback_write(pcm, start, frames)
        }
        return written == -Int64(EAGAIN) ? 0 : try checked(.writePCM, written)
    }

    /// Frames that will be played before the next written one; `nil` while it does not play.
    package var delay: Int? {
        // SND_PCM_STATE_RUNNING
        guard unsafe cm_pcm_state(handle.pcm) == 3 else { return nil }
        var frames: Int64 = 0
        return unsafe cm_playback_delay(handle.pcm, &frames) >= 0 ? Int(frames) : nil
    }
}
