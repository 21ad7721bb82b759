import GateTestKit
import Testing

@testable import Gate

@Suite("Categories of authorizations and questions")
struct CategoryTests {
    typealias Microphone = Capability.Microphone
    typealias Camera = Capability.Camera

    @Test("Operations whose authorizations have one category exclude each other, and whatever else has it")
    func authorizations() async {
        let world = World()
        world.decide(.allow)
        world.decide(.allow, .camera, .video)
        let overlap = Overlap()
        let conditions: [any OperationCondition] = [
            AuthorizedFor(Microphone(), category: "devices"), AuthorizedFor(Camera(), category: "devices"),
            MutuallyExclusive(category: "devices"),
            SilentCondition(AuthorizedFor(Microphone(), category: "devices")),
        ]
        let handles = (0..<40).map { number in
            var operation = ClosureOperation { _ in await overlap.run() }
            operation.conditions = [conditions[number % conditions.count]]
            return world.queue.add(operation)
        }
        for handle in handles { #expect(await handle.result.error == nil) }
        #expect(overlap.most == 1)
    }

    @Test("Without a category they execute side by side")
    func none() async {
        let world = World()
        world.decide(.allow)
        let together = Signal()
        for _ in 0..<3 {
            world.queue.add(
                ClosureOperation { _ in
                    together.raise()
                    await together.reached(3)
                }.adding(AuthorizedFor(Microphone())))
        }
        await world.queue.waitUntilEmpty()
        #expect(together.count == 3)
    }

    @Test("A capture's authorization with a category excludes, too")
    func captures() async {
        let world = World()
        let overlap = Overlap()
        for _ in 0..<4 {
            world.queue.add(Recording(during: overlap))
        }
        await world.queue.waitUntilEmpty()
        #expect(overlap.most == 1 && world.store.events(.start).count == 4 && world.prompter.questions.count == 1)
    }

    struct Recording: CaptureOperation {
        let during: Overlap
        let authorization = AuthorizedFor(Microphone(), category: "studio")

        func execute(with permit: consuming Permit, in context: OperationContext) async throws(CaptureError) {
            let id = permit.devices[0].device.id
            guard let device = permit.take(id) else { return }
            let capture = try await device.redeem(opening: id, as: .microphone)
            await during.run()
            await capture.finish(frames: 1, bytes: 1, outcome: "done")
        }
    }

    /// Queues an operation that asks, and one of the category beside it; the question stays open for a while.
    private func besideQuestion(_ asking: some QueuedOperation) async -> [String] {
        let executor = CountingExecutor()
        let world = World(on: executor)
        let order = Record<String>()
        let answered = Signal()
        world.prompter.reply { _ in
            await answered.reached()
            order.append("answered")
            return .allow(.always)
        }
        world.queue.add(asking)
        await world.prompter.asked.reached()
        world.queue.add(
            ClosureOperation { _ in order.append("executed") }.adding(MutuallyExclusive(category: "screen")))
        await executor.idle()
        answered.raise()
        await world.queue.waitUntilEmpty()
        return order.all
    }

    @Test("Nothing of a question's category executes while it is open: of Authorize, and of AuthorizedFor's question")
    func questions() async {
        #expect(await besideQuestion(Authorize(Microphone(), category: "screen")) == ["answered", "executed"])
        let asking = ClosureOperation { _ in }
        #expect(
            await besideQuestion(asking.adding(AuthorizedFor(Microphone(), questionCategory: "screen")))
                == ["answered", "executed"])
        // The category of the operation itself does not wait for the person.
        #expect(
            await besideQuestion(asking.adding(AuthorizedFor(Microphone(), category: "screen")))
                == ["executed", "answered"])
        #expect(await besideQuestion(Authorize(Microphone())) == ["executed", "answered"])
    }

    @Test("A question whose category the operation around it holds is an error at once, and asks nobody")
    func deadlock() async {
        let world = World()
        let inner = ClosureOperation { _ in }.adding(AuthorizedFor(Microphone(), questionCategory: "screen"))
        let outer = ClosureOperation { context in await context.perform(inner).refusal()?.kind }
            .adding(MutuallyExclusive(category: "screen"))
        #expect(await world.queue.add(outer).result == .success(.deadlock))
        #expect(world.prompter.questions.isEmpty)
        // One and the same for operation and question: the question comes first, then the operation.
        let both = ClosureOperation { _ in }
            .adding(AuthorizedFor(Microphone(), category: "screen", questionCategory: "screen"))
        #expect(await world.queue.add(both).result.error == nil)
        #expect(world.prompter.questions.count == 1)
    }
}
