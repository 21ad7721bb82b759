import Testing

@testable import Gate

@Suite("Queues")
struct QueueTests {
    enum Category {}
    enum Other {}

    /// Counts how many run at one time.
    final class Overlap: Sendable {
        private let state = Locked((now: 0, most: 0))
        var most: Int { state.withLock { $0.most } }

        func run() async {
            state.withLock { state in
                state.now += 1
                state.most = max(state.most, state.now)
            }
            for _ in 0..<3 { await Task.yield() }
            state.withLock { $0.now -= 1 }
        }
    }

    @Test("Dependencies end first, however they end; results are typed")
    func dependencies() async throws {
        let world = World()
        let order = Record<String>()
        world.queue.suspend()
        let first = world.queue.add(
            BlockOperation("first") { _ throws(CaptureError) -> Int in
                order.append("first")
                throw CaptureError(.badInput, "torn")
            })
        let second = world.queue.add(
            BlockOperation("second") { _ in
                order.append("second")
                return 2
            }, after: [first])
        let third = world.queue.add(
            BlockOperation("third") { context in
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
        let first = world.queue.add(BlockOperation("first") { _ in 1 })
        _ = await first.result
        let second = world.queue.add(BlockOperation { $0.dependencies.map(\.name) }, after: [first])
        #expect(try await second.value() == ["first"])
    }

    @Test("Exclusive operations never overlap, also when added from many threads", arguments: Pace.allCases)
    func exclusive(_ pace: Pace) async {
        let world = World(pace)
        let other = GateQueue(gatekeeper: world.gatekeeper)
        let overlap = Overlap()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let operation = BlockOperation { _ in await overlap.run() }.adding(MutuallyExclusive<Category>())
                    await (number.isMultiple(of: 2) ? world.queue : other).add(operation).result.ignore()
                }
            }
        }
        #expect(overlap.most == 1)
    }

    @Test("Categories are taken all together, first come first served")
    func categories() async {
        let world = World()
        let order = Record<String>()
        let gate = Signal()
        let began = Signal()
        func operation(_ name: String, _ conditions: any OperationCondition...) -> BlockOperation<Void, Never> {
            var operation = BlockOperation(name) { _ in
                order.append(name)
                began.raise()
                await gate.reached()
            }
            operation.conditions = conditions
            return operation
        }
        let a = world.queue.add(operation("a", MutuallyExclusive<Category>()))
        await began.reached(1)
        // b wants both and waits holding nothing, but stands before c.
        let arrival = Signal()
        let arriving = BlockCondition {
            arrival.raise()
            return true
        }
        let b = world.queue.add(operation("b", arriving, MutuallyExclusive<Category>(), MutuallyExclusive<Other>()))
        await arrival.reached(1)
        gate.raise()
        let c = world.queue.add(operation("c", MutuallyExclusive<Other>()), after: [a])
        for handle in [a, b, c] { await handle.result.ignore() }
        #expect(order.all.first == "a")
        #expect(Set(order.all) == ["a", "b", "c"])
    }

    @Test("Exclusion plus dependency does not deadlock")
    func exclusionAndDependency() async {
        let world = World()
        let exclusive = BlockOperation { _ in }.adding(MutuallyExclusive<Category>())
        world.queue.suspend()
        let late = world.queue.add(exclusive)
        let early = world.queue.add(exclusive)
        #expect(throws: Never.self) { try late.addDependency(early) }
        world.queue.resume()
        #expect(await late.result.error == nil)
    }

    @Test("An operation and a part of it that share a category are an error at once, not a hang")
    func sharedCategory() async throws {
        let world = World()
        let inner = BlockOperation("inner") { _ in }.adding(MutuallyExclusive<Category>())
        let queue = world.queue
        let part = BlockOperation { context in await context.perform(inner).refusal }
        let waiting = BlockOperation { _ in await queue.outcome(of: inner).refusal }
        for operation in [part, waiting] {
            let refusal = try await queue.run(operation.adding(MutuallyExclusive<Category>()))
            #expect(refusal?.kind == .deadlock)
        }
    }

    @Test("What an operation waits for goes on in its slot: a width of one does not hang")
    func nestedWidth() async throws {
        let world = World(width: 1)
        let queue = world.queue
        let innermost = BlockOperation { _ in 7 }
        let middle = BlockOperation { _ in await queue.outcome(of: innermost) }.adding(BlockCondition { true })
        let outer = BlockOperation { _ in await queue.outcome(of: middle) }
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
            BlockOperation { _ in await overlap.run() }.adding(AuthorizedFor(Capability.Microphone())))
        await world.prompter.asked.reached()
        let handles = (0..<40).map { number in
            let plain = BlockOperation { _ in await overlap.run() }
            return world.queue.add(number.isMultiple(of: 3) ? plain.adding(BlockCondition { true }) : plain)
        }
        for handle in handles { await handle.result.ignore() }
        gate.raise()
        await asking.result.ignore()
        #expect(overlap.most == 2)
    }

    @Test("A cycle of dependencies is an error at once")
    func cycle() async throws {
        let world = World()
        world.queue.suspend()
        let operations = (0..<3).map { BlockOperation("\($0)") { _ in } }
        let handles = operations.map { world.queue.add($0) }
        try handles[1].addDependency(handles[0])
        try handles[2].addDependency(handles[1])
        let error = #expect(throws: CaptureError.self) { try handles[0].addDependency(handles[2]) }
        #expect(error?.kind == .deadlock)
        #expect(throws: CaptureError.self) { try handles[0].addDependency(handles[0]) }
        world.queue.resume()
        for handle in handles { #expect(await handle.result.error == nil) }
        #expect(throws: CaptureError.self) { try handles[0].addDependency(handles[1]) }
    }

    @Test("A suspended queue neither evaluates nor asks", arguments: Pace.allCases)
    func suspended(_ pace: Pace) async {
        let world = World(pace)
        let evaluations = Signal()
        world.queue.suspend()
        let counting = BlockCondition {
            evaluations.raise()
            return true
        }
        let handle = world.queue.add(Capture(Capability.Microphone(), conditions: [counting]))
        // Another queue of the same gatekeeper comes all the way through in between.
        await GateQueue(gatekeeper: world.gatekeeper).add(BlockOperation { _ in }).result.ignore()
        #expect(evaluations.count == 0 && world.prompter.questions.isEmpty && world.queue.isSuspended)
        world.queue.resume()
        #expect(await handle.result.error == nil)
        #expect(evaluations.count == 1 && world.prompter.questions.count == 1)
    }

    @Test("What is being evaluated when the queue is suspended does not execute before it is resumed")
    func suspendedWhileEvaluating() async {
        let world = World()
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
        await world.prompter.asked.reached()
        while world.gatekeeper.locks.waiting == 0, capture.executions.count == 0 { await Task.yield() }
        #expect(capture.executions.count == 0)
        world.queue.resume()
        #expect(await handle.result.error == nil)
    }

    @Test("Cancelled before start: execute never runs", arguments: Pace.allCases)
    func cancelledBefore(_ pace: Pace) async {
        let world = World(pace, width: 1)
        let gate = Signal()
        let began = Signal()
        let holding = world.queue.add(
            BlockOperation { _ in
                began.raise()
                await gate.reached()
            })
        await began.reached()
        let capture = Capture(Capability.Microphone())
        let executed = Signal()
        let waiting = [
            world.queue.add(BlockOperation { _ in executed.raise() }),
            world.queue.add(BlockOperation { _ in executed.raise() }.adding(BlockCondition { true })),
            world.queue.add(BlockOperation { _ in executed.raise() }, after: [holding]),
        ]
        let refused = world.queue.add(capture)
        for handle in waiting { handle.cancel() }
        refused.cancel()
        for handle in waiting { #expect(await handle.result.error == .cancelled) }
        #expect(await refused.result.error == .cancelled)
        gate.raise()
        #expect(await holding.result.error == nil)
        #expect(executed.count == 0 && capture.executions.count == 0)
        #expect(await world.queue.add(BlockOperation { _ in 1 }).result == .success(1))
    }

    @Test("Cancelled while it is read what is decided: execute never runs")
    func cancelledWhileReading() async {
        for reading in 1...5 {
            let world = World()
            world.decide(.allow)
            let capture = Capture(Capability.Microphone())
            let isCancelled = Signal()
            world.store.beforeSnapshot { number in
                guard number == reading, capture.executions.count == 0 else { return }
                world.queue.cancelAll()
                isCancelled.raise()
            }
            let error = await world.queue.add(capture).result.error
            #expect((error == .cancelled) == (isCancelled.count == 1))
            #expect(capture.executions.count == 1 - isCancelled.count)
        }
    }

    @Test(
        "Cancelled during execute: the device is closed before the operation finishes; what throws then counts as cancelled",
        arguments: Pace.allCases)
    func cancelledDuring(_ pace: Pace) async {
        let world = World(pace)
        var capture = Capture(Capability.Microphone())
        capture.during = { _ in await untilCancelled() }
        let handle = world.queue.add(capture)
        await capture.openings.reached()
        handle.cancel()
        // It closed its device, wrote its line and returned what it had.
        #expect(await handle.result.error == nil)
        #expect(world.store.events(.stop).count == 1)

        let throwing = world.queue.add(
            BlockOperation { _ throws(CaptureError) in
                await untilCancelled()
                throw CaptureError(.inputOutput, "interrupted")
            })
        throwing.cancel()
        #expect(await throwing.result.error == .cancelled)
    }

    @Test("The first finish wins: cancelling what has ended changes nothing")
    func firstFinishWins() async throws {
        let world = World()
        let handle = world.queue.add(BlockOperation { _ in 5 })
        #expect(await handle.result == .success(5))
        handle.cancel()
        #expect(await handle.result == .success(5))
        #expect(handle.isFinished && !handle.isCancelled)
    }

    @Test("Cancelling the task that waits in run cancels the operation and waits for its end")
    func cancelledRun() async {
        let world = World()
        let began = Signal()
        let ended = Signal()
        let task = Task {
            await world.queue.add(BlockOperation { _ in }).result.ignore()
            return try await world.queue.run(
                BlockOperation { _ throws(CaptureError) in
                    began.raise()
                    await untilCancelled()
                    ended.raise()
                    throw CaptureError(.cancelled, "ended")
                })
        }
        await began.reached()
        task.cancel()
        let error = await #expect(throws: CaptureError.self) { try await task.value }
        #expect(error?.kind == .cancelled && ended.count == 1)
    }

    @Test("Cancel all reaches every operation, and the queue empties", arguments: Pace.allCases)
    func cancelAll(_ pace: Pace) async {
        let world = World(pace, width: 3)
        world.prompter.reply { _ in
            await untilCancelled()
            return .dismissed
        }
        let asking = world.queue.add(Capture(Capability.Microphone()))
        await world.prompter.asked.reached()
        let handles = (0..<20).map { number in
            world.queue.add(
                BlockOperation { _ in await untilCancelled() }.adding(
                    MutuallyExclusive<Category>(Category.self, "\(number % 4)")))
        }
        world.queue.cancelAll()
        await world.queue.waitUntilEmpty()
        #expect(world.queue.count == 0)
        #expect(handles.allSatisfy(\.isFinished) && asking.isFinished)
    }

    @Test("A queue that is released while suspended cancels what it holds; any other finishes it")
    func released() async {
        let world = World()
        var queue: GateQueue? = GateQueue(gatekeeper: world.gatekeeper, suspended: true)
        let held = queue?.add(BlockOperation { _ in 1 })
        queue = nil
        #expect(await held?.result == .failure(.cancelled))
        queue = GateQueue(gatekeeper: world.gatekeeper)
        let gate = Signal()
        let running = queue?.add(BlockOperation { _ in await gate.reached() })
        queue = nil
        gate.raise()
        #expect(await running?.result.error == nil)
    }

    @Test("Ten thousand in a chain do not overflow a stack", arguments: [false, true])
    func chain(_ isCancelled: Bool) async {
        let world = World()
        world.queue.suspend()
        var last = world.queue.add(BlockOperation { _ in 0 })
        for number in 1..<10_000 { last = world.queue.add(BlockOperation { _ in number }, after: [last]) }
        if isCancelled { world.queue.cancelAll() }
        world.queue.resume()
        #expect(await last.result == (isCancelled ? .failure(.cancelled) : .success(9_999)))
        await world.queue.waitUntilEmpty()
    }

    @Test("Thousands that were cancelled in line for a slot do not overflow a stack")
    func cancelledLine() async {
        let world = World(width: 1)
        let gate = Signal()
        let holding = world.queue.add(BlockOperation { _ in await gate.reached() })
        for _ in 0..<10_000 { world.queue.add(BlockOperation { _ in }).cancel() }
        let last = world.queue.add(BlockOperation { _ in 1 })
        gate.raise()
        #expect(await last.result == .success(1))
        #expect(await holding.result.error == nil)
    }

    @Test("Operations leave nothing behind", arguments: [Int.max, 4])
    func nothingLeft(_ width: Int) async {
        final class Token: Sendable {}
        let world = World(width: width)
        weak let token: Token?
        do {
            let strong = Token()
            token = strong
            for number in 0..<1_000 {
                var operation = BlockOperation { _ in withExtendedLifetime(strong) { number } }
                if number.isMultiple(of: 2) { operation.addCondition(MutuallyExclusive<Category>()) }
                world.queue.add(operation)
            }
        }
        await world.queue.waitUntilEmpty()
        // The last task lets go of its operation after the queue is empty.
        while token != nil { await Task.yield() }
        #expect(world.queue.count == 0)
    }

    @Test("Observers are told each step once, in order")
    func observers() async {
        let world = World()
        let steps = Record<String>()
        var operation = BlockOperation("observed") { _ in steps.append("execute") }
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

    struct Steps: OperationObserver {
        let steps: Record<String>
        init(_ steps: Record<String>) { self.steps = steps }
        func didAttach(_ operation: OperationIdentity) { steps.append("attached \(operation.name)") }
        func willEvaluate(_ operation: OperationIdentity, in context: OperationContext) {
            steps.append("will evaluate")
        }
        func didProduce(_ produced: String, for operation: OperationIdentity, in context: OperationContext) {
            steps.append("produced \(produced)")
        }
        func willExecute(_ operation: OperationIdentity, in context: OperationContext) { steps.append("will execute") }
        func didExecute(_ operation: OperationIdentity, in context: OperationContext) { steps.append("did execute") }
        func didCancel(_ operation: OperationIdentity) { steps.append("cancelled") }
        func willFinish(_ operation: OperationIdentity, _ outcome: OperationOutcome, in context: OperationContext) {
            steps.append("will finish")
        }
        func didFinish(_ operation: OperationIdentity, _ outcome: OperationOutcome) { steps.append("did finish") }
    }

    @Test("Observers of what is cancelled are told so once, whether or not it has begun")
    func cancelObservers() async {
        let world = World()
        let steps = Record<String>()
        var operation = BlockOperation("observed") { _ in await untilCancelled() }
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
        let clock = HandClock()
        let profiles = Record<ProfileObserver.Profile>()
        world.prompter.reply { _ in
            clock.pass(.seconds(20))
            return .allow(.always)
        }
        var operation = BlockOperation { _ in clock.pass(.seconds(3)) }
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

    @Test("Closures can observe")
    func blockObserver() async {
        let world = World()
        let steps = Record<String>()
        var operation = BlockOperation("observed") { _ in }
        operation.addObserver(
            BlockObserver(
                didAttach: { steps.append("attached \($0.name)") }, willExecute: { _ in steps.append("executes") },
                didCancel: { _ in steps.append("cancelled") }, didFinish: { _, _ in steps.append("finished") }))
        await world.queue.add(operation).result.ignore()
        #expect(steps.all == ["attached observed", "executes", "finished"])
    }
}

extension Result {
    func ignore() {}

    var refusal: CaptureError? {
        guard case .failure(let error) = self else { return nil }
        return (error as? OperationError<Never>).flatMap { if case .refused(let error) = $0 { error } else { nil } }
    }
}

extension AuthorizationStatus {
    func ignore() {}
}

extension GateQueue {
    /// `run` with its error as a value.
    func outcome<O: QueuedOperation>(of operation: O) async -> OperationResult<O.Output, O.Failure> {
        do throws(OperationError<O.Failure>) {
            return .success(try await run(operation))
        } catch {
            return .failure(error)
        }
    }
}
