/// An audio source made ready: the track for a ``RealtimeQueue`` and the reader of what it captures. Take both fields.
///
/// *session-bound*
@frozen
public struct AudioCapture<Source: AudioSource & ~Copyable>: ~Copyable {
    public var track: AudioTrack<Source>
    public var consumer: AudioRing.Consumer

    /// - Parameters:
    ///   - slots: Periods that the ring holds, 2 upwards; 0 for two seconds of them.
    ///   - control: For this capture alone.
    /// - Throws: `memfd_create`, `mmap` or `eventfd`, as the system says: close something, and try again.
    public init(
        _ source: consuming Source, slots: Int = 0, control: LoopControl, counters: LoopCounters
    ) throws(RealtimeFault) {
        let settings = source.settings
        let twoSeconds = max(4, 2 * settings.rate / settings.periodFrames)
        let ends = try AudioRing.make(
            slots: slots == 0 ? twoSeconds : slots, slotBytes: settings.periodFrames * settings.bytesPerFrame,
            control: control)
        track = AudioTrack(source, ring: ends.producer, control: control, counters: counters)
        consumer = ends.consumer
    }
}
