import CaptureBase

/// Asks the questions of a gatekeeper one after another, each in a separate task that is cancelled when all waiting callers have
/// left.
///
/// *thread-safe*
final class PromptCoordinator: Sendable {
    typealias Outcome = Result<Void, CaptureError>

    private struct State {
        var pending = PendingQuestions()
        var nextWaiter = 0
        var promises: [Int: Promise<Outcome>] = [:]
        /// Questions that have not begun, by entry.
        var work: [Int: @Sendable () async -> Outcome] = [:]
        /// Questions that are being asked.
        var tasks: [Int: Task<Void, Never>] = [:]
    }

    private let state = Locked(State())
    private let executor: (any TaskExecutor)?

    /// - Parameter executor: executor of the tasks that ask; `nil` for the default one.
    init(_ executor: (any TaskExecutor)? = nil) {
        self.executor = executor
    }

    /// Number of those that wait for an answer.
    var waiting: Int { state.withLock { $0.promises.count } }

    /// Waits for the answer to the question `key`; `work` asks it, if nobody waits for the same already.
    func ask(_ key: QuestionKey, _ work: @escaping @Sendable () async -> Outcome) async -> Outcome {
        let promise = Promise<Outcome>()
        let waiter = state.withLock { state in
            state.nextWaiter += 1
            state.promises[state.nextWaiter] = promise
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            join(waiter, key, work)
            return await promise.value
        } onCancel: {
            leave(waiter)
        }
    }

    // The wait is known to `leave` before it begins, so that a cancellation in between is not lost.
    private func join(_ waiter: Int, _ key: QuestionKey, _ work: @escaping @Sendable () async -> Outcome) {
        let start = state.withLock { state -> Int? in
            // Cancelled before it joined.
            guard state.promises[waiter] != nil else { return nil }
            guard case .new(let entry, let startNow) = state.pending.join(waiter, key) else { return nil }
            state.work[entry] = work
            return startNow ? entry : nil
        }
        if let start { begin(start) }
    }

    // The promise is fulfilled here: a caller that leaves does not wait until the prompter has removed its question.
    private func leave(_ waiter: Int) {
        let (promise, task) = state.withLock { state -> (Promise<Outcome>?, Task<Void, Never>?) in
            let promise = state.promises.removeValue(forKey: waiter)
            switch state.pending.leave(waiter) {
            case .nothing: return (promise, nil)
            case .withdraw(let entry): return (promise, state.tasks[entry])
            case .forget(let entry):
                state.work[entry] = nil
                return (promise, nil)
            }
        }
        task?.cancel()
        promise?.fulfil(.failure(.withdrawn))
    }

    private func begin(_ entry: Int) {
        state.withLock { state in
            guard let work = state.work.removeValue(forKey: entry) else { return }
            // Detached: the question belongs to all who wait, not to the task that happened to come first.
            let task = Task.detached(executorPreference: executor) { self.end(entry, await work()) }
            state.tasks[entry] = task
            if state.pending.head?.isWithdrawn == true { task.cancel() }
        }
    }

    // The next question begins only now: one terminal shows one at a time, also while a withdrawn one goes away.
    private func end(_ entry: Int, _ outcome: Outcome) {
        let (promises, next) = state.withLock { state -> ([Promise<Outcome>], Int?) in
            state.tasks[entry] = nil
            let (waiters, next) = state.pending.finish(entry)
            return (waiters.compactMap { state.promises.removeValue(forKey: $0) }, next)
        }
        for promise in promises { promise.fulfil(outcome) }
        if let next { begin(next) }
    }
}

/// Identity of a question: those of one key are one.
enum QuestionKey: Hashable, Sendable {
    /// Authorization of devices: all who wait for the same share the answer.
    case devices([Question.Item])
    /// A confirmation or an alert is of one operation; no two are the same.
    case single(UInt64)
}

/// Questions in the order in which they are put, one at a time. A pure state machine; `PromptCoordinator` acts.
struct PendingQuestions {
    struct Entry {
        let id: Int
        let key: QuestionKey
        var waiters: Set<Int>
        /// Everybody who waited has left: it is on its way out, and nobody may join it.
        var isWithdrawn = false
    }

    /// The first is being asked.
    private(set) var entries: [Entry] = []
    private var nextID = 0

    /// The question that is being asked.
    var head: Entry? { entries.first }

    /// Question that a waiter has joined.
    enum Joined: Equatable {
        case existing(entry: Int)
        case new(entry: Int, startNow: Bool)
    }

    mutating func join(_ waiter: Int, _ key: QuestionKey) -> Joined {
        if let same = entries.firstIndex(where: { $0.key == key && !$0.isWithdrawn }) {
            entries[same].waiters.insert(waiter)
            return .existing(entry: entries[same].id)
        }
        nextID += 1
        entries.append(Entry(id: nextID, key: key, waiters: [waiter]))
        return .new(entry: nextID, startNow: entries.count == 1)
    }

    /// Consequence of a waiter's leaving.
    enum Left: Equatable {
        case nothing
        /// Nobody waits for it any more: cancel it. `finish` follows when it has ended.
        case withdraw(entry: Int)
        /// It never began.
        case forget(entry: Int)
    }

    mutating func leave(_ waiter: Int) -> Left {
        guard let index = entries.firstIndex(where: { $0.waiters.contains(waiter) }) else { return .nothing }
        entries[index].waiters.remove(waiter)
        guard entries[index].waiters.isEmpty else { return .nothing }
        let id = entries[index].id
        if index == 0 {
            entries[0].isWithdrawn = true
            return .withdraw(entry: id)
        }
        entries.remove(at: index)
        return .forget(entry: id)
    }

    /// Removes the head, which has ended.
    /// - Returns: the callers that waited for it, and the next question.
    mutating func finish(_ entry: Int) -> (waiters: Set<Int>, next: Int?) {
        guard head?.id == entry else { return ([], nil) }
        let ended = entries.removeFirst()
        return (ended.waiters, head?.id)
    }
}

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
        /// One task waits on behalf of all tasks that share this slot; the others wait for it.
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
        let ticket = await hasOuterSlot() ? await locks.take(nil, [Self.category]) : nil
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
