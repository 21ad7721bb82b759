/// Operations that may start, the highest priority first, and who comes to start them.
///
/// Starters are tasks. At most one of each priority is on its way, so that there are as many as the pool has threads for,
/// and while one works long the next takes over.
struct ReadyOperations {
    private struct Level {
        let priority: TaskPriority
        var line = Line<ReadyOperation>()
        /// They need a slot to start.
        var slotLine = Line<ReadyOperation>()
        /// A starter of this priority is on its way.
        var isExpecting = false
    }

    private var levels: [Level] = []

    mutating func append(_ operation: ReadyOperation) {
        let index = level(operation.node.priority ?? .medium)
        if case .first = operation.slot {
            levels[index].slotLine.append(operation)
        } else {
            levels[index].line.append(operation)
        }
    }

    /// Empties the lines.
    /// - Returns: what stood in them, to be released where nothing is locked.
    mutating func removeAll() -> [ReadyOperation] {
        var all: [ReadyOperation] = []
        for index in levels.indices {
            while let operation = levels[index].line.popFirst() { all.append(operation) }
            while let operation = levels[index].slotLine.popFirst() { all.append(operation) }
        }
        return all
    }

    /// The starter that was on its way is here.
    mutating func arrive(_ priority: TaskPriority) {
        levels[level(priority)].isExpecting = false
    }

    /// Whether a starter comes that would not have.
    mutating func expect(_ priority: TaskPriority) -> Bool { expect(level(priority)) != nil }

    /// - Returns: the priority of the starter to make, where something is ready and nobody comes.
    /// - Parameter hasSlot: whether a slot is free.
    mutating func expectForRest(_ hasSlot: () -> Bool) -> TaskPriority? {
        for index in levels.indices {
            if !levels[index].line.isEmpty { return expect(index) }
            // Without a slot nothing can start: whoever gives one back makes the starter.
            if !levels[index].slotLine.isEmpty, !levels[index].isExpecting, hasSlot() { return expect(index) }
        }
        return nil
    }

    /// - Parameter takeSlot: takes a slot, where one is free.
    mutating func popFirst(_ takeSlot: () -> Bool) -> ReadyOperation? {
        for index in levels.indices {
            if let operation = levels[index].line.popFirst() { return operation }
            if !levels[index].slotLine.isEmpty, takeSlot() { return levels[index].slotLine.popFirst() }
        }
        return nil
    }

    private mutating func expect(_ index: Int) -> TaskPriority? {
        if levels[index].isExpecting { return nil }
        levels[index].isExpecting = true
        return levels[index].priority
    }

    private mutating func level(_ priority: TaskPriority) -> Int {
        if levels.first?.priority == priority { return 0 }
        if let index = levels.firstIndex(where: { $0.priority <= priority }) {
            if levels[index].priority == priority { return index }
            levels.insert(Level(priority: priority), at: index)
            return index
        }
        levels.append(Level(priority: priority))
        return levels.count - 1
    }
}

/// An operation that may start, and what it has or needs for it.
struct ReadyOperation: Sendable {
    enum Slot {
        /// It needs none.
        case none
        /// It needs one to start.
        case first
        /// It takes one when its conditions hold.
        case later
    }

    let node: OperationNode
    let slot: Slot

    /// What it holds by its slot, where it has one.
    var holdings: Holdings? { slot == .first ? node.core?.slotHoldings : nil }
}
