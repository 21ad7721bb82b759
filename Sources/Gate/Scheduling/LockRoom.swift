/// Where operations wait for their slot and their categories.
///
/// *thread-safe*
final class LockRoom: Sendable {
    private struct State {
        var table = LockTable()
        var last: UInt64 = 0
        var waiting: [LockTable.Ticket: Promise<Bool>] = [:]
        var starting: [LockTable.Ticket: @Sendable (LockTable.Ticket) -> Bool] = [:]

        /// Those whose turn has come by a change, in their order, the first last.
        mutating func granted(
            by change: (inout State) -> [LockTable.Ticket]
        ) -> (promises: [Promise<Bool>], starts: [(LockTable.Ticket, @Sendable (LockTable.Ticket) -> Bool)]) {
            let tickets = change(&self)
            let promises = tickets.compactMap { waiting.removeValue(forKey: $0) }
            let starts = tickets.reversed().compactMap { ticket in
                starting.removeValue(forKey: ticket).map { (ticket, $0) }
            }
            return (promises, starts)
        }
    }

    private let state = Locked(State())
    /// Held while dependencies between operations that are in a queue are changed, so that two threads can't close a
    /// circle together.
    let dependencies = Locked(())

    var isIdle: Bool { state.withLock { $0.table.isIdle && $0.waiting.isEmpty && $0.starting.isEmpty } }

    /// A number that no other ticket or operation has.
    func nextNumber() -> UInt64 {
        state.withLock { state in
            state.last += 1
            return state.last
        }
    }

    /// How many wait in a task of their own.
    var waiting: Int { state.withLock { $0.waiting.count } }

    func openLane(width: Int) -> LockTable.Lane {
        state.withLock { state in
            state.last += 1
            state.table.openLane(state.last, width: width)
            return state.last
        }
    }

    func closeLane(_ lane: LockTable.Lane) {
        state.withLock { $0.table.closeLane(lane) }
    }

    func setWidth(_ width: Int, of lane: LockTable.Lane) {
        wake { $0.table.setWidth(width, of: lane) }
    }

    /// Calls `start` with the ticket when a slot of the lane is free, perhaps at once; it says whether it took the slot.
    func whenFree(_ lane: LockTable.Lane, _ start: @escaping @Sendable (LockTable.Ticket) -> Bool) {
        wake { state in
            state.last += 1
            state.starting[state.last] = start
            return state.table.request(state.last, lane: lane, categories: [], isNested: false)
        }
    }

    /// Waits for everything at once.
    /// - Returns: the ticket to release; `nil` if the task was cancelled, nothing is held then.
    func take(_ lane: LockTable.Lane?, _ categories: [String], isNested: Bool) async -> LockTable.Ticket? {
        let promise = Promise<Bool>()
        let ticket = state.withLock { state in
            state.last += 1
            state.waiting[state.last] = promise
            return state.last
        }
        let taken = await withTaskCancellationHandler {
            enter(ticket, lane, categories, isNested)
            return await promise.value
        } onCancel: {
            withdraw(ticket)
        }
        return taken ? ticket : nil
    }

    func release(_ ticket: LockTable.Ticket) {
        wake { $0.table.release(ticket) }
    }

    private func enter(_ ticket: LockTable.Ticket, _ lane: LockTable.Lane?, _ categories: [String], _ isNested: Bool) {
        wake { state in
            // Cancelled before it came to wait.
            guard state.waiting[ticket] != nil else { return [] }
            return state.table.request(ticket, lane: lane, categories: categories, isNested: isNested)
        }
    }

    /// Ends a wait. What has been granted stays with the one who waited: it will look for its cancellation itself.
    private func withdraw(_ ticket: LockTable.Ticket) {
        var promise: Promise<Bool>?
        wake { state in
            promise = state.waiting.removeValue(forKey: ticket)
            return promise == nil ? [] : state.table.release(ticket)
        }
        promise?.fulfil(false)
    }

    /// Changes the table, then tells those whose turn has come, outside the lock; whoever does not want it any more gives
    /// it to the next.
    private func wake(_ change: (inout State) -> [LockTable.Ticket]) {
        let first = state.withLock { $0.granted(by: change) }
        for promise in first.promises { promise.fulfil(true) }
        var starts = first.starts
        // A loop, not a recursion: thousands in a line may have been cancelled.
        while let (ticket, start) = starts.popLast() {
            if start(ticket) { continue }
            let more = state.withLock { $0.granted { $0.table.release(ticket) } }
            for promise in more.promises { promise.fulfil(true) }
            starts += more.starts
        }
    }
}
