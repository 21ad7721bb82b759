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
            let ticket = table.makeTicket(number)
            tickets[number] = ticket
            return table.request(
                ticket, limit: isLimited ? limit : nil, categories: categories, isNested: nested) ? [number] : []
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
        // 2 stood before 3 in y.
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
                switch next(3) {
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
            while let ticket = holders.keys.min() {
                holders[ticket] = nil
                grant(bench.release(ticket))
            }
            #expect(waiting.isEmpty && bench.table.isIdle)
        }
    }
}
