import Gate
import GateTestKit
import Testing

@Suite("Observers")
struct ObserverTests {
    @Test("Observers are told each step once, in order")
    func observers() async {
        let world = World()
        let steps = Record<String>()
        var operation = ClosureOperation("observed") { _ in steps.append("execute") }
        operation.addCondition(AuthorizedFor(Capability.Microphone()))
        operation.addObserver(Steps(steps))
        await world.queue.add(operation).result.ignore()
        #expect(
            steps.all == [
                "attached observed", "will evaluate", "produced Authorize(microphone)", "will execute", "execute",
                "did execute", "will finish",
                "did finish",
            ])
    }

    @Test("Observers of what is cancelled are told so once, whether or not it has begun")
    func cancelObservers() async {
        let world = World()
        let steps = Record<String>()
        var operation = ClosureOperation("observed") { _ in await untilCancelled() }
        operation.addObserver(Steps(steps))
        world.queue.suspend()
        let handle = world.queue.add(operation)
        handle.cancel()
        handle.cancel()
        await handle.result.ignore()
        #expect(steps.all == ["attached observed", "cancelled", "did finish"])
        world.queue.resume()
        let running = Record<String>()
        operation.observers = [Steps(running)]
        let second = world.queue.add(operation)
        while !running.all.contains("will execute") { await Task.yield() }
        second.cancel()
        await second.result.ignore()
        #expect(
            running.all == [
                "attached observed", "will evaluate", "will execute", "cancelled", "did execute", "will finish",
                "did finish",
            ])
    }

    @Test("A profile says where the time went")
    func profile() async {
        let world = World()
        let clock = ManualClock()
        let profiles = Record<ProfileObserver.Profile>()
        world.prompter.reply { _ in
            clock.pass(.seconds(20))
            return .allow(.always)
        }
        var operation = ClosureOperation { _ in clock.pass(.seconds(3)) }
        operation.addCondition(AuthorizedFor(Capability.Microphone()))
        operation.addObserver(ProfileObserver(clock: clock) { profiles.append($1) })
        world.queue.suspend()
        let handle = world.queue.add(operation)
        clock.pass(.seconds(100))
        world.queue.resume()
        await handle.result.ignore()
        let profile = profiles.all.first
        #expect(
            profile?.waiting == .seconds(100) && profile?.evaluating == .seconds(20)
                && profile?.executing == .seconds(3))
        #expect(profiles.all.count == 1)
    }

    @Test("Closures can observe each step")
    func blockObserver() async {
        let world = World()
        let steps = Record<String>()
        let observer = BlockObserver(
            didAttach: { steps.append("attached \($0.name)") }, didProduce: { steps.append("\($0.name): \($1)") },
            willExecute: { _ in steps.append("executes") }, didExecute: { _ in steps.append("executed") },
            didCancel: { _, _ in steps.append("cancelled") }, willFinish: { steps.append("\($0.name) will: \($1)") },
            didFinish: { steps.append("\($0.name) did: \($1)") })
        let operation = ClosureOperation("a") { _ in }
            .adding(AuthorizedFor(Capability.Microphone())).observed(by: observer)
        await world.queue.add(operation).result.ignore()
        #expect(
            steps.all == [
                "attached a", "a: Authorize(microphone)", "executes", "executed", "a will: succeeded",
                "a did: succeeded",
            ])
        world.queue.suspend()
        world.queue.add(ClosureOperation("b") { _ in }.observed(by: observer)).cancel()
        #expect(steps.all.suffix(3) == ["attached b", "cancelled", "b did: cancelled"])
        world.queue.resume()
    }
}
