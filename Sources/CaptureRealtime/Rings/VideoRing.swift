/// A ring that lends the driver's own buffers to one reader. Nothing is copied: what stands in the ring is the numbers of
/// filled buffers. A reader too slow loses pictures, the oldest ones first, never the device its buffers.
///
/// *thread-safe*
public enum VideoRing {
    /// The two ends of a ring. Take both fields.
    @frozen
    public struct Endpoints: ~Copyable, Sendable {
        public var producer: Producer
        public var consumer: Consumer
    }

    /// Makes a ring.
    ///
    /// - Parameters:
    ///   - buffers: What the source fills. The ring unmaps them.
    ///   - control: The loop's own; a second ring with it traps.
    /// - Throws: `eventfd`, as the system says: close something, and try again.
    public static func make(buffers: FrameBuffers, control: LoopControl) throws(RealtimeFault) -> Endpoints {
        let owner = VideoRingOwner(try VideoRingCore(buffers: buffers), control)
        return Endpoints(producer: Producer(owner, control.word), consumer: Consumer(owner, control.word))
    }
}
