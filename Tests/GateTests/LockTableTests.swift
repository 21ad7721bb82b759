import Testing

@testable import Gate

@Suite("Lock table")
struct LockTableTests {
    /// A table with one limit, whose tickets go by numbers of the test's.
    struct Bench {
        var table = LockTable<UInt64>()
        private let limit: LimitID
        private var tickets: [UInt64: Ticket] = [:]

        init(width: Int = .max) {
            limit = table.openLimit(width: width)
        }

        /// - Returns: those that may execute now: this one or none.
        mutating func ask(
            _ number: UInt64, _ categories: [String], nested: Bool = false, isLimited: Bool = true
        ) -> [UInt64] {
            join(number, categories, nested: nested)
            return claim(number, isLimited: isLimited)
        }

        /// Becomes ready, and is not about to execute yet.
        mutating func join(_ number: UInt64, _ categories: [String], nested: Bool = false) {
            let ticket = table.join(categories: categories, isNested: nested)
            table.setOwner(number, of: ticket)
            tickets[number] = ticket
        }

        /// - Returns: this one, if it may execute now.
        mutating func claim(_ number: UInt64, isLimited: Bool = true) -> [UInt64] {
            let limit = isLimited ? limit : nil
            var isGranted = false
            let others = granted { table, tickets, granted in
                if let ticket = tickets[number] { isGranted = table.claim(ticket, limit: limit, &granted) }
            }
            return (isGranted ? [number] : []) + others
        }

        mutating func beginWait() -> [UInt64] {
            let limit = limit
            return granted { table, _, granted in table.beginWait(in: limit, &granted) }
        }

        mutating func endWait() -> [UInt64] {
            let limit = limit
            return granted { table, _, granted in table.endWait(in: limit, &granted) }
        }

        /// The one who executes waits for others.
        mutating func beginWait(of number: UInt64) -> [UInt64] {
            granted { table, tickets, granted in
                if let ticket = tickets[number] { table.beginWait(of: ticket, &granted) }
            }
        }

        mutating func endWait(of number: UInt64) {
            if let ticket = tickets[number] { table.endWait(of: ticket) }
        }

        mutating func stepAside(_ number: UInt64) -> [UInt64] {
            granted { table, tickets, granted in
                if let ticket = tickets[number] { table.stepAside(ticket, &granted) }
            }
        }

        mutating func comeBack(_ number: UInt64) -> [UInt64] {
            granted { table, tickets, granted in
                if let ticket = tickets[number] { table.comeBack(ticket, &granted) }
            }
        }

        mutating func ask(_ number: UInt64, _ categories: String...) -> [UInt64] { ask(number, categories) }

        mutating func release(_ number: UInt64) -> [UInt64] {
            granted { table, tickets, granted in
                if let ticket = tickets[number] { table.release(ticket, &granted) }
            }
        }

        mutating func setWidth(_ width: Int) -> [UInt64] {
            let limit = limit
            return granted { table, _, granted in table.setWidth(width, of: limit, &granted) }
        }

        private mutating func granted(
            _ change: (inout LockTable<UInt64>, [UInt64: Ticket], inout LockTable<UInt64>.Granted) -> Void
        ) -> [UInt64] {
            var granted = LockTable<UInt64>.Granted()
            change(&table, tickets, &granted)
            return (granted.first.map { [$0] } ?? []) + granted.others
        }
    }

    @Test("A category is held by one; the next in line gets it")
    func oneHolder() {
        var bench = Bench()
        #expect(bench.ask(1, "x") == [1])
        #expect(bench.ask(2, "x") == [])
        #expect(bench.ask(3, "x") == [])
        #expect(bench.ask(4, "y") == [4])
        #expect(bench.release(1) == [2])
        #expect(bench.release(2) == [3])
        #expect(bench.release(3) == [] && bench.release(4) == [])
        #expect(bench.table.isIdle)
    }

    @Test("All categories come together: who waits for one holds none, but keeps its turn in the other")
    func together() {
        var bench = Bench()
        #expect(bench.ask(1, "x") == [1])
        #expect(bench.ask(2, "x", "y") == [])
        // First come first served: 3 comes after 2, though y is free.
        #expect(bench.ask(3, "y") == [])
        #expect(bench.release(1) == [2])
        #expect(bench.release(2) == [3])
    }

    @Test("Opposite orders do not wait for each other")
    func opposite() {
        var bench = Bench()
        #expect(bench.ask(1, "x", "y") == [1])
        #expect(bench.ask(2, "y", "x") == [])
        #expect(bench.ask(3, "x", "y") == [])
        #expect(bench.release(1) == [2])
        #expect(bench.release(2) == [3])
    }

    @Test("Who leaves the line is passed over")
    func leaving() {
        var bench = Bench()
        #expect(bench.ask(1, "x") == [1])
        #expect(bench.ask(2, "x", "y") == [])
        #expect(bench.ask(3, "y") == [])
        // 2 was before 3 in y.
        #expect(bench.release(2) == [3])
        #expect(bench.release(1) == [] && bench.release(3) == [])
        #expect(bench.table.isIdle)
    }

    @Test("What is nested in something that executes comes before what waits for a slot or a category")
    func nested() {
        var bench = Bench(width: 1)
        #expect(bench.ask(1) == [1])
        // 2 wants x and has no slot while 1 executes; 3 is a part of 1.
        #expect(bench.ask(2, "x") == [])
        #expect(bench.ask(3, ["x"], nested: true, isLimited: false) == [3])
        #expect(bench.release(3) == [])
        #expect(bench.release(1) == [2])
    }

    @Test("Slots go to who can use them, in their order")
    func slots() {
        var bench = Bench(width: 2)
        #expect(bench.ask(1, "x") == [1])
        #expect(bench.ask(2, "x") == [])
        #expect(bench.ask(3) == [3])
        #expect(bench.ask(4) == [])
        #expect(bench.ask(5) == [])
        #expect(bench.release(3) == [4])
        #expect(bench.release(1) == [2])
        #expect(bench.release(4) == [5])
        #expect(bench.release(2) == [] && bench.release(5) == [])
        #expect(bench.table.isIdle)
    }

    @Test("Who became ready first comes first, however late it claims")
    func turns() {
        var bench = Bench()
        bench.join(1, ["x"])
        bench.join(2, ["x"])
        bench.join(3, ["x", "y"])
        #expect(bench.ask(4, "y") == [])
        #expect(bench.claim(3) == [] && bench.claim(2) == [])
        #expect(bench.claim(1) == [1])
        #expect(bench.release(1) == [2] && bench.release(2) == [3] && bench.release(3) == [4])
        #expect(bench.release(4) == [] && bench.table.isIdle)
    }

    @Test("Who steps aside is passed, and comes back to its old turn")
    func aside() {
        var bench = Bench()
        bench.join(1, ["x"])
        #expect(bench.ask(2, "x") == [] && bench.ask(3, "x") == [])
        #expect(bench.stepAside(1) == [2])
        // Back before the last of those that came after it.
        #expect(bench.claim(1) == [])
        #expect(bench.release(2) == [1] && bench.release(1) == [3])
        #expect(bench.release(3) == [] && bench.table.isIdle)
    }

    @Test("A category whose users have all stepped aside is still theirs")
    func asideAlone() {
        var bench = Bench()
        // More categories than are kept unused.
        for number in 1...40 {
            bench.join(UInt64(number), ["c\(number)"])
            #expect(bench.stepAside(UInt64(number)) == [])
        }
        #expect(bench.ask(100, "c7") == [100])
        #expect(bench.comeBack(7) == [] && bench.claim(7) == [])
        #expect(bench.release(100) == [7])
        for number in 1...40 { _ = bench.release(UInt64(number)) }
        #expect(bench.table.isIdle)
    }

    @Test("Who waits for a slot of a limit whose holder waits is passed, and comes back to its old turn")
    func passed() {
        var bench = Bench(width: 1)
        #expect(bench.ask(1) == [1])
        #expect(bench.ask(2, "x", "y") == [])
        #expect(bench.ask(3, ["x"], isLimited: false) == [] && bench.ask(4, ["y"], isLimited: false) == [])
        // Both after 2, in one category each.
        #expect(Set(bench.beginWait()) == [3, 4])
        // One that comes now is passed at once.
        #expect(bench.ask(5, "z") == [])
        #expect(bench.ask(6, ["z"], isLimited: false) == [6])
        #expect(bench.release(6) == [] && bench.release(3) == [])
        #expect(bench.endWait() == [])
        #expect(bench.ask(7, ["x"], isLimited: false) == [] && bench.ask(8, ["z"], isLimited: false) == [])
        // By their turns: the slot is of no use to 2, whose y is held.
        #expect(bench.release(1) == [5])
        #expect(bench.release(4) == [] && bench.release(5) == [8, 2])
        #expect(bench.release(2) == [7] && bench.release(7) == [] && bench.release(8) == [])
        #expect(bench.table.isIdle)
    }

    @Test("Who wants a category of a holder that waits is passed in its others, and keeps its turn")
    func holderWaits() {
        var bench = Bench()
        #expect(bench.ask(1, "h") == [1])
        #expect(bench.ask(2, "x", "h") == [] && bench.ask(3, "x") == [] && bench.ask(4, "x") == [])
        #expect(bench.ask(5, "h") == [] && bench.ask(6, "x", "h") == [])
        // 3 is after 2 only. Of two waits the last one counts.
        #expect(bench.beginWait(of: 1) == [3] && bench.beginWait(of: 1) == [])
        bench.endWait(of: 1)
        #expect(bench.release(3) == [4])
        bench.endWait(of: 1)
        // 2 is first in x again, also before one that comes now; in h it always was.
        #expect(bench.ask(7, "x") == [])
        #expect(bench.release(4) == [] && bench.release(1) == [2])
        #expect(Set(bench.release(2)) == [5] && bench.release(5) == [6] && bench.release(6) == [7])
        #expect(bench.release(7) == [] && bench.table.isIdle)
        // One that is released while it waits leaves nothing behind.
        #expect(bench.ask(8, "h") == [8] && bench.ask(9, "x", "h") == [])
        #expect(bench.beginWait(of: 8) == [] && bench.ask(10, "x") == [10])
        #expect(bench.release(8) == [] && bench.release(10) == [9])
        bench.endWait(of: 8)
        #expect(bench.ask(11, "x") == [] && bench.release(9) == [11])
        #expect(bench.release(11) == [] && bench.table.isIdle)
    }

    @Test("Ten thousand that wait for one slot are passed and come back, in their order")
    func manyPassed() {
        var bench = Bench(width: 1)
        #expect(bench.ask(1) == [1])
        for number in 2...10_000 { #expect(bench.ask(UInt64(number), "x") == []) }
        #expect(bench.ask(10_001, ["x"], isLimited: false) == [])
        #expect(bench.beginWait() == [10_001])
        #expect(bench.endWait() == [] && bench.release(10_001) == [])
        for number in 1..<10_000 { #expect(bench.release(UInt64(number)) == [UInt64(number) + 1]) }
        #expect(bench.release(10_000) == [] && bench.table.isIdle)
    }

    @Test("A width of nought holds everything back until it is widened")
    func width() {
        var bench = Bench(width: 2)
        #expect(bench.setWidth(0) == [])
        #expect(bench.ask(1) == [])
        #expect(bench.ask(2, "x") == [])
        #expect(bench.ask(3) == [])
        #expect(bench.setWidth(2) == [1, 2])
        #expect(bench.release(1) == [3])
    }

    @Test("Who claims while the width is nought is passed, and has its turn when it is widened")
    func claimedMeanwhile() {
        var bench = Bench(width: 1)
        bench.join(1, ["x"])
        #expect(bench.ask(2, ["x"], isLimited: false) == [])
        #expect(bench.setWidth(0) == [])
        #expect(bench.claim(1) == [2])
        #expect(bench.ask(3, ["x"], isLimited: false) == [])
        #expect(bench.setWidth(1) == [])
        #expect(bench.release(2) == [1] && bench.release(1) == [3] && bench.release(3) == [])
        #expect(bench.table.isIdle)
    }

    @Test("Whatever the order of requests, releases and withdrawals: no category has two holders, and all get through")
    func random() {
        var seed: UInt64 = 42
        func next(_ bound: UInt64) -> UInt64 {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (seed >> 33) % bound
        }
        for _ in 0..<200 {
            var bench = Bench(width: 1 + Int(next(3)))
            var holders: [UInt64: Set<UInt64>] = [:]
            var waiting: [UInt64: Set<UInt64>] = [:]
            var last: UInt64 = 0
            func grant(_ tickets: [UInt64]) {
                for ticket in tickets {
                    let wants = waiting.removeValue(forKey: ticket) ?? []
                    #expect(holders.values.allSatisfy { $0.isDisjoint(with: wants) })
                    holders[ticket] = wants
                }
            }
            for _ in 0..<60 {
                switch next(5) {
                case 4:
                    // One that executes waits for others for a while.
                    if let ticket = holders.keys.max() {
                        if next(2) == 0 { grant(bench.beginWait(of: ticket)) } else { bench.endWait(of: ticket) }
                    }
                case 3:
                    // A waiting one is passed for a while.
                    if let ticket = waiting.keys.min() {
                        grant(bench.stepAside(ticket))
                        if next(2) == 0 { grant(bench.comeBack(ticket)) }
                    }
                case 0:
                    last += 1
                    let wants = Set((0..<next(3)).map { _ in next(4) })
                    waiting[last] = wants
                    grant(bench.ask(last, wants.map { "\($0)" }.sorted(), nested: next(4) == 0))
                case 1:
                    if let ticket = holders.keys.min() {
                        holders[ticket] = nil
                        grant(bench.release(ticket))
                    }
                default:
                    if let ticket = waiting.keys.max() {
                        waiting[ticket] = nil
                        grant(bench.release(ticket))
                    }
                }
            }
            for ticket in waiting.keys.sorted() { grant(bench.comeBack(ticket)) }
            while let ticket = holders.keys.min() {
                holders[ticket] = nil
                grant(bench.release(ticket))
            }
            #expect(waiting.isEmpty && bench.table.isIdle)
        }
    }
}
