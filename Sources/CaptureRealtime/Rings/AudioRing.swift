/// A ring of periods between the capture thread and one reader. A slot holds a header and the bytes of one period; with
/// no free slot the incoming period is dropped and counted.
///
/// *thread-safe*
public enum AudioRing {
    /// The two ends of a ring. Take both fields.
    @frozen
    public struct Endpoints: ~Copyable, Sendable {
        public var producer: Producer
        public var consumer: Consumer
    }

    /// Makes a ring.
    ///
    /// - Parameters:
    ///   - slots: Periods that fit, 2 upwards.
    ///   - slotBytes: The bytes of a whole period.
    ///   - control: The loop's own; a second ring with it traps.
    /// - Throws: `memfd_create`, `mmap` or `eventfd`, as the system says: close something, and try again.
    public static func make(slots: Int, slotBytes: Int, control: LoopControl) throws(RealtimeFault) -> Endpoints {
        let owner = AudioRingOwner(try AudioRingCore(slots: slots, slotBytes: slotBytes), control)
        return Endpoints(producer: Producer(owner, control.word), consumer: Consumer(owner, control.word))
    }
}
