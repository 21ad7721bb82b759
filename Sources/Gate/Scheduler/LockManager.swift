import CaptureBase
import Synchronization

/// Locks of a gatekeeper: the lock table, and the owner of each ticket.
///
/// Two kinds wait. A task that has evaluated its operation's conditions waits for a promise. An operation that needs
/// locks and no evaluation waits without a task; when its turn comes, a worker gets it as a value.
///
/// *thread-safe*
final class LockManager: Sendable {
    private enum Waiter {
        /// `true` is a grant, `false` a withdrawal.
        case task(Promise<Bool>)
        case operation(ReadyOperation)
    }

    private struct State {
        var table = LockTable<Waiter>()
        /// Tickets that are not granted. Counted: the table has them among those that execute.
        var waiting = 0
        var last: UInt64 = 0

        mutating func note(_ granted: LockTable<Waiter>.Granted) {
            waiting -= (granted.first == nil ? 0 : 1) + granted.others.count
        }
    }

    private let state = Locked(State())
    /// Held while dependencies between operations that are in a queue are changed, so that two threads can't close a
    /// circle together.
    let dependencies = Locked(())

    var isIdle: Bool { state.withLock { $0.table.isIdle } }

    /// Number of those that wait.
    var waiting: Int { state.withLock { $0.waiting } }

    /// A number that no other operation of this gatekeeper has.
    func nextNumber() -> UInt64 {
        state.withLock { state in
            state.last += 1
            return state.last
        }
    }

    // MARK: Turns

    /// Gives an operation that has become ready its turn in its categories.
    /// - Parameter isAside: true if others may pass it until it comes back or claims.
    /// - Returns: its ticket; `nil` if it may not start any more.
    @discardableResult
    func join(_ node: OperationNode, _ options: OperationOptions, isAside: Bool = false) -> Ticket? {
        state.withLock { state in
            // Nobody's turn comes when the last of a queue leaves it.
            var none = LockTable<Waiter>.Granted()
            let ticket = state.table.join(categories: options.exclusions, isNested: options.heldLocks.isNested)
            guard node.keep(ticket) else {
                state.table.release(ticket, &none)
                return nil
            }
            if isAside { state.table.stepAside(ticket, &none) }
            return ticket
        }
    }

    /// Lets later tickets overtake one that has not been granted, until it comes back or claims.
    func stepAside(_ ticket: Ticket) { change { $0.table.stepAside(ticket, &$1) } }

    /// Gives a ticket its old turn back.
    func comeBack(_ ticket: Ticket) { change { $0.table.comeBack(ticket, &$1) } }

    /// The operation that executes by a ticket waits for others until `endWait`.
    func beginWait(of ticket: Ticket) { change { $0.table.beginWait(of: ticket, &$1) } }

    func endWait(of ticket: Ticket) { state.withLock { $0.table.endWait(of: ticket) } }

    // MARK: Waiting in a task

    /// Waits for a slot and all categories at once.
    /// - Returns: the ticket to release; `nil` if the task was cancelled, nothing is held then.
    func take(_ limit: LimitID?, _ categories: Set<String> = [], isNested: Bool = false) async -> Ticket? {
        let ticket = state.withLock { $0.table.join(categories: categories, isNested: isNested) }
        return await claim(ticket, limit) ? ticket : nil
    }

    /// Waits for a slot and all categories that a ticket has joined.
    /// - Returns: `false` if the task was cancelled: the ticket is withdrawn then.
    func claim(_ ticket: Ticket, _ limit: LimitID?) async -> Bool {
        let promise = Promise<Bool>()
        return await withTaskCancellationHandler {
            change { state, granted in
                // Withdrawn by a cancellation before the wait began.
                guard state.table.contains(ticket) else {
                    _ = promise.fulfil(false)
                    return
                }
                if state.table.claim(ticket, limit: limit, &granted) {
                    _ = promise.fulfil(true)
                    return
                }
                state.table.setOwner(.task(promise), of: ticket)
                state.waiting += 1
            }
            return await promise.value
        } onCancel: {
            withdraw(ticket)
        }
    }

    /// Ends a wait. What has been granted already stays with the one who waited, who sees the cancellation himself.
    func withdraw(_ ticket: Ticket) {
        var withdrawn: Waiter?
        change { state, granted in
            withdrawn = state.table.withdraw(ticket, &granted)
            if withdrawn != nil { state.waiting -= 1 }
        }
        if case .task(let promise) = withdrawn { promise.fulfil(false) }
    }

    /// Releases the locks of a ticket, and starts those whose turn has come.
    func release(_ ticket: Ticket) {
        change { $0.table.release(ticket, &$1) }
    }

    // MARK: Waiting without a task

    /// Takes the locks of an operation that needs no evaluation, or has it wait for them without a task.
    /// - Returns: the operation with its ticket; `nil` if it waits, or may not start any more.
    func take(for ready: ReadyOperation) -> ReadyOperation? {
        var operation = ready
        var isGranted = false
        change { state, granted in
            // Inside this lock, so that nobody can grant the ticket before the operation knows it.
            guard let ticket = operation.node.waitForLocks() else { return }
            operation.ticket = ticket
            isGranted = state.table.claim(ticket, limit: operation.limit?.id, &granted)
            if isGranted { return }
            state.table.setOwner(.operation(operation), of: ticket)
            state.waiting += 1
        }
        return isGranted ? operation : nil
    }

    /// Releases what a worker's operation held.
    /// - Returns: an operation of the same queue and priority whose turn has come: the worker runs it next, which saves a
    ///   task for each of many that exclude each other.
    func release(_ ticket: Ticket, by scheduler: Scheduler, at level: UInt8) -> ReadyOperation? {
        var successor: ReadyOperation?
        let granted = state.withLock { state in
            var granted = LockTable<Waiter>.Granted()
            state.table.release(ticket, &granted)
            state.note(granted)
            return granted
        }
        if case .operation(let next) = granted.first, next.node.scheduler === scheduler, next.node.level == level {
            successor = next
        } else if let first = granted.first {
            start(first)
        }
        for waiter in granted.others { start(waiter) }
        return successor
    }

    /// Changes the state, and starts those whose turn has come outside the lock.
    private func change(_ body: (inout State, inout LockTable<Waiter>.Granted) -> Void) {
        let granted = state.withLock { state in
            var granted = LockTable<Waiter>.Granted()
            body(&state, &granted)
            state.note(granted)
            return granted
        }
        if let first = granted.first { start(first) }
        for waiter in granted.others { start(waiter) }
    }

    // An operation gets its own task, even if this task is about to end: it may be of another queue or priority.
    private func start(_ waiter: Waiter) {
        switch waiter {
        case .task(let promise): promise.fulfil(true)
        case .operation(let operation): operation.node.scheduler?.startLater(operation)
        }
    }
}

/// Limit of how many operations of a queue execute at once.
struct ConcurrencyLimit: Equatable, Sendable {
    let locks: LockManager
    let id: LimitID

    static func == (one: ConcurrencyLimit, other: ConcurrencyLimit) -> Bool {
        one.id == other.id && one.locks === other.locks
    }

    init(width: Int, in locks: LockManager) {
        self.locks = locks
        id = locks.open(width: width)
    }

    var hasSlot: Bool { locks.hasSlot(id) }

    /// Takes a slot, if one is free.
    func takeSlot() -> Bool { locks.takeSlot(of: id) }

    /// Returns a slot that `takeSlot` took, and starts the operations that waited for one.
    func giveSlot() { locks.giveSlot(of: id) }

    /// One that has a slot waits for others until `endWait`: those that wait for a slot are passed meanwhile.
    func beginWait() { locks.beginWait(in: id) }

    func endWait() { locks.endWait(in: id) }

    /// Changes how many operations execute at once. Those that execute already continue.
    func setWidth(_ width: Int) { locks.setWidth(width, of: id) }

    /// Forgets the limit, when its queue is gone.
    func close() { locks.close(id) }
}

extension LockManager {
    fileprivate func open(width: Int) -> LimitID { state.withLock { $0.table.openLimit(width: width) } }
    fileprivate func close(_ limit: LimitID) { state.withLock { $0.table.closeLimit(limit) } }
    fileprivate func hasSlot(_ limit: LimitID) -> Bool { state.withLock { $0.table.hasSlot(limit) } }
    fileprivate func takeSlot(of limit: LimitID) -> Bool { state.withLock { $0.table.takeSlot(of: limit) } }
    fileprivate func giveSlot(of limit: LimitID) { change { $0.table.giveSlot(of: limit, &$1) } }

    fileprivate func beginWait(in limit: LimitID) { change { $0.table.beginWait(in: limit, &$1) } }
    fileprivate func endWait(in limit: LimitID) { change { $0.table.endWait(in: limit, &$1) } }

    fileprivate func setWidth(_ width: Int, of limit: LimitID) {
        change { $0.table.setWidth(width, of: limit, &$1) }
    }
}

// MARK: - Storage

/// Key of an element in a slab: its index, and a serial number that distinguishes it from earlier elements at that index.
struct SlabKey: Hashable, Sendable {
    fileprivate let index: UInt32
    fileprivate let serial: UInt32
}

extension SlabKey: AtomicRepresentable {
    typealias AtomicRepresentation = UInt64.AtomicRepresentation

    static func encodeAtomicRepresentation(_ key: consuming SlabKey) -> AtomicRepresentation {
        UInt64.encodeAtomicRepresentation(UInt64(key.serial) << 32 | UInt64(key.index))
    }

    static func decodeAtomicRepresentation(_ bits: consuming AtomicRepresentation) -> SlabKey {
        let bits = UInt64.decodeAtomicRepresentation(bits)
        return SlabKey(index: UInt32(truncatingIfNeeded: bits), serial: UInt32(truncatingIfNeeded: bits >> 32))
    }

    /// The key of no element.
    static var none: SlabKey { SlabKey(index: .max, serial: 0) }
}

/// Elements by key, found without hashing. A key that was removed finds nothing, also when its index is in use again.
struct Slab<Element> {
    private struct Entry {
        var serial: UInt32
        var element: Element?
    }

    private var entries: [Entry] = []
    private var free: [UInt32] = []
    /// Serial number given last. It wraps: a stale key would have to wait for four thousand million elements.
    private var last: UInt32 = 0

    var count: Int { entries.count - free.count }
    var isEmpty: Bool { count == 0 }
    var all: [Element] { entries.compactMap(\.element) }

    func contains(_ key: SlabKey) -> Bool {
        key.index < entries.count && entries[Int(key.index)].serial == key.serial
    }

    /// Setting is for elements that are there.
    subscript(key: SlabKey) -> Element? {
        _read {
            if contains(key) { yield entries[Int(key.index)].element } else { yield nil }
        }
        _modify {
            if contains(key) {
                yield &entries[Int(key.index)].element
            } else {
                var none: Element?
                yield &none
            }
        }
    }

    /// Adds an element, at an index that is free.
    mutating func add(_ element: Element) -> SlabKey {
        // 0 marks a free entry.
        last = max(1, last &+ 1)
        let index = free.popLast() ?? UInt32(entries.count)
        let entry = Entry(serial: last, element: element)
        if index == entries.count { entries.append(entry) } else { entries[Int(index)] = entry }
        return SlabKey(index: index, serial: last)
    }

    @discardableResult
    mutating func remove(_ key: SlabKey) -> Element? {
        guard contains(key) else { return nil }
        let element = entries[Int(key.index)].element.take()
        entries[Int(key.index)].serial = 0
        free.append(key.index)
        if isEmpty {
            // What once held many must not for ever take their memory.
            entries.removeAll(keepingCapacity: entries.capacity <= 64)
            free.removeAll(keepingCapacity: free.capacity <= 64)
        }
        return element
    }
}
