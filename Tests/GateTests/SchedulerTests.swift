import GateTestKit
import Testing

@testable import Gate

@Suite("Scheduler")
struct SchedulerTests {
    @Test("Those that wait hold nobody up", .timeLimit(.minutes(10)))
    func waiting() async {
        let world = World()
        let began = Signal()
        let gate = Signal()
        for _ in 0..<1000 {
            world.queue.add(
                ClosureOperation { _ in
                    began.raise()
                    await gate.reached()
                })
        }
        await began.reached(1000)
        gate.raise()
        await world.queue.waitUntilEmpty()
        #expect(world.queue.count == 0)
    }

    @Test("Cancelling one does not cancel those that come after it", arguments: [1, 2, .max])
    func cancelledBefore(width: Int) async {
        for _ in 0..<100 {
            let world = World(width: width)
            let began = Signal()
            let first = world.queue.add(
                ClosureOperation { _ in
                    began.raise()
                    await untilCancelled()
                })
            let later = (0..<4).map { _ in world.queue.add(ClosureOperation { _ in Task.isCancelled }, after: [first]) }
            await began.reached()
            first.cancel()
            for handle in later { #expect(await handle.result == .success(false)) }
        }
    }

    @Test("Cancelled by itself before it has ever waited", arguments: [1, .max])
    func cancelledAtOnce(width: Int) async {
        let world = World(width: width)
        world.queue.suspend()
        let first = world.queue.add(
            ClosureOperation { context in
                context.cancel()
                return Task.isCancelled
            })
        let second = world.queue.add(ClosureOperation { _ in Task.isCancelled })
        world.queue.resume()
        #expect(await first.result == .success(true))
        #expect(first.isCancelled && !second.isCancelled)
        #expect(await second.result == .success(false))
    }

    @Test("The highest priority goes first where one executes at a time, and among equals the first")
    func priorities() async {
        let world = World(width: 1)
        let order = Record<String>()
        let gate = Signal()
        let began = Signal()
        world.queue.add(
            ClosureOperation { _ in
                began.raise()
                await gate.reached()
            })
        await began.reached()
        for (name, priority) in [("low", TaskPriority.low), ("medium", .medium), ("high", .high)] {
            for number in 1...2 {
                world.queue.add(ClosureOperation { _ in order.append("\(name) \(number)") }, priority: priority)
            }
        }
        gate.raise()
        await world.queue.waitUntilEmpty()
        #expect(order.all == ["high 1", "high 2", "medium 1", "medium 2", "low 1", "low 2"])
    }

    @Test("A slot that comes free while the lines are looked through is not for those further down")
    func lateSlot() {
        let world = World()
        var ready = ReadyQueue()
        for priority in [TaskPriority.low, .medium] {
            let body = OperationBody(ClosureOperation { _ in })
            ready.append(
                ReadyOperation(node: OperationNode(body, nil, in: world.gatekeeper, priority: priority), needs: .slot))
        }
        var looks = 0
        let whileTaken = ready.popFirst {
            looks += 1
            return looks > 1
        }
        #expect(whileTaken == nil && looks == 1)
        #expect(ready.popFirst { true }?.node.level == TaskPriority.medium.rawValue)
    }

    @Test("A queue whose line was cancelled is gone with its last operation", .timeLimit(.minutes(10)))
    func releasedLine() async {
        let world = World()
        var queue: GateQueue? = GateQueue(gatekeeper: world.gatekeeper, width: 1)
        weak let scheduler = queue?.scheduler
        let gate = Signal()
        // No handle is kept: it would keep the queue's scheduler.
        queue?.add(ClosureOperation { _ in await gate.reached() })
        for _ in 0..<10 { queue?.add(ClosureOperation { _ in }).cancel() }
        queue = nil
        gate.raise()
        while scheduler != nil, !Task.isCancelled { await Task.yield() }
        #expect(scheduler == nil)
    }

    @Test("Emptied and filled again over and over: none is forgotten", .timeLimit(.minutes(2)), arguments: [2, .max])
    func refilled(width: Int) async {
        let world = World(width: width)
        let runs = Signal()
        for _ in 0..<100 {
            for _ in 0..<300 { world.queue.add(ClosureOperation { _ in runs.raise() }) }
            await world.queue.waitUntilEmpty()
        }
        #expect(runs.count == 30_000)
    }

    @Test(
        "Added from many tasks, by operations and while the queue is suspended and resumed: each runs once",
        .timeLimit(.minutes(10)), arguments: [1, 2, .max])
    func storm(width: Int) async {
        let world = World(width: width)
        let runs = Record<Int>()
        let priorities: [TaskPriority?] = [nil, .low, .high]
        await withTaskGroup { group in
            for task in 0..<6 {
                group.addTask {
                    for number in 0..<100 {
                        let operation = ClosureOperation { _ in
                            runs.append(task)
                            world.queue.add(ClosureOperation { _ in runs.append(task) })
                            if number.isMultiple(of: 7) { await Task.yield() }
                        }
                        let first = world.queue.add(operation, priority: priorities[number % 3])
                        world.queue.add(
                            number.isMultiple(of: 5) ? operation.adding(BlockCondition { true }) : operation,
                            after: [first])
                        if number.isMultiple(of: 20) { world.queue.suspend() }
                        if number % 20 == 5 { world.queue.resume() }
                    }
                }
            }
        }
        world.queue.resume()
        await world.queue.waitUntilEmpty()
        #expect(runs.all.count == 6 * 100 * 4)
    }

    @Test("It is idle when all operations wait, and not before one that yields has ended", arguments: [1, .max])
    func idle(width: Int) async {
        let executor = CountingExecutor()
        let world = World(width: width, on: executor)
        let (gate, done) = (Signal(), Signal())
        let yielding = world.queue.add(
            ClosureOperation { _ in
                for _ in 0..<1000 { await Task.yield() }
                done.raise()
            })
        let waiting = world.queue.add(ClosureOperation { _ in await gate.reached() }, after: [yielding])
        let behind = world.queue.add(ClosureOperation { _ in done.raise() }, after: [waiting])
        await executor.idle()
        #expect(yielding.isFinished && !waiting.isFinished && !behind.isFinished && done.count == 1)
        gate.raise()
        await executor.idle()
        #expect(waiting.isFinished && behind.isFinished && done.count == 2 && world.queue.count == 0)
    }

    @Test("It is not idle while a capture asks, opens, ends or is written down, only while the person thinks")
    func idleCapture() async {
        let executor = CountingExecutor()
        let world = World(on: executor)
        let answered = Signal()
        world.prompter.reply { _ in
            await answered.reached()
            return .allow(.always)
        }
        let handle = world.queue.add(Capture(Capability.Microphone()))
        await executor.idle()
        #expect(world.prompter.questions.count == 1 && !handle.isFinished)
        answered.raise()
        await executor.idle()
        #expect(handle.isFinished && world.store.events(.stop).count == 1)
    }
}
