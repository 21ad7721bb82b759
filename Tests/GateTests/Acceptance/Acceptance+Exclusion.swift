import GateTestKit
import Testing

@testable import Gate

extension Acceptance {
    @Suite("Exclusion")
    struct Exclusion {
        enum Category {}
        enum Other {}

        @Test(
            "14. Exclusive operations never overlap, also when added from many threads.", arguments: Pace.allCases)
        func exclusive(_ pace: Pace) async {
            let world = World(pace)
            let other = GateQueue(gatekeeper: world.gatekeeper)
            let overlap = Overlap()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        await pace.pass()
                        let operation = ClosureOperation { _ in await overlap.run() }
                            .adding(MutuallyExclusive<Category>())
                        await (number.isMultiple(of: 2) ? world.queue : other).add(operation).result.ignore()
                    }
                }
            }
            #expect(overlap.most == 1)
        }

        @Test("14. Categories are taken all together, first come first served.", arguments: Pace.allCases)
        func categories(_ pace: Pace) async {
            let world = World(pace)
            let order = Record<String>()
            let (gate, began) = (Signal(), Signal())
            func add(_ name: String, _ conditions: [any OperationCondition]) -> OperationHandle<Void, Never> {
                var operation = ClosureOperation(name) { _ in
                    order.append(name)
                    began.raise()
                    if name == "a" { await gate.reached() }
                    await pace.pass()
                }
                operation.conditions = conditions
                return world.queue.add(operation)
            }
            let a = add("a", [MutuallyExclusive<Category>()])
            await began.reached(1)
            // b wants both: it waits holding neither.
            let b = add("b", [MutuallyExclusive<Other>(), MutuallyExclusive<Category>()])
            while world.gatekeeper.locks.waiting < 1 { await Task.yield() }
            // c came after b, so that it waits, though nobody holds what it wants.
            let c = add("c", [MutuallyExclusive<Other>()])
            while world.gatekeeper.locks.waiting < 2, began.count == 1 { await Task.yield() }
            #expect(order.all == ["a"])
            // An operation that leaves the queue withdraws its request: nothing was held for it.
            b.cancel()
            await c.result.ignore()
            #expect(order.all == ["a", "c"])
            gate.raise()
            await a.result.ignore()
            #expect(await b.result.error == .cancelled)
        }

        @Test("14. Categories wanted in opposite orders do not deadlock.", arguments: Pace.allCases)
        func opposite(_ pace: Pace) async {
            let world = World(pace)
            let overlap = Overlap()
            let operation = ClosureOperation { _ in await overlap.run() }
            let handles = (0..<40).map { number in
                number.isMultiple(of: 2)
                    ? world.queue.add(operation.adding(MutuallyExclusive<Category>(), MutuallyExclusive<Other>()))
                    : world.queue.add(operation.adding(MutuallyExclusive<Other>(), MutuallyExclusive<Category>()))
            }
            for handle in handles { #expect(await handle.result.error == nil) }
            #expect(overlap.most == 1)
        }

        @Test("14. Exclusion plus dependency does not deadlock.", arguments: Pace.allCases)
        func exclusionAndDependency(_ pace: Pace) async {
            let world = World(pace)
            let exclusive = ClosureOperation { _ in await pace.pass() }.adding(MutuallyExclusive<Category>())
            world.queue.suspend()
            let late = world.queue.add(exclusive)
            let early = world.queue.add(exclusive)
            #expect(throws: Never.self) { try late.addDependency(early) }
            world.queue.resume()
            #expect(await late.result.error == nil)
        }

        @Test(
            "14. A group and its child that share a category is an error at once, not a hang.",
            arguments: Pace.allCases)
        func sharedCategory(_ pace: Pace) async {
            let world = World(pace)
            let executed = Signal()
            var inner = GroupOperation("inner")
            inner.add(ClosureOperation { _ in executed.raise() }.adding(MutuallyExclusive<Category>()))
            var outer = GroupOperation("outer")
            outer.add(inner)
            inner.addCondition(MutuallyExclusive<Category>())
            outer.addCondition(MutuallyExclusive<Category>())
            #expect(await world.queue.add(inner).result.error?.kind == .deadlock)
            #expect(await world.queue.add(outer).result.error?.kind == .deadlock)
            #expect(executed.count == 0)
            // At once: not only when the child's turn would come.
            var late = GroupOperation("late")
            let never = late.add(ClosureOperation { _ in await untilCancelled() })
            late.add(ClosureOperation { _ in }.adding(MutuallyExclusive<Category>()), after: [never])
            late.addCondition(MutuallyExclusive<Category>())
            #expect(await world.queue.add(late).result.error?.kind == .deadlock)
            // Apart from each other they exclude each other as they should.
            outer.conditions = []
            #expect(await world.queue.add(outer).result.error == nil)
        }
    }
}
