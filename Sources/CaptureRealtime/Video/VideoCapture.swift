/// A video source made ready: the stream for a ``RealtimeQueue`` and the reader of what it captures. Take both fields.
///
/// *session-bound*
@frozen
public struct VideoCapture<Source: VideoSource & ~Copyable>: ~Copyable {
    public var stream: VideoStream<Source>
    public var consumer: VideoRing.Consumer

    /// - Parameter control: For this capture alone.
    /// - Throws: `eventfd`, as the system says: close something, and try again.
    public init(_ source: consuming Source, control: LoopControl, counters: CaptureCounters) throws(RealtimeFault) {
        let endpoints = try VideoRing.make(buffers: source.buffers, control: control)
        stream = VideoStream(source, ring: endpoints.producer, control: control, counters: counters)
        consumer = endpoints.consumer
    }
}
