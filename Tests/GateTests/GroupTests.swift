import Gate
import GateTestKit
import Testing

@Suite("Groups and results")
struct GroupTests {
    enum Category {}

    @Test("A group ends after its children, and has their results")
    func results() async throws {
        let world = World()
        var group = GroupOperation()
        let number = group.add(ClosureOperation { _ in 7 })
        let text = group.add(ClosureOperation { $0.dependencies.map(\.name).joined() }, after: [number])
        let results = try await world.queue.run(group)
        #expect(try results[number]?.get() == 7)
        #expect(try results[text]?.get() == "ClosureOperation")
    }

    @Test("The children of a group come before what waits for a category, so that a narrow queue does not hang")
    func narrow() async {
        let world = World(width: 1)
        let gate = Signal()
        let began = Signal()
        var group = GroupOperation(width: 1)
        group.add(
            ClosureOperation { _ in
                began.raise()
                await gate.reached()
            })
        group.add(ClosureOperation { _ in }.adding(MutuallyExclusive<Category>()))
        let first = world.queue.add(group)
        await began.reached()
        let second = world.queue.add(ClosureOperation { _ in }.adding(MutuallyExclusive<Category>()))
        gate.raise()
        #expect(await first.result.error == nil)
        #expect(await second.result.error == nil)
    }

    @Test("The output of one operation goes into the next; without output that one is refused")
    func inject() async {
        let world = World()
        let number = world.queue.add(ClosureOperation { _ in 20 })
        let other = GateQueue(gatekeeper: world.gatekeeper)
        let doubled = other.add(injecting: number) { value in ClosureOperation { _ in value * 2 } }
        #expect(await doubled.result == .success(40))
        let failing = world.queue.add(
            ClosureOperation { _ throws(CaptureError) -> Int in
                throw CaptureError(.badInput, "It is torn.")
            })
        let after = world.queue.add(injecting: failing) { value in ClosureOperation { _ in value } }
        guard case .refused(let error) = await after.result.error else {
            Issue.record("not refused")
            return
        }
        #expect(error.kind == .conditionFailed && error.message.contains("It is torn."))
    }

    @Test("Map and flat-map turn results into others")
    func map() async {
        let world = World()
        let number = ClosureOperation { _ in 20 }
        #expect(await world.queue.add(number.map { "\($0)" }).result == .success("20"))
        #expect(
            await world.queue.add(number.flatMap { value in ClosureOperation { _ in value + 1 } }).result
                == .success(21))
        let failing = ClosureOperation { _ throws(CaptureError) -> Int in throw CaptureError(.badInput, "torn") }
        let after = Signal()
        let next = failing.flatMap { _ in ClosureOperation { _ throws(CaptureError) in after.raise() } }
        #expect(await world.queue.add(next).result.error?.kind == .badInput)
        #expect(after.count == 0)
    }

    @Test("A group's results know only its own children")
    func ownResults() async throws {
        let world = World()
        var group = GroupOperation()
        let number = group.add(ClosureOperation { _ in 7 })
        var other = GroupOperation()
        other.add(ClosureOperation { _ in "a" })
        let second = other.add(ClosureOperation { _ in "b" })
        let results = try await world.queue.run(group)
        #expect(try results[number]?.get() == 7)
        #expect(results[second] == nil)
    }
}
