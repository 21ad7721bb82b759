import CSystem
import Gate

/// Nodes that nobody held when it was last looked, for as long as a gate may take to look again: one walk through all
/// processes' descriptors for a request instead of one for each of its questions. That somebody holds a node is never kept;
/// and who took one meanwhile is found when it is opened.
///
/// *thread-safe*
final class FreeNodes: Sendable {
    /// How long that nobody holds a node is believed, nanoseconds.
    static let patience: Int64 = 1_000_000_000

    private let seen = Locked<[String: Int64]>([:])
    private let now: @Sendable () -> Int64
    private let look: @Sendable ([String]) -> [String: [DeviceHolders.Holding]]

    /// - Parameters:
    ///   - now: nanoseconds of a clock that never goes back.
    ///   - look: who holds which of the nodes.
    init(
        now: @escaping @Sendable () -> Int64 = { cs_clock_ns(Int32(CS_CLOCK_MONOTONIC)) },
        look: @escaping @Sendable ([String]) -> [String: [DeviceHolders.Holding]] = { DeviceHolders.holdings(of: $0) }
    ) {
        self.now = now
        self.look = look
    }

    /// Looks anew.
    func renew(_ nodes: [String]) -> [String: [DeviceHolders.Holding]] {
        let at = now()
        let holdings = look(nodes)
        seen.withLock { seen in
            for node in nodes { seen[node] = holdings[node] == nil ? at : nil }
        }
        return holdings
    }

    /// Looks where it is not known that nobody holds them.
    func holdings(of nodes: [String]) -> [String: [DeviceHolders.Holding]] {
        let now = now()
        let free = seen.withLock { $0.filter { now - $0.value <= Self.patience } }
        let unknown = nodes.filter { free[$0] == nil }
        return unknown.isEmpty ? [:] : renew(unknown)
    }
}
