import GateTestKit
import Glibc
import Testing

@testable import Gate

/// Operations that exclude one another execute in the order in which they became ready.
@Suite("Order of exclusive operations")
struct ExclusionOrderTests {
    enum Category {}

    private let executor = CountingExecutor()

    /// Tasks that keep all threads of the pool busy, and give way now and then.
    private struct Load {
        private let tasks: [Task<Void, Never>]

        init(tasks count: Int = 4) {
            tasks = (0..<count).map { number in
                Task.detached(priority: number.isMultiple(of: 2) ? .medium : .high) {
                    var value = UInt64(number)
                    while !Task.isCancelled {
                        for _ in 0..<2000 { value = value &* 6_364_136_223_846_793_005 &+ 1 }
                        await Task.yield()
                    }
                    withExtendedLifetime(value) {}
                }
            }
        }

        func end() async {
            for task in tasks { task.cancel() }
            for task in tasks { await task.value }
        }
    }

    /// Condition that is satisfied after other tasks have had a number of turns.
    private func slow(_ turns: UInt64) -> BlockCondition {
        BlockCondition {
            for _ in 0..<turns { await Task.yield() }
            return true
        }
    }

    /// Condition that tells when it is evaluated, and holds once a gate is open.
    private func waiting(_ evaluating: Signal, _ gate: Signal) -> BlockCondition {
        BlockCondition {
            evaluating.raise()
            await gate.reached()
            return true
        }
    }

    private func exclusive(_ name: String, _ order: Record<String>) -> ClosureOperation<Void, Never> {
        ClosureOperation(name) { _ in order.append(name) }.adding(MutuallyExclusive<Category>())
    }

    @Test("They go in the order of adding, whatever their priorities, conditions, queues and the load")
    func rounds() async {
        let load = Load()
        var random = WaitStrategyTests.Seeded(state: 4711)
        let rounds = getenv("CAPTUREGATE_LONG") == nil ? 50 : 200
        for round in 0..<rounds {
            let world = World()
            world.decide(.allow)
            let width = round.isMultiple(of: 2) ? Int.max : 1 + Int(random.next(upperBound: 3 as UInt64))
            let queues = [
                GateQueue(gatekeeper: world.gatekeeper, width: width), GateQueue(gatekeeper: world.gatekeeper),
            ]
            let (order, overlap) = (Record<Int>(), Overlap())
            for number in 0..<10 {
                var operation = ClosureOperation { _ in
                    order.append(number)
                    await overlap.run()
                }.adding(MutuallyExclusive<Category>())
                switch random.next(upperBound: 4 as UInt64) {
                case 0: operation.addCondition(slow(random.next(upperBound: 40 as UInt64)))
                case 1: operation.addCondition(AuthorizedFor(Capability.Microphone()))
                case 2: operation.addObserver(BlockObserver())
                default: break
                }
                let priorities: [TaskPriority?] = [nil, .low, .medium, .high, .background]
                queues[Int(random.next(upperBound: 2 as UInt64))].add(
                    operation, priority: priorities[Int(random.next(upperBound: UInt64(priorities.count)))])
            }
            for queue in queues { await queue.waitUntilEmpty() }
            #expect(order.all == Array(0..<10) && overlap.most == 1, "round \(round)")
            #expect(world.gatekeeper.locks.isIdle && world.gatekeeper.locks.waiting == 0)
        }
        await load.end()
    }

    @Test("It counts when the dependencies have ended, not when it was added")
    func dependencies() async {
        let world = World()
        let order = Record<String>()
        let (gate, held) = (Signal(), Signal())
        let began = Signal()
        let holder = world.queue.add(
            ClosureOperation { _ in
                began.raise()
                await held.reached()
            }.adding(MutuallyExclusive<Category>()))
        await began.reached()
        let dependency = world.queue.add(ClosureOperation { _ in await gate.reached() })
        // Ready when the dependency ends, with a condition that takes longer than anything of the others.
        world.queue.add(exclusive("dependent", order).adding(slow(50)), after: [dependency])
        world.queue.add(exclusive("before", order))
        gate.raise()
        await dependency.result.ignore()
        world.queue.add(exclusive("after", order))
        held.raise()
        await holder.result.ignore()
        await world.queue.waitUntilEmpty()
        #expect(order.all == ["before", "dependent", "after"])
    }

    @Test("One whose question is open holds nobody back, and comes back to its turn", arguments: Pace.allCases)
    func question(_ pace: Pace) async {
        let world = World(pace)
        let order = Record<String>()
        let (answered, gate, began) = (Signal(), Signal(), Signal())
        world.prompter.reply { _ in
            await answered.reached()
            return .allow(.always)
        }
        world.queue.add(exclusive("asking", order).adding(AuthorizedFor(Capability.Microphone())))
        await world.prompter.asked.reached()
        world.queue.add(
            ClosureOperation { _ in
                order.append("passing")
                began.raise()
                await gate.reached()
            }.adding(MutuallyExclusive<Category>()))
        await began.reached()
        world.queue.add(exclusive("last", order))
        while world.gatekeeper.locks.waiting < 1 { await Task.yield() }
        answered.raise()
        while world.gatekeeper.locks.waiting < 2 { await Task.yield() }
        gate.raise()
        await world.queue.waitUntilEmpty()
        #expect(order.all == ["passing", "asking", "last"])
    }

    @Test("A condition that waits for an operation behind it lets that pass")
    func waitingCondition() async {
        let world = World()
        let order = Record<String>()
        let later = Promise<OperationHandle<Void, Never>>()
        let first = world.queue.add(
            exclusive("first", order).adding(
                BlockCondition {
                    await later.value.result.ignore()
                    return true
                }))
        later.fulfil(world.queue.add(exclusive("second", order)))
        #expect(await first.result.error == nil)
        #expect(order.all == ["second", "first"])
        // The same if it adds that operation itself.
        let queue = world.queue
        let inner = exclusive("inner", order)
        let outer = exclusive("outer", order).adding(BlockCondition { await queue.outcome(of: inner).error == nil })
        #expect(await queue.add(outer).result.error == nil)
        #expect(order.all.suffix(2) == ["inner", "outer"])
    }

    @Test("One that is cancelled or refused while its conditions are evaluated gives its turn up at once")
    func cancelled() async {
        let world = World(on: executor)
        let order = Record<String>()
        let (evaluating, gate) = (Signal(), Signal())
        let first = world.queue.add(
            exclusive("first", order).adding(waiting(evaluating, gate)))
        await evaluating.reached()
        let second = world.queue.add(exclusive("second", order))
        world.queue.add(exclusive("refused", order).adding(BlockCondition { false }))
        let third = world.queue.add(exclusive("third", order))
        await executor.idle()
        #expect(order.all.isEmpty)
        first.cancel()
        await second.result.ignore()
        await third.result.ignore()
        #expect(!first.isFinished && order.all == ["second", "third"])
        gate.raise()
        #expect(await first.result.error == .cancelled)
        #expect(world.gatekeeper.locks.isIdle)
    }

    @Test("What a suspended queue holds back holds nobody else back, and has its turn when the queue is resumed")
    func suspended() async {
        let world = World(on: executor)
        let order = Record<String>()
        let other = GateQueue(gatekeeper: world.gatekeeper)
        let (gate, began) = (Signal(), Signal())
        world.queue.suspend()
        world.queue.add(exclusive("low", order), priority: .low)
        world.queue.add(exclusive("high", order), priority: .high)
        #expect(await other.add(exclusive("other", order)).result.error == nil)
        let holder = other.add(
            ClosureOperation { _ in
                began.raise()
                await gate.reached()
            }.adding(MutuallyExclusive<Category>()))
        await began.reached()
        other.add(exclusive("last", order))
        world.queue.resume()
        gate.raise()
        await holder.result.ignore()
        for queue in [other, world.queue] { await queue.waitUntilEmpty() }
        #expect(order.all == ["other", "low", "high", "last"])
        // One that waits for its locks when the queue is suspended is passed, too.
        let (second, third) = (Signal(), Signal())
        let blocking = other.add(
            ClosureOperation { _ in
                second.raise()
                await third.reached()
            }.adding(MutuallyExclusive<Category>()))
        await second.reached()
        let waiting = world.queue.add(exclusive("waiting", order))
        while world.gatekeeper.locks.waiting < 1 { await Task.yield() }
        world.queue.suspend()
        third.raise()
        await blocking.result.ignore()
        #expect(await other.add(exclusive("passing", order)).result.error == nil)
        await executor.idle()
        #expect(!waiting.isFinished)
        world.queue.resume()
        #expect(await waiting.result.error == nil)
    }

    /// Makes an operation wait in `wait`, which gets another queue and an operation of the category, while two of the category are
    /// queued after the waiting one.
    /// - Parameters:
    ///   - width: width of the queue of all three.
    ///   - held: conditions of the waiting one.
    ///   - wanted: further conditions of the first of the two.
    ///   - waiting: number of the two that are at the locks before the wait begins.
    private func order(
        width: Int = .max, holding held: [any OperationCondition] = [],
        first: String = "first", _ wanted: [any OperationCondition] = [], waiting: Int,
        _ wait: @escaping @Sendable (GateQueue, ClosureOperation<Void, Never>) async -> Void
    ) async -> [String] {
        let world = World(width: width, on: executor)
        let order = Record<String>()
        let other = GateQueue(gatekeeper: world.gatekeeper)
        let (began, gate) = (Signal(), Signal())
        let behind = exclusive("behind", order)
        var holder = ClosureOperation { _ in
            began.raise()
            await gate.reached()
            await wait(other, behind)
            order.append("holder")
        }
        holder.conditions = held
        world.queue.add(holder)
        await began.reached()
        var next = exclusive(first, order)
        next.conditions += wanted
        world.queue.add(next)
        world.queue.add(exclusive("second", order))
        while world.gatekeeper.locks.waiting < waiting { await Task.yield() }
        gate.raise()
        for queue in [world.queue, other] { await queue.waitUntilEmpty() }
        #expect(world.gatekeeper.locks.isIdle && world.gatekeeper.locks.waiting == 0)
        return order.all
    }

    /// The one that waits has the only slot of the queue.
    private func waitingInSlot(
        _ conditions: [any OperationCondition] = [],
        _ wait: @escaping @Sendable (GateQueue, ClosureOperation<Void, Never>) async -> Void
    ) async -> [String] {
        await order(width: 1, conditions, waiting: 1, wait)
    }

    @Test(
        "What waits for the slot of an operation that waits for another one is passed by that, and keeps its order",
        .timeLimit(.minutes(1)))
    func fullQueue() async {
        let order = ["behind", "holder", "first", "second"]
        #expect(await waitingInSlot { other, behind in await other.add(behind).result.ignore() } == order)
        // However the holder waits.
        #expect(
            await waitingInSlot { other, behind in
                other.add(behind)
                await other.waitUntilEmpty()
            } == order)
        // The operation it waits for may itself wait for a later one, and one with conditions can be overtaken, too.
        #expect(
            await waitingInSlot([slow(20)]) { other, behind in
                let between = other.add(behind)
                await other.outcome(of: ClosureOperation { _ in await between.result.ignore() }).ignore()
            } == order)
        #expect(
            await waitingInSlot { other, behind in
                await other.add(ClosureOperation { _ in }, after: [other.add(behind)]).result.ignore()
            } == order)
    }

    private enum Held {}

    /// The one that waits holds a category, which the first of the two wants beside the other one.
    private func waitingHolder(
        _ wait: @escaping @Sendable (GateQueue, ClosureOperation<Void, Never>) async -> Void
    ) async -> [String] {
        let held = [MutuallyExclusive<Held>()]
        return await order(holding: held, first: "both", held, waiting: 2, wait)
    }

    @Test(
        "What wants a category of an operation that waits for another one is passed in the rest, and keeps its order",
        .timeLimit(.minutes(1)))
    func holderWaits() async {
        // What waits for the holder is passed, and those that it held back come first.
        let order = ["second", "behind", "holder", "both"]
        let waits: [@Sendable (GateQueue, ClosureOperation<Void, Never>) async -> Void] = [
            { other, behind in await Task.detached { other.add(behind) }.value.result.ignore() },
            { other, behind in
                _ = await Task.detached { other.add(behind) }.value
                await other.waitUntilEmpty()
            },
            { other, behind in
                let between = await Task.detached { other.add(behind) }.value
                await other.outcome(of: ClosureOperation { _ in await between.result.ignore() }).ignore()
            },
        ]
        for wait in waits {
            let got = await waitingHolder(wait)
            #expect(got == order)
        }
        // Nested in the holder, it comes before them.
        let nested = await waitingHolder { other, behind in await other.outcome(of: behind).ignore() }
        #expect(nested.first == "behind" && nested.sorted() == order.sorted())
        #expect(nested.firstIndex(of: "both") ?? 0 > nested.firstIndex(of: "holder") ?? 4)
    }

    @Test("A holder that waits for no other keeps the turns of what wants its category and another")
    func busyHolder() async {
        let order = await waitingHolder { [executor] other, behind in
            let handle = await Task.detached { other.add(behind) }.value
            // The holder waits here for no operation.
            await executor.idle()
            #expect(!handle.isFinished)
        }
        #expect(order == ["holder", "both", "second", "behind"])
    }

    @Test("A full queue whose operation waits for no other keeps the turns of what it holds back")
    func busyQueue() async {
        let order = await waitingInSlot { [executor] other, behind in
            let handle = other.add(behind)
            await executor.idle()
            #expect(!handle.isFinished)
        }
        #expect(order == ["holder", "first", "second", "behind"])
    }

    @Test("One whose conditions end while its queue is suspended is passed until that is resumed")
    func suspendedWhileEvaluating() async {
        let world = World()
        let order = Record<String>()
        let other = GateQueue(gatekeeper: world.gatekeeper)
        let (evaluating, gate) = (Signal(), Signal())
        world.queue.add(
            exclusive("evaluated", order).adding(waiting(evaluating, gate)))
        await evaluating.reached()
        world.queue.suspend()
        let passing = other.add(exclusive("passing", order))
        gate.raise()
        #expect(await passing.result.error == nil)
        world.queue.resume()
        await world.queue.waitUntilEmpty()
        #expect(order.all == ["passing", "evaluated"] && world.gatekeeper.locks.isIdle)
    }

    @Test("One that gets another dependency after it was ready gives its turn up, and has a new one later")
    func lateDependency() async {
        let world = World()
        let order = Record<String>()
        let gate = Signal()
        world.queue.suspend()
        let dependency = world.queue.add(ClosureOperation { _ in await gate.reached() })
        let first = world.queue.add(exclusive("first", order))
        #expect(throws: Never.self) { try first.addDependency(dependency) }
        world.queue.resume()
        #expect(await world.queue.add(exclusive("second", order)).result.error == nil)
        gate.raise()
        #expect(await first.result.error == nil)
        #expect(order.all == ["second", "first"] && world.gatekeeper.locks.isIdle)
    }
}
