import Gate

/// Counts how many run at one time.
final class Overlap: Sendable {
    private let state = Locked((now: 0, most: 0))
    var most: Int { state.withLock { $0.most } }

    func run() async {
        state.withLock { state in
            state.now += 1
            state.most = max(state.most, state.now)
        }
        for _ in 0..<3 { await Task.yield() }
        state.withLock { $0.now -= 1 }
    }
}
