import CaptureBase
import Synchronization

/// The operations of a queue that have not ended, in parts: whoever adds one seldom meets those who end one.
///
/// *thread-safe*
struct LiveOperations: ~Copyable, Sendable {
    private static var parts: Int { 8 }

    private let places = InlineArray<8, Locked<Places<OperationNode>>> { _ in Locked(Places()) }
    private let living = Atomic(0)
    private let turn = Atomic(0)

    var count: Int { living.load(ordering: .sequentiallyConsistent) }

    func add(_ node: OperationNode) {
        living.add(1, ordering: .sequentiallyConsistent)
        let part = turn.wrappingAdd(1, ordering: .relaxed).oldValue & (Self.parts - 1)
        places[part].withLock { places in
            node.place.store(places.add(node) * Self.parts + part, ordering: .relaxed)
        }
    }

    /// - Returns: whether it was the last.
    func remove(_ node: OperationNode) -> Bool {
        let place = node.place.load(ordering: .relaxed)
        places[place % Self.parts].withLock { $0.remove(place / Self.parts) }
        return living.subtract(1, ordering: .sequentiallyConsistent).newValue == 0
    }

    var all: [OperationNode] {
        places.indices.flatMap { part in places[part].withLock { $0.all } }
    }
}
