/// Grants execution: categories of mutual exclusion, and limits (one a queue) of how many execute at once.
///
/// A pure state machine: what stands behind a ticket is its owner, which comes back with the grant; `LockManager` wakes
/// it. A ticket gets a slot of its limit and all of its categories at one moment, or waits holding nothing, so that no two
/// tickets can wait for each other. In each category come first the tickets that are nested in something that executes,
/// which would otherwise wait for them, and then the others in the order of their requests.
///
/// A release looks at the first ticket of each category that it frees and at no other: handing a category over costs the
/// same however many wait.
struct LockTable<Owner> {
    /// Owners of the tickets that may execute now, in their order. Nearly always one, which takes no memory.
    struct Granted {
        private(set) var first: Owner?
        private(set) var others: [Owner] = []

        mutating func append(_ owner: Owner) {
            if first == nil { first = owner } else { others.append(owner) }
        }
    }

    private struct Request {
        var owner: Owner?
        var claim = Claim()
        var phase = Phase.new
    }

    private struct Claim {
        var limit: LimitID?
        /// Numbers of categories: names are looked up once, when the request is made.
        var categories: [Int] = []
        var isNested = false
    }

    private enum Phase {
        /// It has requested nothing yet.
        case new
        case waiting
        /// Queued for a slot of its limit; everything else was free.
        case parked
        case granted
    }

    /// Category of mutual exclusion.
    private struct Category {
        let name: String
        var isHeld = false
        var isUnused = false
        /// Tickets that wait, and some that were withdrawn: those are skipped when they come first.
        var nested = Deque<Ticket>()
        var others = Deque<Ticket>()
    }

    private struct Limit {
        var width: Int
        var used = 0
        var parked = Deque<Ticket>()

        var hasSlot: Bool { used < width }
    }

    // Found by index: names are hashed once a request, and tickets never.
    private var limits = Slab<Limit>()
    private var categories: [Category?] = []
    private var freeNumbers: [Int] = []
    private var numbers: [String: Int] = [:]
    /// Number of categories without holder or waiter. Some are kept: opening one costs more than the rest of a request.
    private var unused = 0
    private static var mostUnused: Int { 16 }
    private var requests = Slab<Request>()

    var isIdle: Bool { requests.isEmpty && numbers.count == unused }

    // MARK: Limits

    /// Makes a limit.
    /// - Parameter width: how many tickets execute at once; 0 holds everything back.
    mutating func openLimit(width: Int) -> LimitID { LimitID(limits.add(Limit(width: width))) }

    /// Forgets a limit, with its queue.
    mutating func closeLimit(_ limit: LimitID) {
        limits.remove(limit.key)
    }

    /// Changes how many tickets of a limit may execute; those that do go on.
    mutating func setWidth(_ width: Int, of limit: LimitID, _ granted: inout Granted) {
        limits[limit.key]?.width = width
        fill(limit, &granted)
    }

    /// A limit that was closed limits nothing.
    func hasSlot(_ limit: LimitID) -> Bool { limits[limit.key]?.hasSlot ?? true }

    /// Takes a slot for an operation that needs nothing else; `false` if none is free.
    mutating func takeSlot(of limit: LimitID) -> Bool {
        guard hasSlot(limit) else { return false }
        limits[limit.key]?.used += 1
        return true
    }

    /// Gives back a slot that `takeSlot` took.
    mutating func giveSlot(of limit: LimitID, _ granted: inout Granted) {
        limits[limit.key]?.used -= 1
        fill(limit, &granted)
    }

    // MARK: Requests

    /// Makes a ticket that requests nothing yet.
    mutating func makeTicket(_ owner: Owner?) -> Ticket { Ticket(requests.add(Request(owner: owner))) }

    /// Requests a slot and categories; does nothing for a ticket that was withdrawn.
    /// - Returns: whether it may execute now, without its owner being told. If not, its owner is granted later.
    mutating func request(
        _ ticket: Ticket, limit: LimitID?, categories names: some Sequence<String>, isNested: Bool
    ) -> Bool {
        guard requests.contains(ticket.key) else { return false }
        let numbers = names.map { number(of: $0) }
        let isGranted = areFree(numbers) && limit.map { takeSlot(of: $0) } != false
        for number in numbers {
            if isGranted { categories[number]?.isHeld = true } else { enqueue(ticket, in: number, isNested: isNested) }
        }
        requests[ticket.key]?.claim = Claim(limit: limit, categories: numbers, isNested: isNested)
        requests[ticket.key]?.phase = isGranted ? .granted : .waiting
        if isGranted || grant(ticket) {
            requests[ticket.key]?.owner = nil
            return true
        }
        return false
    }

    /// True if none of these categories has a holder or a waiter: then a ticket need not be queued.
    private mutating func areFree(_ numbers: [Int]) -> Bool {
        numbers.allSatisfy { categories[$0]?.isHeld == false && first(of: $0) == nil }
    }

    /// Sets the owner, which is returned with the grant.
    mutating func setOwner(_ owner: Owner, of ticket: Ticket) {
        requests[ticket.key]?.owner = owner
    }

    /// Gives back what a ticket holds, or withdraws it; a ticket that is unknown changes nothing.
    /// - Returns: the owner, where the ticket was not granted.
    @discardableResult
    mutating func release(_ ticket: Ticket, _ granted: inout Granted) -> Owner? {
        guard let request = requests.remove(ticket.key) else { return nil }
        let (claim, isGranted) = (request.claim, request.phase == .granted)
        if isGranted {
            for number in claim.categories { categories[number]?.isHeld = false }
            if let limit = claim.limit { limits[limit.key]?.used -= 1 }
        }
        for number in claim.categories { advance(number, &granted) }
        if isGranted, let limit = claim.limit { fill(limit, &granted) }
        return request.owner
    }

    /// Withdraws a ticket unless it has been granted.
    /// - Returns: the owner, if it was withdrawn.
    mutating func withdraw(_ ticket: Ticket, _ granted: inout Granted) -> Owner? {
        guard let phase = requests[ticket.key]?.phase, phase != .granted else { return nil }
        return release(ticket, &granted)
    }
}

/// Number of a limit; that of a closed one is not given again.
struct LimitID: Hashable, Sendable {
    fileprivate let key: SlabKey
    fileprivate init(_ key: SlabKey) { self.key = key }
}

/// Number of a request; that of a released one is not given again.
struct Ticket: Hashable, Sendable {
    fileprivate let key: SlabKey
    fileprivate init(_ key: SlabKey) { self.key = key }
}

extension LockTable {
    /// Number of a category, which is in use from now on.
    private mutating func number(of name: String) -> Int {
        if let number = numbers[name] {
            if categories[number]?.isUnused == true { unused -= 1 }
            categories[number]?.isUnused = false
            return number
        }
        let number = freeNumbers.popLast() ?? categories.count
        if number == categories.count { categories.append(nil) }
        categories[number] = Category(name: name)
        numbers[name] = number
        return number
    }

    /// Appends a ticket to its queue of a category.
    private mutating func enqueue(_ ticket: Ticket, in number: Int, isNested: Bool) {
        if isNested {
            categories[number]?.nested.append(ticket)
        } else {
            categories[number]?.others.append(ticket)
        }
    }

    /// Keeps a category without holder or waiter, or removes it if enough are kept.
    private mutating func leave(_ number: Int) {
        guard unused == Self.mostUnused, let name = categories[number]?.name else {
            categories[number]?.isUnused = true
            unused += 1
            return
        }
        numbers[name] = nil
        categories[number] = nil
        freeNumbers.append(number)
    }

    /// The ticket whose turn it is in a category; drops those before it that were withdrawn.
    private mutating func first(of number: Int) -> Ticket? {
        while let ticket = categories[number]?.nested.first {
            if requests.contains(ticket.key) { return ticket }
            categories[number]?.nested.popFirst()
        }
        while let ticket = categories[number]?.others.first {
            if requests.contains(ticket.key) { return ticket }
            categories[number]?.others.popFirst()
        }
        return nil
    }

    /// Tells whether a ticket is the first of all its categories, and none of them is held.
    private mutating func isTurn(of ticket: Ticket, _ numbers: [Int]) -> Bool {
        for number in numbers where categories[number]?.isHeld != false || first(of: number) != ticket { return false }
        return true
    }

    /// Takes everything that a ticket requests, or nothing.
    private mutating func grant(_ ticket: Ticket) -> Bool {
        guard let phase = requests[ticket.key]?.phase, phase != .granted, let claim = requests[ticket.key]?.claim,
            isTurn(of: ticket, claim.categories)
        else { return false }
        if let limit = claim.limit, !takeSlot(of: limit) {
            if phase == .waiting { park(ticket, in: limit) }
            return false
        }
        requests[ticket.key]?.phase = .granted
        for number in claim.categories {
            categories[number]?.isHeld = true
            // It is the first of each.
            if claim.isNested {
                categories[number]?.nested.popFirst()
            } else {
                categories[number]?.others.popFirst()
            }
        }
        return true
    }

    private mutating func grant(_ ticket: Ticket, _ granted: inout Granted) {
        guard grant(ticket), let owner = requests[ticket.key]?.owner.take() else { return }
        granted.append(owner)
    }

    /// Queues a ticket for a slot: categories keep it as their first, so that nobody overtakes it meanwhile.
    private mutating func park(_ ticket: Ticket, in limit: LimitID) {
        requests[ticket.key]?.phase = .parked
        limits[limit.key]?.parked.append(ticket)
    }

    /// Grants to the first of a category that has come free, or whose first has changed.
    private mutating func advance(_ number: Int, _ granted: inout Granted) {
        if let next = first(of: number) {
            grant(next, &granted)
        } else if categories[number]?.isHeld == false {
            leave(number)
        }
    }

    /// Grants to those that wait for slots, as many as are free.
    private mutating func fill(_ limit: LimitID, _ granted: inout Granted) {
        while let next = popParked(limit) {
            if requests[next.key]?.phase == .parked { requests[next.key]?.phase = .waiting }
            grant(next, &granted)
        }
    }

    private mutating func popParked(_ limit: LimitID) -> Ticket? {
        hasSlot(limit) ? limits[limit.key]?.parked.popFirst() : nil
    }
}

/// A queue whose first element is taken in constant time.
struct Deque<Element> {
    private var elements: [Element?] = []
    private var start = 0

    var isEmpty: Bool { start == elements.count }
    var first: Element? { isEmpty ? nil : elements[start] }

    mutating func append(_ element: Element) { elements.append(element) }

    @discardableResult
    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let first = elements[start].take()
        start += 1
        shrink()
        return first
    }

    /// Moves the rest only when half is empty: constant time for each element on average.
    private mutating func shrink() {
        if start == elements.count {
            elements.removeAll(keepingCapacity: elements.capacity <= 64)
        } else if start > 32, start * 2 > elements.count {
            elements.removeFirst(start)
        } else {
            return
        }
        start = 0
    }
}
