import Gate
import Testing

@Suite("Groups and results")
struct GroupTests {
    enum Category {}

    @Test("A group ends after its children, and has their results")
    func results() async throws {
        let world = World()
        var group = GroupOperation()
        let number = group.add(BlockOperation { _ in 7 })
        let text = group.add(BlockOperation { $0.dependencies.map(\.name).joined() }, after: [number])
        let results = try await world.queue.run(group)
        #expect(try results[number]?.get() == 7)
        #expect(try results[text]?.get() == "BlockOperation")
    }

    @Test("Cancelling a group cancels its children, and it ends after them", arguments: Pace.allCases)
    func cancelled(_ pace: Pace) async {
        let world = World(pace)
        var group = GroupOperation()
        var capture = Capture(Capability.Microphone())
        capture.during = { _ in await untilCancelled() }
        let never = Signal()
        group.add(capture)
        let late = group.add(
            BlockOperation { _ in never.raise() }.adding(
                BlockCondition {
                    await untilCancelled()
                    return true
                }))
        group.add(BlockOperation { _ in never.raise() }, after: [late])
        let handle = world.queue.add(group)
        await capture.openings.reached()
        handle.cancel()
        _ = await handle.result
        #expect(world.store.events(.stop).count == 1)
        #expect(never.count == 0)
    }

    @Test("The first child error is the group's; the others go on, unless they are to stop")
    func firstError() async {
        for stops in [false, true] {
            let world = World()
            var group = GroupOperation(stopsAtFirstError: stops)
            let failed = Signal()
            let others = Signal()
            group.add(
                BlockOperation { _ throws(CaptureError) in
                    failed.raise()
                    throw CaptureError(.badInput, "the first")
                })
            group.add(
                BlockOperation { _ throws(CaptureError) in
                    await failed.reached()
                    if stops { await untilCancelled() }
                    others.raise()
                    throw CaptureError(.noDevice, "the second")
                })
            #expect(await world.queue.add(group).result.error?.kind == .badInput)
            #expect(others.count == 1)
        }
    }

    @Test("A group and its child that share a category are an error at once, not a hang; so is a group in a group")
    func sharedCategory() async {
        let world = World()
        let executed = Signal()
        var inner = GroupOperation("inner")
        inner.add(BlockOperation { _ in executed.raise() }.adding(MutuallyExclusive<Category>()))
        var outer = GroupOperation("outer")
        outer.add(inner)
        inner.addCondition(MutuallyExclusive<Category>())
        outer.addCondition(MutuallyExclusive<Category>())
        #expect(await world.queue.add(inner).result.error?.kind == .deadlock)
        #expect(await world.queue.add(outer).result.error?.kind == .deadlock)
        #expect(executed.count == 0)
        // At once: not only when the child's turn would come.
        var late = GroupOperation("late")
        let never = late.add(BlockOperation { _ in await untilCancelled() })
        late.add(BlockOperation { _ in }.adding(MutuallyExclusive<Category>()), after: [never])
        late.addCondition(MutuallyExclusive<Category>())
        #expect(await world.queue.add(late).result.error?.kind == .deadlock)
        // Apart from each other they exclude each other as they should.
        outer.conditions = []
        #expect(await world.queue.add(outer).result.error == nil)
    }

    @Test("The children of a group come before what waits for a category, so that a narrow queue does not hang")
    func narrow() async {
        let world = World(width: 1)
        let gate = Signal()
        let began = Signal()
        var group = GroupOperation(width: 1)
        group.add(
            BlockOperation { _ in
                began.raise()
                await gate.reached()
            })
        group.add(BlockOperation { _ in }.adding(MutuallyExclusive<Category>()))
        let first = world.queue.add(group)
        await began.reached()
        let second = world.queue.add(BlockOperation { _ in }.adding(MutuallyExclusive<Category>()))
        gate.raise()
        #expect(await first.result.error == nil)
        #expect(await second.result.error == nil)
    }

    @Test("A group lets no capture run without authorization")
    func attack() async {
        let world = World(answer: .dismissed)
        let capture = Capture(
            Capability.Microphone(), conditions: [IgnoredCondition(AuthorizedFor(Capability.Microphone()))])
        var group = GroupOperation()
        group.add(capture)
        group.addCondition(OrCondition(BlockCondition { true }, AuthorizedFor(Capability.Microphone())))
        #expect(await world.queue.add(group).result.error?.kind == .dismissed)
        #expect(capture.executions.count == 0)
    }

    @Test("The output of one operation goes into the next; without output that one is refused")
    func inject() async {
        let world = World()
        let number = world.queue.add(BlockOperation { _ in 20 })
        let other = GateQueue(gatekeeper: world.gatekeeper)
        let doubled = other.add(injecting: number) { value in BlockOperation { _ in value * 2 } }
        #expect(await doubled.result == .success(40))
        let failing = world.queue.add(
            BlockOperation { _ throws(CaptureError) -> Int in
                throw CaptureError(.badInput, "It is torn.")
            })
        let after = world.queue.add(injecting: failing) { value in BlockOperation { _ in value } }
        guard case .refused(let error) = await after.result.error else {
            Issue.record("not refused")
            return
        }
        #expect(error.kind == .conditionFailed && error.message.contains("It is torn."))
    }

    @Test("Map and flat-map turn results into others")
    func map() async {
        let world = World()
        let number = BlockOperation { _ in 20 }
        #expect(await world.queue.add(number.map { "\($0)" }).result == .success("20"))
        #expect(
            await world.queue.add(number.flatMap { value in BlockOperation { _ in value + 1 } }).result == .success(21))
        let failing = BlockOperation { _ throws(CaptureError) -> Int in throw CaptureError(.badInput, "torn") }
        let after = Signal()
        let next = failing.flatMap { _ in BlockOperation { _ throws(CaptureError) in after.raise() } }
        #expect(await world.queue.add(next).result.error?.kind == .badInput)
        #expect(after.count == 0)
    }
}
