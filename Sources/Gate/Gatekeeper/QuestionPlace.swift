import CaptureBase

/// A question's place among those of one operation: they are asked one after another, and the next one only when the
/// operation has seen that the answer to the last one has not settled it.
///
/// *thread-safe*
final class QuestionPlace: Sendable {
    private enum Turn {
        case granted, retry, cancelled
    }

    private enum State {
        case idle
        /// One task stands in the line for all that share this place; the others wait for it.
        case entering(others: [Promise<Turn>])
        case held(LockTable.Ticket)
    }

    private static let category = "question"
    private let room: LockRoom
    private let outer: QuestionPlace?
    private let state = Locked(State.idle)

    /// - Parameters:
    ///   - room: the one of all questions of the operation.
    ///   - outer: the place of the operation's question of which this one is a part.
    init(in room: LockRoom, outer: QuestionPlace?) {
        self.room = room
        self.outer = outer
    }

    /// Waits for the turn; once it is had it stays until `leave`.
    /// - Returns: `false` if the task was cancelled.
    func enter() async -> Bool {
        while true {
            switch await attempt() {
            case .granted: return true
            case .cancelled: return false
            case .retry: continue
            }
        }
    }

    /// The answer has been looked at: the next one may ask.
    func leave() {
        let held = state.withLock { state -> LockTable.Ticket? in
            guard case .held(let ticket) = state else { return nil }
            state = .idle
            return ticket
        }
        if let held { room.release(held) }
    }

    private func attempt() async -> Turn {
        let other = Promise<Turn>()
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
        if isFirst { return await standInLine() }
        return await withTaskCancellationHandler {
            await other.value
        } onCancel: {
            other.fulfil(.cancelled)
        }
    }

    private func standInLine() async -> Turn {
        let ticket = await hasOuterTurn() ? await room.take(nil, [Self.category], isNested: false) : nil
        let others = state.withLock { state -> [Promise<Turn>] in
            guard case .entering(let others) = state else { return [] }
            state = ticket.map { .held($0) } ?? .idle
            return others
        }
        for other in others { other.fulfil(ticket == nil ? .retry : .granted) }
        return ticket == nil ? .cancelled : .granted
    }

    private func hasOuterTurn() async -> Bool {
        guard let outer else { return true }
        return await outer.enter()
    }
}
