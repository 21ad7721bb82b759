import Synchronization
import Testing

/// Runs a few of the test cases at once; the others wait for their turn.
///
/// Hundreds of programs on a few processors all stop for seconds: a recording loses frames, and a clip is over before anybody has
/// read of its beginning.
struct FewAtOnce: SuiteTrait, TestTrait, TestScoping {
    private static let turns = Turns(count: 6)

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
        await Self.turns.take()
        defer { Self.turns.giveBack() }
        try await body()
    }
}

extension Trait where Self == FewAtOnce {
    static var fewAtOnce: Self { Self() }
}

/// A limited number of turns, in the order of the requests.
private final class Turns: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(count: Int) { state = Mutex(State(free: count)) }

    func take() async {
        await withCheckedContinuation { waiter in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(waiter)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { waiter.resume() }
        }
    }

    /// Passes the turn to the one that has waited longest.
    func giveBack() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
