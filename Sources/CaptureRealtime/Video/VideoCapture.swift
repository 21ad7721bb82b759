/// A video source made ready: the track for a ``RealtimeQueue`` and the reader of what it captures. Take both fields.
///
/// *session-bound*
@frozen
public struct VideoCapture<Source: VideoSource & ~Copyable>: ~Copyable {
    public var track: VideoTrack<Source>
    public var consumer: VideoRing.Consumer

    /// - Parameter control: For this capture alone.
    /// - Throws: `eventfd`, as the system says: close something, and try again.
    public init(_ source: consuming Source, control: LoopControl, counters: LoopCounters) throws(RealtimeFault) {
        let ends = try VideoRing.make(buffers: source.buffers, control: control)
        track = VideoTrack(source, ring: ends.producer, control: control, counters: counters)
        consumer = ends.consumer
    }
}
