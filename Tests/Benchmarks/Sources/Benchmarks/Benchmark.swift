/// One thing that is measured, and the peer's way of doing the same.
struct Benchmark: Sendable {
    let name: String
    /// Operations a run: times are per operation.
    let operations: Int
    /// The largest ratio of our time to the peer's that passes; `nil` if it is only shown.
    var goal: Double?
    let ours: @Sendable () async -> Void
    /// `nil` if the peer has nothing like it.
    var peer: (@Sendable () -> Void)?
}

extension Benchmark {
    /// Runs both once.
    private func round(peerFirst: Bool) async -> (ours: Cost, peer: Cost?) {
        let before = peerFirst ? peer.map { Cost.of($0) } : nil
        let ours = await Cost.ofAsync(ours)
        let after = peerFirst ? nil : peer.map { Cost.of($0) }
        return (ours, before ?? after)
    }

    /// The medians of several rounds. Who goes first changes from round to round, so that what the machine does besides
    /// meets both.
    func measure(rounds: Int) async -> Measurement {
        _ = await round(peerFirst: false)
        var ours: [Cost] = []
        var peers: [Cost] = []
        for number in 0..<rounds {
            let costs = await round(peerFirst: number.isMultiple(of: 2))
            ours.append(costs.ours)
            if let peer = costs.peer { peers.append(peer) }
        }
        return Measurement(
            name: name, goal: goal, ours: ours.median / operations,
            peer: peers.isEmpty ? nil : peers.median / operations)
    }
}
