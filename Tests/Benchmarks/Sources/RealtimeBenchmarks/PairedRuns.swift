/// Several measurements of two sides. Who goes first alternates, so that what the machine does besides meets both.
struct PairedRuns {
    private(set) var ours: [Double] = []
    private(set) var peer: [Double] = []

    /// - Parameter peer: `nil` for a profiler, that wants to see us alone.
    init(_ count: Int, ours: () -> Double, peer: (() -> Double)?) {
        for number in 0..<count {
            if number.isMultiple(of: 2), let peer { self.peer.append(peer()) }
            self.ours.append(ours())
            if !number.isMultiple(of: 2), let peer { self.peer.append(peer()) }
        }
    }

    /// Of the rounds' own ratios: the two sides of a round meet the machine in the same state, those of different rounds
    /// need not.
    var ratio: Double? { peer.isEmpty ? nil : zip(ours, peer).map { $0 / $1 }.median }
}
