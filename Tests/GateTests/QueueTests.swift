import GateTestKit
import Testing

@testable import Gate

@Suite("Queues")
struct QueueTests {
    enum Category {}

    @Test("Dependencies end first, however they end; results are typed")
    func dependencies() async throws {
        let world = World()
        let order = Record<String>()
        world.queue.suspend()
        let first = world.queue.add(
            ClosureOperation("first") { _ throws(CaptureError) -> Int in
                order.append("first")
                throw CaptureError(.badInput, "torn")
            })
        let second = world.queue.add(
            ClosureOperation("second") { _ in
                order.append("second")
                return 2
            }, after: [first])
        let third = world.queue.add(
            ClosureOperation("third") { context in
                order.append("third")
                return context.dependencies.map(\.name)
            }, after: [second, first])
        world.queue.resume()
        #expect(try await third.value().sorted() == ["first", "second"])
        #expect(try await second.value() == 2)
        #expect(await first.result.error == .failed(CaptureError(.badInput, "torn")))
        #expect(order.all == ["first", "second", "third"])
    }

    @Test("What is waited for may have ended before it is waited for")
    func endedDependency() async throws {
        let world = World()
        let first = world.queue.add(ClosureOperation("first") { _ in 1 })
        _ = await first.result
        let second = world.queue.add(ClosureOperation { $0.dependencies.map(\.name) }, after: [first])
        #expect(try await second.value() == ["first"])
    }

    @Test("An operation and a part of it that share a category are an error at once, not a hang")
    func sharedCategory() async throws {
        let world = World()
        let inner = ClosureOperation("inner") { _ in }.adding(MutuallyExclusive<Category>())
        let queue = world.queue
        let part = ClosureOperation { context in await context.perform(inner).refusal() }
        let waiting = ClosureOperation { _ in await queue.outcome(of: inner).refusal() }
        for operation in [part, waiting] {
            let refusal = try await queue.run(operation.adding(MutuallyExclusive<Category>()))
            #expect(refusal?.kind == .deadlock)
        }
    }

    @Test("What an operation waits for goes on in its slot: a width of one does not hang")
    func nestedWidth() async throws {
        let world = World(width: 1)
        let queue = world.queue
        let innermost = ClosureOperation { _ in 7 }
        let middle = ClosureOperation { _ in await queue.outcome(of: innermost) }.adding(BlockCondition { true })
        let outer = ClosureOperation { _ in await queue.outcome(of: middle) }
        #expect(try await queue.run(outer).get().get() == 7)
    }

    @Test("No more execute than the width says; one whose question is open does not count")
    func width() async {
        let world = World(width: 2)
        let overlap = Overlap()
        let gate = Signal()
        world.prompter.reply { _ in
            await gate.reached()
            return .allow(.always)
        }
        let asking = world.queue.add(
            ClosureOperation { _ in await overlap.run() }.adding(AuthorizedFor(Capability.Microphone())))
        await world.prompter.asked.reached()
        let handles = (0..<40).map { number in
            let plain = ClosureOperation { _ in await overlap.run() }
            return world.queue.add(number.isMultiple(of: 3) ? plain.adding(BlockCondition { true }) : plain)
        }
        for handle in handles { await handle.result.ignore() }
        gate.raise()
        await asking.result.ignore()
        #expect(overlap.most == 2)
    }

    @Test("What is being evaluated when the queue is suspended does not execute before it is resumed")
    func suspendedWhileEvaluating() async {
        let executor = CountingExecutor()
        let world = World(on: executor)
        let evaluating = Signal()
        let gate = Signal()
        let capture = Capture(
            Capability.Microphone(),
            conditions: [
                BlockCondition {
                    evaluating.raise()
                    await gate.reached()
                    return true
                }
            ])
        let handle = world.queue.add(capture)
        await evaluating.reached()
        world.queue.suspend()
        gate.raise()
        await executor.idle()
        #expect(world.prompter.questions.count == 1 && capture.executions.count == 0)
        world.queue.resume()
        #expect(await handle.result.error == nil)
    }

    @Test("A queue that is released while suspended cancels what it holds; any other finishes it")
    func released() async {
        let world = World()
        var queue: GateQueue? = GateQueue(gatekeeper: world.gatekeeper, suspended: true)
        let held = queue?.add(ClosureOperation { _ in 1 })
        queue = nil
        #expect(await held?.result == .failure(.cancelled))
        queue = GateQueue(gatekeeper: world.gatekeeper)
        let gate = Signal()
        let running = queue?.add(ClosureOperation { _ in await gate.reached() })
        queue = nil
        gate.raise()
        #expect(await running?.result.error == nil)
    }

    @Test("An operation runs at the priority it was added with, also where it has conditions to wait for")
    func priority() async throws {
        let world = World()
        let asking = ClosureOperation { _ in Task.currentPriority }
        for priority in [TaskPriority.high, .low] {
            #expect(try await world.queue.add(asking, priority: priority).value() == priority)
            let conditional = asking.adding(BlockCondition { true }, MutuallyExclusive<Category>())
            #expect(try await world.queue.add(conditional, priority: priority).value() == priority)
        }
    }
}
