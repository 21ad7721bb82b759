/// An audio source made ready: the stream for a ``RealtimeQueue`` and the reader of what it captures. Take both fields.
///
/// *session-bound*
@frozen
public struct AudioCapture<Source: AudioSource & ~Copyable>: ~Copyable {
    public var stream: AudioStream<Source>
    public var consumer: AudioRing.Consumer

    /// - Parameters:
    ///   - slots: Periods that the ring holds, 2 upwards; 0 for two seconds of them.
    ///   - control: For this capture alone.
    /// - Throws: `memfd_create`, `mmap` or `eventfd`, as the system says: close something, and try again.
    public init(
        _ source: consuming Source, slots: Int = 0, control: LoopControl, counters: CaptureCounters
    ) throws(RealtimeFault) {
        let settings = source.settings
        let twoSeconds = max(4, 2 * settings.rate / settings.periodFrames)
        let endpoints = try AudioRing.make(
            slots: slots == 0 ? twoSeconds : slots, slotBytes: settings.periodFrames * settings.bytesPerFrame,
            control: control)
        stream = AudioStream(source, ring: endpoints.producer, control: control, counters: counters)
        consumer = endpoints.consumer
    }
}
