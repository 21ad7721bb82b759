/// Grants execution: categories of mutual exclusion, and limits, one per queue, on the number of operations that execute at once.
///
/// A pure state machine: each ticket has an owner, which is returned with the grant, and `LockManager` wakes it. A ticket joins
/// the queues of its categories when its operation becomes ready, and claims them when the operation is about to execute. It then
/// gets a slot of its limit and all of its categories at once, or waits holding nothing, so that no two tickets can wait for each
/// other. In each category, tickets nested in an executing operation come first, since that operation waits for them. The others
/// follow in the order in which they joined.
///
/// A ticket that has joined but not claimed holds back later ones, so that the order is kept however long its conditions take. It
/// steps aside if that may take forever, such as for a person's answer: later tickets may overtake it, and it returns to its old
/// turn when it claims. Two more kinds of tickets can be overtaken. The first waits for a slot of a limit whose width is 0, or in
/// which an operation with a slot waits for others, which may be later in the queue. The second wants a category of an operation
/// that waits, and is overtaken in its other categories.
///
/// A release checks only the first ticket of each category that it frees: handing a category over costs the same however many
/// tickets wait.
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
        var phase = Phase.joined
        /// Passed over until it comes back.
        var isAside = false
        /// Number of waits for others in the operation that executes with it.
        var waits = 0
    }

    private struct Claim {
        var limit: LimitID?
        /// Numbers of categories: names are looked up once, when the ticket joins.
        var categories: [Int] = []
        var isNested = false
        /// Its number in the order of joining.
        var turn: UInt64 = 0
    }

    private enum Phase {
        /// It keeps its turn, and does not want to execute yet.
        case joined
        case waiting
        /// Queued for a slot of its limit; everything else was free.
        case parked
        case granted
    }

    /// Category of mutual exclusion.
    private struct Category {
        let name: String
        /// Ticket that executes; `nil` if none does.
        var holder: Ticket?
        /// Number of tickets that have joined it.
        var users = 1
        /// Entries by their turns, also some of tickets that were withdrawn or stepped aside: those are dropped when they
        /// come first.
        var nested = Deque<Entry>()
        var others = Deque<Entry>()
    }

    private struct Limit {
        var width: Int
        var used = 0
        /// Number of those with a slot that wait for others.
        var waits = 0
        /// Tickets that wait for a slot and nothing else, by their turns; also some that were withdrawn.
        private var plain = Deque<Entry>()
        /// The same of those with categories, which others may have to pass.
        private(set) var exclusive = Deque<Entry>()

        init(width: Int) { self.width = width }

        var hasSlot: Bool { used < width }
        /// True if a slot may become free only after a ticket behind the waiting ones has executed.
        var isPassed: Bool { waits > 0 || width == 0 }

        mutating func park(_ entry: Entry, isExclusive: Bool) {
            if isExclusive { exclusive.insert(entry, by: \.turn) } else { plain.insert(entry, by: \.turn) }
        }

        mutating func popParked() -> Ticket? {
            guard hasSlot else { return nil }
            guard let turn = exclusive.first?.turn else { return plain.popFirst()?.ticket }
            return (plain.first.map { $0.turn < turn } == true ? plain.popFirst() : exclusive.popFirst())?.ticket
        }
    }

    /// A ticket in a queue.
    private struct Entry {
        let ticket: Ticket
        let turn: UInt64
    }

    // Found by index: names are hashed once a request, and tickets never.
    private var limits = Slab<Limit>()
    private var categories: [Category?] = []
    private var freeNumbers: [Int] = []
    private var numbers: [String: Int] = [:]
    /// Number of categories that no ticket has joined. Some are kept: opening one costs more than the rest of a request.
    private var unused = 0
    private static var mostUnused: Int { 16 }
    private var requests = Slab<Request>()
    /// Number of granted tickets that wait for others.
    private var waits = 0
    private var lastTurn: UInt64 = 0

    var isIdle: Bool { requests.isEmpty && numbers.count == unused }

    // MARK: Limits

    /// Makes a limit.
    /// - Parameter width: how many tickets execute at once; 0 holds everything back.
    mutating func openLimit(width: Int) -> LimitID { LimitID(limits.add(Limit(width: width))) }

    /// Forgets a limit, with its queue.
    mutating func closeLimit(_ limit: LimitID) {
        limits.remove(limit.key)
    }

    /// Changes how many tickets of a limit may execute. Those that execute already continue.
    mutating func setWidth(_ width: Int, of limit: LimitID, _ granted: inout Granted) {
        change(limit, &granted) { $0?.width = width }
    }

    /// One that has a slot waits for others: those that wait for a slot are passed meanwhile.
    mutating func beginWait(in limit: LimitID, _ granted: inout Granted) { change(limit, &granted) { $0?.waits += 1 } }

    mutating func endWait(in limit: LimitID, _ granted: inout Granted) { change(limit, &granted) { $0?.waits -= 1 } }

    /// Changes a limit, and has those that wait for a slot step aside or come back.
    private mutating func change(_ limit: LimitID, _ granted: inout Granted, _ body: (inout Limit?) -> Void) {
        let wasPassed = limits[limit.key]?.isPassed
        body(&limits[limit.key])
        if let isPassed = limits[limit.key]?.isPassed, isPassed != wasPassed {
            for entry in limits[limit.key]?.exclusive.all ?? [] where requests[entry.ticket.key]?.phase == .parked {
                if isPassed { stepAside(entry.ticket, &granted) } else { takeTurn(entry.ticket) }
            }
        }
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

    /// Returns a slot that `takeSlot` took.
    mutating func giveSlot(of limit: LimitID, _ granted: inout Granted) {
        limits[limit.key]?.used -= 1
        fill(limit, &granted)
    }

    // MARK: Requests

    /// Makes a ticket with the next turn in its categories.
    mutating func join(categories names: some Sequence<String>, isNested: Bool) -> Ticket {
        lastTurn += 1
        let claim = Claim(categories: names.map { number(of: $0) }, isNested: isNested, turn: lastTurn)
        let ticket = Ticket(requests.add(Request(claim: claim)))
        enqueue(ticket, claim)
        return ticket
    }

    /// False for a ticket that was released or withdrawn.
    func contains(_ ticket: Ticket) -> Bool { requests.contains(ticket.key) }

    /// Wants to execute from now on; does nothing for a ticket that was withdrawn.
    /// - Returns: whether it may execute now, without its owner being told. If not, its owner is granted later.
    mutating func claim(_ ticket: Ticket, limit: LimitID?, _ granted: inout Granted) -> Bool {
        guard requests[ticket.key]?.phase == .joined else { return false }
        requests[ticket.key]?.claim.limit = limit
        requests[ticket.key]?.phase = .waiting
        takeTurn(ticket)
        if grant(ticket) { return true }
        // Tickets that wait for its limit can be overtaken, so later ones may have their turns.
        if let request = requests[ticket.key], request.isAside {
            for number in request.claim.categories { advance(number, &granted) }
        }
        return false
    }

    /// Lets later tickets overtake it, until it comes back or claims. Granted locks stay granted.
    mutating func stepAside(_ ticket: Ticket, _ granted: inout Granted) {
        guard let request = requests[ticket.key], request.phase != .granted, !request.isAside else { return }
        requests[ticket.key]?.isAside = true
        for number in request.claim.categories { advance(number, &granted) }
    }

    /// Takes up its old turn.
    mutating func comeBack(_ ticket: Ticket, _ granted: inout Granted) {
        guard requests[ticket.key]?.isAside == true else { return }
        takeTurn(ticket)
        grant(ticket, &granted)
    }

    private mutating func takeTurn(_ ticket: Ticket) {
        guard let request = requests[ticket.key], request.isAside else { return }
        requests[ticket.key]?.isAside = false
        enqueue(ticket, request.claim)
    }

    /// The operation with this ticket waits for others until `endWait`. Meanwhile tickets that want one of its categories can be
    /// overtaken in their other categories, since the operation may wait for a later one.
    mutating func beginWait(of ticket: Ticket, _ granted: inout Granted) {
        guard let request = requests[ticket.key], request.phase == .granted else { return }
        requests[ticket.key]?.waits += 1
        guard request.waits == 0 else { return }
        waits += 1
        let behind = request.claim.categories.compactMap { categories[$0] }.flatMap { $0.nested.all + $0.others.all }
        for entry in behind where isPassed(entry.ticket) {
            for number in requests[entry.ticket.key]?.claim.categories ?? [] { advance(number, &granted) }
        }
    }

    /// No ticket's turn comes from this: overtaken tickets still want what this one holds.
    mutating func endWait(of ticket: Ticket) {
        guard let request = requests[ticket.key], request.waits > 0 else { return }
        requests[ticket.key]?.waits -= 1
        if request.waits == 1 { waits -= 1 }
    }

    /// Sets the owner, which is returned with the grant.
    mutating func setOwner(_ owner: Owner, of ticket: Ticket) {
        requests[ticket.key]?.owner = owner
    }

    /// Releases what a ticket holds, or withdraws it; an unknown ticket changes nothing.
    /// - Returns: the owner, if the ticket was not granted.
    @discardableResult
    mutating func release(_ ticket: Ticket, _ granted: inout Granted) -> Owner? {
        guard let request = requests.remove(ticket.key) else { return nil }
        let (claim, isGranted) = (request.claim, request.phase == .granted)
        if request.waits > 0 { waits -= 1 }
        if isGranted {
            for number in claim.categories { categories[number]?.holder = nil }
            if let limit = claim.limit { limits[limit.key]?.used -= 1 }
        }
        for number in claim.categories {
            categories[number]?.users -= 1
            if categories[number]?.users == 0 { leave(number) } else { advance(number, &granted) }
        }
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
    /// Number of a category, which has one user more from now on.
    private mutating func number(of name: String) -> Int {
        if let number = numbers[name] {
            if categories[number]?.users == 0 { unused -= 1 }
            categories[number]?.users += 1
            return number
        }
        let number = freeNumbers.popLast() ?? categories.count
        if number == categories.count { categories.append(nil) }
        categories[number] = Category(name: name)
        numbers[name] = number
        return number
    }

    /// Puts a ticket into its queue of each category, at its turn.
    private mutating func enqueue(_ ticket: Ticket, _ claim: Claim) {
        let entry = Entry(ticket: ticket, turn: claim.turn)
        for number in claim.categories {
            if claim.isNested {
                categories[number]?.nested.insert(entry, by: { $0.turn })
            } else {
                categories[number]?.others.insert(entry, by: { $0.turn })
            }
        }
    }

    /// Keeps a category without users, or removes it if enough are kept.
    private mutating func leave(_ number: Int) {
        guard let name = categories[number]?.name else { return }
        guard unused == Self.mostUnused else {
            categories[number] = Category(name: name, users: 0)
            unused += 1
            return
        }
        numbers[name] = nil
        categories[number] = nil
        freeNumbers.append(number)
    }

    /// The ticket whose turn it is in a category; drops those before it that were withdrawn, granted or stepped aside.
    private mutating func first(of number: Int) -> Ticket? {
        while let ticket = categories[number]?.nested.first?.ticket, !isInQueue(ticket) {
            categories[number]?.nested.popFirst()
        }
        while let ticket = categories[number]?.others.first?.ticket, !isInQueue(ticket) {
            categories[number]?.others.popFirst()
        }
        return first(in: categories[number]?.nested) ?? first(in: categories[number]?.others)
    }

    private func first(in queue: Deque<Entry>?) -> Ticket? {
        guard let ticket = queue?.first?.ticket, isPassed(ticket) else { return queue?.first?.ticket }
        return queue?.all.first { isInQueue($0.ticket) && !isPassed($0.ticket) }?.ticket
    }

    private func isInQueue(_ ticket: Ticket) -> Bool {
        guard let request = requests[ticket.key] else { return false }
        return !request.isAside && request.phase != .granted
    }

    /// True if a ticket wants a category of one that waits, besides others.
    private func isPassed(_ ticket: Ticket) -> Bool {
        guard waits > 0, let numbers = requests[ticket.key]?.claim.categories, numbers.count > 1 else { return false }
        return numbers.contains { number in
            guard let holder = categories[number]?.holder, let request = requests[holder.key] else { return false }
            return request.waits > 0
        }
    }

    /// True if a ticket is the first of all its categories, and none of them is held.
    private mutating func isTurn(of ticket: Ticket, _ numbers: [Int]) -> Bool {
        for number in numbers where categories[number]?.holder != nil || first(of: number) != ticket { return false }
        return true
    }

    /// Takes everything that a ticket requests, or nothing.
    private mutating func grant(_ ticket: Ticket) -> Bool {
        guard let phase = requests[ticket.key]?.phase, phase == .waiting || phase == .parked,
            let claim = requests[ticket.key]?.claim, isTurn(of: ticket, claim.categories)
        else { return false }
        if let limit = claim.limit, !takeSlot(of: limit) {
            park(ticket, claim, in: limit)
            return false
        }
        requests[ticket.key]?.phase = .granted
        for number in claim.categories {
            categories[number]?.holder = ticket
            // If it overtook others it is not the first, and is dropped once it is.
            if categories[number]?.nested.first?.ticket == ticket { categories[number]?.nested.popFirst() }
            if categories[number]?.others.first?.ticket == ticket { categories[number]?.others.popFirst() }
        }
        return true
    }

    private mutating func grant(_ ticket: Ticket, _ granted: inout Granted) {
        guard grant(ticket), let owner = requests[ticket.key]?.owner.take() else { return }
        granted.append(owner)
    }

    /// Queues a ticket for a slot. Categories keep it as their first, so that nobody overtakes it meanwhile, unless its limit
    /// is passed.
    private mutating func park(_ ticket: Ticket, _ claim: Claim, in limit: LimitID) {
        if requests[ticket.key]?.phase == .waiting {
            requests[ticket.key]?.phase = .parked
            let entry = Entry(ticket: ticket, turn: claim.turn)
            limits[limit.key]?.park(entry, isExclusive: !claim.categories.isEmpty)
        }
        if limits[limit.key]?.isPassed == true { requests[ticket.key]?.isAside = true }
    }

    /// Grants to the first of a category that has come free, or whose first has changed.
    private mutating func advance(_ number: Int, _ granted: inout Granted) {
        // More than one category only where a ticket steps aside that has joined several.
        var (number, others) = (Optional(number), [Int]())
        while let current = number.take() ?? others.popLast() {
            guard let next = first(of: current) else { continue }
            grant(next, &granted)
            // It waits for a slot of a limit that is passed: the next one has its turn.
            if let request = requests[next.key], request.isAside { others += request.claim.categories }
        }
    }

    /// Grants free slots to tickets that wait for them.
    private mutating func fill(_ limit: LimitID, _ granted: inout Granted) {
        while let next = limits[limit.key]?.popParked() {
            guard requests[next.key]?.phase == .parked else { continue }
            requests[next.key]?.phase = .waiting
            takeTurn(next)
            grant(next, &granted)
        }
    }
}
