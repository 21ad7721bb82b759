import Synchronization

/// Has all recordings begin at once, and knows what the process takes from then until the first has ended.
///
/// *thread-safe*
final class SharedCost: Sendable {
    private struct State {
        var missing: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
        var first: Moment?
        var last: Moment?
    }

    private let state: Mutex<State>

    init(recordings: Int) { state = Mutex(State(missing: recordings)) }

    /// Waits until every recording has its devices open.
    func begin() async {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                state.waiting.append(continuation)
                state.missing -= 1
                guard state.missing == 0 else { return [] }
                state.first = Moment()
                return state.waiting
            }
            for waiting in ready { waiting.resume() }
        }
    }

    func end() {
        state.withLock { $0.last = $0.last ?? Moment() }
    }

    /// Seconds by the clock, of processor for this process, and of processor for nobody.
    var json: String {
        let (first, last) = state.withLock { ($0.first, $0.last) }
        guard let first, let last else { return "{}" }
        let (seconds, processor) = (last.clock - first.clock, last.processor - first.processor)
        return "{\"seconds\":\(seconds),\"processor\":\(processor),\"idle\":\(last.idle - first.idle)}"
    }
}
