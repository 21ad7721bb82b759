import GateTestKit
import Testing

@testable import Gate

@Suite("Groups that grow")
struct RunningGroupTests {
    enum Category {}

    @Test("A child adds another one, and the group ends after it", arguments: [1, .max])
    func inside(width: Int) async throws {
        let executor = CountingExecutor()
        let world = World(on: executor)
        let order = Record<String>()
        let gate = Signal()
        let added = Promise<OperationHandle<Int, Never>>()
        var group = GroupOperation(width: width)
        let first = group.add(
            ClosureOperation { context throws(CaptureError) -> Bool in
                guard let group = context.group else { return false }
                let child = try group.add(
                    ClosureOperation { context in
                        await gate.reached()
                        order.append("added")
                        return context.group == nil ? 0 : 7
                    })
                added.fulfil(child)
                order.append("first")
                return true
            })
        let handle = world.queue.add(group)
        let late = await added.value
        await executor.idle()
        #expect(!handle.isFinished)
        gate.raise()
        let results = try await handle.value()
        #expect(try results[first]?.get() == true)
        #expect(late.isFinished && order.all == ["first", "added"])
        #expect(await late.result == .success(7))
    }

    @Test("Children are added by the group's handle, also before it begins; each chain of them ends before the group")
    func outside() async throws {
        let world = World()
        let queue = world.queue
        queue.suspend()
        let (gate, runs) = (Signal(), Signal())
        var group = GroupOperation()
        group.add(ClosureOperation { _ in await gate.reached() })
        let handle = queue.add(ComposedOperation(group))
        let adding = Task {
            // A child of a child of a child, each added by the one before.
            try await handle.add(
                ClosureOperation { context throws(CaptureError) in
                    runs.raise()
                    let inner = ClosureOperation { context throws(CaptureError) in
                        runs.raise()
                        _ = try context.group?.add(ClosureOperation { _ in runs.raise() })
                    }
                    _ = try context.group?.add(inner)
                })
        }
        queue.resume()
        let first = try await adding.value
        let second = try await handle.add(ClosureOperation { _ in runs.raise() }, after: [first])
        gate.raise()
        #expect(await handle.result.error == nil)
        #expect(runs.count == 4 && second.isFinished)
    }

    @Test("A group that has ended, or ends without having begun, takes no child")
    func ended() async {
        let world = World()
        let kept = Record<RunningGroup>()
        var group = GroupOperation()
        group.add(ClosureOperation { context in if let group = context.group { kept.append(group) } })
        let handle = world.queue.add(group)
        await handle.result.ignore()
        let ran = Signal()
        let child = ClosureOperation { _ in ran.raise() }
        #expect(throws: CaptureError.self) { try kept.all[0].add(child) }
        await #expect(throws: CaptureError.self) { try await handle.add(child) }
        world.queue.suspend()
        let cancelled = world.queue.add(group)
        let adding = Task { try await cancelled.add(child) }
        cancelled.cancel()
        let error = await #expect(throws: CaptureError.self) { try await adding.value }
        #expect(error?.kind == .usage && ran.count == 0)
        // What no group is around has none.
        world.queue.resume()
        #expect(await world.queue.add(ClosureOperation { $0.group == nil }).result == .success(true))
    }

    @Test("The error of an added child is the group's, and one that is cancelled cancels what is added to it")
    func errors() async throws {
        let world = World()
        let (began, stopped, ended) = (Signal(), Signal(), Signal())
        let running = Promise<RunningGroup>()
        var group = GroupOperation(stopsAtFirstError: true)
        group.add(
            ClosureOperation { context in
                if let group = context.group { running.fulfil(group) }
                began.raise()
                await untilCancelled()
                stopped.raise()
                await ended.reached()
            })
        let handle = world.queue.add(group)
        await began.reached()
        try await handle.add(
            ClosureOperation { _ throws(CaptureError) in throw CaptureError(.badInput, "torn") })
        await stopped.reached()
        let ran = Signal()
        let late = try await running.value.add(ClosureOperation { _ in ran.raise() })
        #expect(await late.result.error != nil)
        ended.raise()
        #expect(await handle.result.error?.kind == .badInput)
        #expect(ran.count == 0)
    }

    @Test("A child that would wait for the group is an error at once")
    func deadlocks() async {
        let world = World()
        let errors = Record<CaptureError.Kind>()
        let own = Promise<any OperationReference>()
        var group = GroupOperation()
        group.add(
            ClosureOperation { context in
                let group = context.group
                let exclusive = ClosureOperation { _ in }.adding(MutuallyExclusive<Category>())
                for (child, dependencies) in [(exclusive, []), (ClosureOperation { _ in }, [await own.value])] {
                    do throws(CaptureError) { try group?.add(child, after: dependencies) } catch {
                        errors.append(error.kind)
                    }
                }
            })
        let handle = world.queue.add(group.adding(MutuallyExclusive<Category>()))
        own.fulfil(handle)
        #expect(await handle.result.error == nil)
        #expect(errors.all == [.deadlock, .deadlock])
    }

    @Test("Added from many threads while it ends: each child that was taken has ended before it")
    func race() async {
        let world = World()
        var all = 0
        for _ in 0..<100 {
            let (taken, done) = (Signal(), Signal())
            var group = GroupOperation()
            group.add(ClosureOperation { _ in await Task.yield() })
            let handle = world.queue.add(group)
            let ends = Promise<Int>()
            await withTaskGroup(of: Void.self) { tasks in
                for _ in 0..<8 {
                    tasks.addTask {
                        let child = try? await handle.add(ClosureOperation { _ in done.raise() })
                        if child != nil { taken.raise() }
                    }
                }
                tasks.addTask {
                    await handle.result.ignore()
                    ends.fulfil(done.count)
                }
            }
            #expect(await ends.value == taken.count)
            all += taken.count
        }
        #expect(all > 0)
    }

    @Test("Questions of added children are asked once in all attempts, as those of the group")
    func once() async {
        let world = World(answer: .dismissed)
        var group = GroupOperation()
        group.add(
            ClosureOperation { context throws(CaptureError) in
                _ = try context.group?.add(Capture(Capability.Microphone()))
            })
        let retry = RetryOperation(group, attempts: 3, clock: ManualClock()) { _ in true }
        #expect(await world.queue.add(retry).result.error?.kind != nil)
        #expect(world.prompter.questions.count == 1)
    }
}
