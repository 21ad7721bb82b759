/// Operations that may start, the highest priority first, and who comes to start them.
///
/// Starters are tasks. At most one of each priority is on its way, so that there are as many as the pool has threads for,
/// and while one works long the next takes over.
struct ReadyOperations {
    private struct Level {
        let level: UInt8
        var line = Deque<ReadyOperation>()
        /// They need a slot to start.
        var slotLine = Deque<ReadyOperation>()
        /// A starter of this priority is on its way.
        var isExpecting = false

        var isEmpty: Bool { line.isEmpty && slotLine.isEmpty }
    }

    /// From the highest to the lowest.
    private var levels: [Level] = []

    /// The highest level of an operation; −1 where there is none.
    var highestLevel: Int {
        for level in levels where !level.isEmpty { return Int(level.level) }
        return -1
    }

    mutating func append(_ operation: ReadyOperation) {
        let index = index(of: operation.node.level)
        if case .first = operation.slot {
            levels[index].slotLine.append(operation)
        } else {
            levels[index].line.append(operation)
        }
    }

    /// Takes what came in.
    mutating func append(allOf inbox: borrowing Inbox) {
        for operation in inbox.takeAll() { append(operation) }
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
    mutating func arrive(_ level: UInt8) {
        levels[index(of: level)].isExpecting = false
    }

    /// Whether a starter of this level or a higher one is on its way.
    func isExpecting(atLeast level: Int) -> Bool {
        levels.contains { $0.isExpecting && $0.level >= level }
    }

    /// Whether a starter comes that would not have.
    mutating func expect(_ level: UInt8) -> Bool { expect(at: index(of: level)) != nil }

    /// - Returns: the level of the starter to make, where something is ready and nobody comes.
    /// - Parameter hasSlot: whether a slot is free; asked once at most.
    mutating func expectForRest(_ hasSlot: () -> Bool) -> UInt8? {
        var mayHaveSlot = true
        for index in levels.indices {
            if !levels[index].line.isEmpty { return expect(at: index) }
            guard mayHaveSlot, !levels[index].slotLine.isEmpty, !levels[index].isExpecting else { continue }
            // Without a slot nothing can start: whoever gives one back makes the starter.
            if hasSlot() { return expect(at: index) }
            mayHaveSlot = false
        }
        return nil
    }

    /// - Parameter takeSlot: takes a slot, where one is free; asked once at most.
    mutating func popFirst(_ takeSlot: () -> Bool) -> ReadyOperation? {
        var mayHaveSlot = true
        for index in levels.indices {
            if let operation = levels[index].line.popFirst() { return operation }
            guard mayHaveSlot, !levels[index].slotLine.isEmpty else { continue }
            if takeSlot() { return levels[index].slotLine.popFirst() }
            // One that comes free meanwhile is not for those further down.
            mayHaveSlot = false
        }
        return nil
    }

    private mutating func expect(at index: Int) -> UInt8? {
        if levels[index].isExpecting { return nil }
        levels[index].isExpecting = true
        return levels[index].level
    }

    private mutating func index(of level: UInt8) -> Int {
        if let index = levels.firstIndex(where: { $0.level <= level }) {
            if levels[index].level == level { return index }
            levels.insert(Level(level: level), at: index)
            return index
        }
        levels.append(Level(level: level))
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
