import Synchronization

/// What both kinds of ring tell their reader beside the units: "look again", and how the loop ended.
struct RingEnding: ~Copyable, Sendable {
    let signal: EventSignal
    private let packed = Atomic<UInt64>(0)

    init() throws(RealtimeFault) {
        signal = try EventSignal()
    }

    var result: LoopResult? { LoopResult(packed: packed.load(ordering: .acquiring)) }

    func end(_ result: LoopResult) {
        packed.store(result.packed, ordering: .releasing)
        signal.raise()
    }
}
