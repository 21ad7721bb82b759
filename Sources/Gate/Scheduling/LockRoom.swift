import CaptureBase

/// Where operations wait for their slot and their categories.
///
/// *thread-safe*
final class LockRoom: Sendable {
    private struct State {
        var table = LockTable()
        var last: UInt64 = 0
        var waiting: [LockTable.Ticket: Promise<Bool>] = [:]
    }

    private let state = Locked(State())
    /// Held while dependencies between operations that are in a queue are changed, so that two threads can't close a
    /// circle together.
    let dependencies = Locked(())

    var isIdle: Bool { state.withLock { $0.table.isIdle && $0.waiting.isEmpty } }

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

    /// Takes a slot for what needs nothing else; `false` if none is free.
    func takeSlot(of lane: LockTable.Lane) -> Bool {
        state.withLock { $0.table.takeSlot(of: lane) }
    }

    func hasSlot(_ lane: LockTable.Lane) -> Bool {
        state.withLock { $0.table.hasSlot(lane) }
    }

    func giveSlot(of lane: LockTable.Lane) {
        wake { $0.table.giveSlot(of: lane) }
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

    /// Changes the table, then tells those whose turn has come, outside the lock.
    private func wake(_ change: (inout State) -> [LockTable.Ticket]) {
        let promises = state.withLock { state in
            change(&state).compactMap { state.waiting.removeValue(forKey: $0) }
        }
        for promise in promises { promise.fulfil(true) }
    }
}
