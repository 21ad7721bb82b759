import CaptureGate
import Gate

/// Lets one question of a user through at a time, in the order in which they came.
///
/// *thread-safe*
final class Turns: PromptLock {
    /// The right to ask now; the next one has it when this is released.
    private final class Turn: PromptLockToken {
        private let turns: Turns
        private let user: UInt32

        init(_ turns: Turns, _ user: UInt32) {
            self.turns = turns
            self.user = user
        }

        deinit { turns.leave(user) }
    }

    private struct State {
        var next: UInt64 = 0
        /// Those who wait, of each user whose turn is taken.
        var waiting: [UInt32: [(id: UInt64, continuation: CheckedContinuation<Bool, Never>)]] = [:]
    }

    private let state = Locked(State())

    func take(for subject: Subject) async throws(CaptureError) -> any PromptLockToken {
        guard let turn = await take(of: subject.userID) else {
            throw CaptureError(.cancelled, "The question was withdrawn while another program was asking.")
        }
        return turn
    }

    /// Waits for the turn of a user; `nil` if the task is cancelled meanwhile.
    func take(of user: UInt32) async -> (any PromptLockToken)? {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        let isTaken = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isFree = state.withLock { state in
                    guard state.waiting[user] != nil else {
                        state.waiting[user] = []
                        return true
                    }
                    state.waiting[user]?.append((id, continuation))
                    return false
                }
                if isFree { continuation.resume(returning: true) }
                // Cancelled before it waited: nobody else ends this wait.
                if !isFree, Task.isCancelled { forget(id, of: user) }
            }
        } onCancel: {
            forget(id, of: user)
        }
        return isTaken ? Turn(self, user) : nil
    }

    private func forget(_ id: UInt64, of user: UInt32) {
        let found = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard let index = state.waiting[user]?.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiting[user]?.remove(at: index).continuation
        }
        found?.resume(returning: false)
    }

    private func leave(_ user: UInt32) {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard state.waiting[user]?.isEmpty == false else {
                state.waiting[user] = nil
                return nil
            }
            return state.waiting[user]?.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}
