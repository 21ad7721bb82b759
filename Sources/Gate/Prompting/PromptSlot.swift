import CaptureBase

/// Slot of a question among those of one operation: they are asked one after another, and the next one only when the
/// operation has seen that the answer to the last one has not settled it.
///
/// *thread-safe*
final class PromptSlot: Sendable {
    private enum Attempt {
        case granted
        /// The task that waited for all was cancelled.
        case retry
        case cancelled
    }

    private enum State {
        case idle
        /// One task waits for all that share this slot; the others wait for it.
        case entering(others: [Promise<Attempt>])
        case held(Ticket)
    }

    private static let category = "question"
    private let locks: LockManager
    /// Nested questions take turns twice: among their own, and with their outer one among others.
    private let outer: PromptSlot?
    private let state = Locked(State.idle)

    /// - Parameters:
    ///   - locks: those of all questions of the operation; of no other.
    ///   - outer: the slot of the operation's question of which this one is a part.
    init(in locks: LockManager, outer: PromptSlot?) {
        self.locks = locks
        self.outer = outer
    }

    /// Waits for the slot, which is held until `leave`.
    /// - Returns: `false` if the task was cancelled.
    func enter() async -> Bool {
        while true {
            switch await attempt() {
            case .granted: return true
            case .cancelled: return false
            // The task that waited for all was cancelled; this one was not.
            case .retry: continue
            }
        }
    }

    /// Lets the next question in: the answer has been looked at.
    func leave() {
        let held = state.withLock { state -> Ticket? in
            guard case .held(let ticket) = state else { return nil }
            state = .idle
            return ticket
        }
        if let held { locks.release(held) }
    }

    // Parts of a question share its slot, and ask side by side: the first of them waits for all.
    private func attempt() async -> Attempt {
        let other = Promise<Attempt>()
        let isFirst = state.withLock { state -> Bool? in
            switch state {
            case .held: return nil
            case .idle:
                state = .entering(others: [])
                return true
            case .entering(let others):
                state = .entering(others: others + [other])
                return false
            }
        }
        guard let isFirst else { return .granted }
        if isFirst { return await waitForAll() }
        return await withTaskCancellationHandler {
            await other.value
        } onCancel: {
            other.fulfil(.cancelled)
        }
    }

    // The outer slot first: the question of which this one is a part has its turn among others.
    private func waitForAll() async -> Attempt {
        let ticket = await hasOuterSlot() ? await locks.take(nil, [Self.category], isNested: false) : nil
        let others = state.withLock { state -> [Promise<Attempt>] in
            guard case .entering(let others) = state else { return [] }
            state = ticket.map { .held($0) } ?? .idle
            return others
        }
        for other in others { other.fulfil(ticket == nil ? .retry : .granted) }
        return ticket == nil ? .cancelled : .granted
    }

    private func hasOuterSlot() async -> Bool {
        guard let outer else { return true }
        return await outer.enter()
    }
}
