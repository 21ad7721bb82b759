import GateTestKit
import Testing

@testable import Gate

/// Operations that need locks and no evaluation: they wait without a task, and one hands its locks to the next.
@Suite("Exclusive operations")
struct ExclusiveOperationTests {
    enum Category {}
    enum Other {}

    private func exclusive(_ body: @escaping @Sendable () async -> Void) -> ClosureOperation<Void, Never> {
        ClosureOperation { _ in await body() }.adding(MutuallyExclusive<Category>())
    }

    /// Holds the category until `gate` is raised.
    private func hold(_ world: World, until gate: Signal) async -> OperationHandle<Void, Never> {
        let began = Signal()
        let handle = world.queue.add(
            exclusive {
                began.raise()
                await gate.reached()
            })
        await began.reached()
        return handle
    }

    @Test("10,000 that wait for one go one after another, first come first served", .timeLimit(.minutes(2)))
    func order() async {
        let world = World()
        let gate = Signal()
        let (order, overlap) = (Record<Int>(), Overlap())
        _ = await hold(world, until: gate)
        for number in 0..<10_000 {
            world.queue.add(
                exclusive {
                    order.append(number)
                    if number.isMultiple(of: 1000) { await overlap.run() }
                })
        }
        gate.raise()
        await world.queue.waitUntilEmpty()
        #expect(order.all == Array(0..<10_000) && overlap.most == 1)
        #expect(world.gatekeeper.locks.isIdle && world.gatekeeper.locks.waiting == 0)
    }

    @Test("Two queues and three priorities hand one category to and fro, and each runs once")
    func queues() async {
        let world = World()
        let queues = [world.queue, GateQueue(gatekeeper: world.gatekeeper, width: 2)]
        let (runs, overlap) = (Signal(), Overlap())
        let priorities: [TaskPriority?] = [nil, .low, .high]
        for number in 0..<600 {
            queues[number % 2].add(
                exclusive {
                    runs.raise()
                    if number.isMultiple(of: 50) { await overlap.run() }
                }, priority: priorities[number % 3])
        }
        for queue in queues { await queue.waitUntilEmpty() }
        #expect(runs.count == 600 && overlap.most == 1 && world.gatekeeper.locks.isIdle)
    }

    @Test("One that is cancelled while it waits ends at once, and what stood behind it alone comes")
    func cancelledWhileWaiting() async {
        let world = World()
        let gate = Signal()
        let holder = await hold(world, until: gate)
        let both = world.queue.add(exclusive {}.adding(MutuallyExclusive<Other>()))
        while world.gatekeeper.locks.waiting < 1 { await Task.yield() }
        let behind = world.queue.add(ClosureOperation { _ in }.adding(MutuallyExclusive<Other>()))
        both.cancel()
        #expect(await both.result.error == .cancelled)
        #expect(await behind.result.error == nil)
        #expect(!holder.isFinished && world.gatekeeper.locks.waiting == 0)
        gate.raise()
        #expect(await holder.result.error == nil)
    }

    @Test("Cancelling one that executes cancels neither the next nor what comes after it")
    func cancelledWhileExecuting() async {
        for _ in 0..<50 {
            let world = World()
            let began = Signal()
            let first = world.queue.add(
                exclusive {
                    began.raise()
                    await untilCancelled()
                })
            await began.reached()
            let later = (0..<4).map { _ in
                world.queue.add(ClosureOperation { _ in Task.isCancelled }.adding(MutuallyExclusive<Category>()))
            }
            first.cancel()
            for handle in later { #expect(await handle.result == .success(false)) }
        }
    }

    @Test("A suspended queue starts none, also of those whose turn comes meanwhile")
    func suspended() async {
        let executor = CountingExecutor()
        let world = World(on: executor)
        let (gate, ran) = (Signal(), Signal())
        let holder = await hold(world, until: gate)
        let waiting = world.queue.add(exclusive { ran.raise() })
        while world.gatekeeper.locks.waiting < 1 { await Task.yield() }
        world.queue.suspend()
        gate.raise()
        #expect(await holder.result.error == nil)
        await executor.idle()
        #expect(ran.count == 0)
        world.queue.resume()
        #expect(await waiting.result.error == nil)
    }

    @Test("It has begun when it waits for its locks: its dependencies can't change then")
    func lateDependency() async {
        let world = World()
        let gate = Signal()
        let holder = await hold(world, until: gate)
        let waiting = world.queue.add(exclusive {})
        while world.gatekeeper.locks.waiting < 1 { await Task.yield() }
        let error = #expect(throws: CaptureError.self) { try waiting.addDependency(holder) }
        #expect(error?.kind == .usage)
        gate.raise()
        #expect(await waiting.result.error == nil)
    }

    @Test("What one waits for inside comes before those that wait outside, and a category of its own is a deadlock")
    func nested() async {
        let world = World(width: 1)
        let order = Record<String>()
        let other = GateQueue(gatekeeper: world.gatekeeper)
        let (began, gate) = (Signal(), Signal())
        let outer = world.queue.add(
            ClosureOperation { _ in
                began.raise()
                await gate.reached()
                _ = try? await other.run(
                    ClosureOperation { _ throws(CaptureError) in order.append("inside") }
                        .adding(MutuallyExclusive<Other>()))
                let own = ClosureOperation { _ throws(CaptureError) in }.adding(MutuallyExclusive<Category>())
                do throws(CaptureError) {
                    try await world.queue.run(own)
                } catch {
                    if error.kind == .deadlock { order.append("deadlock") }
                }
            }.adding(MutuallyExclusive<Category>()))
        await began.reached()
        let outside = world.queue.add(
            ClosureOperation { _ in order.append("outside") }.adding(MutuallyExclusive<Other>()))
        gate.raise()
        #expect(await outer.result.error == nil)
        #expect(await outside.result.error == nil)
        #expect(order.all == ["inside", "deadlock", "outside"])
    }

    @Test(
        "Cancelled from another thread while they are handed over: none is lost, none runs twice", arguments: [1, .max])
    func storm(width: Int) async {
        let world = World(width: width)
        let (runs, overlap) = (Signal(), Overlap())
        for _ in 0..<20 {
            let handles = (0..<200).map { number in
                world.queue.add(
                    exclusive {
                        runs.raise()
                        if number.isMultiple(of: 40) { await overlap.run() }
                    })
            }
            await withTaskGroup(of: Void.self) { group in
                for part in 0..<4 {
                    group.addTask {
                        for handle in handles[(part * 50)...].prefix(50) where part.isMultiple(of: 2) {
                            handle.cancel()
                        }
                    }
                }
            }
            await world.queue.waitUntilEmpty()
            #expect(handles.count { $0.isFinished } == handles.count)
        }
        #expect(overlap.most <= 1 && runs.count >= 20 * 100 && runs.count <= 20 * 200)
        #expect(world.gatekeeper.locks.isIdle && world.gatekeeper.locks.waiting == 0)
    }
}
