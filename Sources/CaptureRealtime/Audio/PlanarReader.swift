import CMedia

/// Reads from a device that keeps its channels apart, and weaves them together: what is above knows interleaved alone.
///
/// *realtime-safe*
@safe
struct PlanarReader: ~Copyable, @unchecked Sendable {
    // Sendable by hand because of the pointers, which this alone owns.
    private let memory: UnsafeMutableRawPointer
    private let channels: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private let channelCount: Int
    private let sampleBytes: Int

    init(_ settings: PCMSettings) {
        channelCount = settings.channels
        sampleBytes = settings.format.bytesPerSample
        let plane = settings.periodFrames * sampleBytes
        unsafe memory = .allocate(byteCount: plane * channelCount, alignment: 64)
        unsafe channels = .allocate(capacity: channelCount)
        for channel in 0..<channelCount {
            unsafe (channels + channel).initialize(to: memory + channel * plane)
        }
    }

    deinit {
        unsafe channels.deallocate()
        unsafe memory.deallocate()
    }

    /// - Parameter frames: At most a period.
    /// - Returns: As snd_pcm_readn.
    @_noLocks @_noAllocation
    func read(_ pcm: OpaquePointer, into target: UnsafeMutableRawPointer, frames: Int) -> Int64 {
        let count = unsafe cm_pcm_readn(pcm, channels, Int64(frames))
        guard count > 0 else { return count }
        unsafe weave(into: target, frames: Int(count))
        return count
    }

    /// Where a channel's samples are read to.
    @_noLocks @_noAllocation
    func plane(_ channel: Int) -> UnsafeMutableRawPointer? {
        unsafe channels[channel]
    }

    @_noLocks @_noAllocation
    func weave(into target: UnsafeMutableRawPointer, frames: Int) {
        for channel in 0..<channelCount {
            guard let source = unsafe plane(channel) else { continue }
            unsafe weave(source, into: target + channel &* sampleBytes, frames: frames)
        }
    }

    @_noLocks @_noAllocation
    private func weave(_ source: UnsafeMutableRawPointer, into target: UnsafeMutableRawPointer, frames: Int) {
        for frame in 0..<frames {
            unsafe (target + frame &* channelCount &* sampleBytes).copyMemory(
                from: source + frame &* sampleBytes, byteCount: sampleBytes)
        }
    }
}
