/// Who may execute: categories of mutual exclusion, and lanes (one a queue) with a width. A pure state machine.
///
/// A ticket gets its lane's slot and all of its categories at one moment or waits holding nothing, so that no two tickets
/// can wait for each other. In each category tickets come first that are nested in something that executes (it would
/// wait for them), then those that came first.
struct LockTable {
    typealias Lane = UInt64
    typealias Ticket = UInt64

    private struct Wish {
        let lane: Lane?
        let categories: [String]
        let isNested: Bool
        var waitsForSlot = false
    }

    private struct Category {
        var holder: Ticket?
        var nested: [Ticket] = []
        var line = Deque<Ticket>()
    }

    private struct Slots {
        var width: Int
        var used = 0
        var line = Deque<Ticket>()
    }

    private var lanes: [Lane: Slots] = [:]
    private var categories: [String: Category] = [:]
    private var waiting: [Ticket: Wish] = [:]
    private var granted: [Ticket: Wish] = [:]

    /// Nothing is held, nobody waits.
    var isIdle: Bool { waiting.isEmpty && granted.isEmpty && categories.isEmpty }

    mutating func openLane(_ lane: Lane, width: Int) {
        lanes[lane] = Slots(width: width)
    }

    mutating func closeLane(_ lane: Lane) {
        lanes[lane] = nil
    }

    /// Changes how many tickets of a lane may execute; those that do go on.
    /// - Returns: the tickets that may execute now.
    mutating func setWidth(_ width: Int, of lane: Lane) -> [Ticket] {
        lanes[lane]?.width = width
        return fill(lane)
    }

    /// Takes a slot for what needs nothing else; `false` if none is free.
    mutating func takeSlot(of lane: Lane) -> Bool {
        guard hasSlot(lane) else { return false }
        lanes[lane]?.used += 1
        return true
    }

    /// - Returns: the tickets that may execute now.
    mutating func giveSlot(of lane: Lane) -> [Ticket] {
        lanes[lane]?.used -= 1
        return fill(lane)
    }

    /// - Returns: the tickets that may execute now: this one or none.
    mutating func request(_ ticket: Ticket, lane: Lane?, categories names: [String], isNested: Bool) -> [Ticket] {
        waiting[ticket] = Wish(lane: lane, categories: names, isNested: isNested)
        for name in names { line(up: ticket, in: name, isNested: isNested) }
        return grant(ticket) ? [ticket] : []
    }

    /// Gives back what a ticket holds, or withdraws it.
    /// - Returns: the tickets that may execute now.
    mutating func release(_ ticket: Ticket) -> [Ticket] {
        if let wish = granted.removeValue(forKey: ticket) {
            for name in wish.categories { categories[name]?.holder = nil }
            if let lane = wish.lane { lanes[lane]?.used -= 1 }
            return wish.categories.flatMap { advance($0) } + (wish.lane.map { fill($0) } ?? [])
        }
        guard let wish = waiting.removeValue(forKey: ticket) else { return [] }
        return wish.categories.flatMap { advance($0) }
    }
}

extension LockTable {
    private mutating func line(up ticket: Ticket, in name: String, isNested: Bool) {
        if isNested {
            categories[name, default: Category()].nested.append(ticket)
        } else {
            categories[name, default: Category()].line.append(ticket)
        }
    }

    /// The ticket whose turn it is in a category.
    private mutating func head(of name: String) -> Ticket? {
        while let first = categories[name]?.nested.first {
            if waiting[first] != nil { return first }
            categories[name]?.nested.removeFirst()
        }
        while let first = categories[name]?.line.first {
            if waiting[first] != nil { return first }
            categories[name]?.line.popFirst()
        }
        return nil
    }

    private mutating func isItsTurn(_ ticket: Ticket, _ wish: Wish) -> Bool {
        for name in wish.categories where categories[name]?.holder != nil || head(of: name) != ticket { return false }
        return true
    }

    /// Takes everything a ticket wants, or nothing.
    private mutating func grant(_ ticket: Ticket) -> Bool {
        guard let wish = waiting[ticket], isItsTurn(ticket, wish) else { return false }
        if let lane = wish.lane, !takeSlot(of: lane) {
            park(ticket, in: lane)
            return false
        }
        waiting[ticket] = nil
        granted[ticket] = wish
        for name in wish.categories { categories[name]?.holder = ticket }
        return true
    }

    /// A lane that was closed has no limit.
    func hasSlot(_ lane: Lane) -> Bool {
        lanes[lane].map { $0.used < $0.width } ?? true
    }

    private mutating func park(_ ticket: Ticket, in lane: Lane) {
        guard waiting[ticket]?.waitsForSlot == false else { return }
        waiting[ticket]?.waitsForSlot = true
        lanes[lane]?.line.append(ticket)
    }

    /// The category has come free, or its head has changed.
    private mutating func advance(_ name: String) -> [Ticket] {
        guard let next = head(of: name) else {
            if categories[name]?.holder == nil { categories[name] = nil }
            return []
        }
        return grant(next) ? [next] : []
    }

    /// Slots of the lane have come free.
    private mutating func fill(_ lane: Lane) -> [Ticket] {
        var started: [Ticket] = []
        while hasSlot(lane), let next = lanes[lane]?.line.popFirst() {
            waiting[next]?.waitsForSlot = false
            if grant(next) { started.append(next) }
        }
        return started
    }
}
