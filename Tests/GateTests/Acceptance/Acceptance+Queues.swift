import Gate
import GateTestKit
import Testing

extension Acceptance {
    @Suite("Queues")
    struct Queues {
        typealias Microphone = Capability.Microphone

        @Test("16. A cycle of dependencies is an error at once.", arguments: Pace.allCases)
        func cycle(_ pace: Pace) async throws {
            let world = World(pace)
            world.queue.suspend()
            let handles = (0..<3).map { _ in world.queue.add(ClosureOperation { _ in await pace.pass() }) }
            try handles[1].addDependency(handles[0])
            try handles[2].addDependency(handles[1])
            let error = #expect(throws: CaptureError.self) { try handles[0].addDependency(handles[2]) }
            #expect(error?.kind == .deadlock)
            #expect(throws: CaptureError.self) { try handles[0].addDependency(handles[0]) }
            world.queue.resume()
            for handle in handles { #expect(await handle.result.error == nil) }
            let late = #expect(throws: CaptureError.self) { try handles[0].addDependency(handles[1]) }
            #expect(late?.kind == .usage)
        }

        @Test("16. A suspended queue neither evaluates nor asks.", arguments: Pace.allCases)
        func suspended(_ pace: Pace) async {
            let executor = CountingExecutor()
            let world = World(pace, on: executor)
            let evaluations = Signal()
            world.queue.suspend()
            let counting = BlockCondition {
                evaluations.raise()
                return true
            }
            let handle = world.queue.add(Capture(Microphone(), conditions: [counting]))
            // Another queue of the same gatekeeper comes all the way through in between.
            await GateQueue(gatekeeper: world.gatekeeper).add(ClosureOperation { _ in await pace.pass() }).result
                .ignore()
            await executor.idle()
            #expect(evaluations.count == 0 && world.prompter.questions.isEmpty && world.store.snapshots == 0)
            #expect(world.queue.isSuspended)
            world.queue.resume()
            #expect(await handle.result.error == nil)
            #expect(evaluations.count == 1 && world.prompter.questions.count == 1)
        }

        @Test("17. Cancelled before start: execute never runs.", arguments: Pace.allCases)
        func cancelledBefore(_ pace: Pace) async {
            let world = World(pace, width: 1)
            let (gate, began, executed) = (Signal(), Signal(), Signal())
            let holding = world.queue.add(
                ClosureOperation { _ in
                    began.raise()
                    await gate.reached()
                })
            await began.reached()
            let operation = ClosureOperation { _ in executed.raise() }
            let capture = Capture(Microphone())
            let waiting = [
                world.queue.add(operation), world.queue.add(operation.adding(BlockCondition { true })),
                world.queue.add(operation, after: [holding]),
            ]
            let refused = world.queue.add(capture)
            for handle in waiting { handle.cancel() }
            refused.cancel()
            for handle in waiting { #expect(await handle.result.error == .cancelled) }
            #expect(await refused.result.error == .cancelled)
            gate.raise()
            #expect(await holding.result.error == nil)
            #expect(executed.count == 0 && capture.executions.count == 0)
            #expect(await world.queue.add(ClosureOperation { _ in 1 }).result == .success(1))
        }

        @Test(
            "17. Cancelled during execute: the device is closed before the operation finishes.",
            arguments: Pace.allCases)
        func cancelledDuring(_ pace: Pace) async {
            let world = World(pace)
            let stops = Record<Int>()
            var capture = Capture(Microphone())
            capture.during = { _ in
                await untilCancelled()
                await pace.pass()
            }
            capture.addObserver(
                BlockObserver(didFinish: { _, _ in stops.append(world.store.events(.stop).count) }))
            let handle = world.queue.add(capture)
            await capture.openings.reached()
            handle.cancel()
            // It closed its device, wrote its line and returned what it had.
            #expect(await handle.result.error == nil)
            #expect(stops.all == [1])
        }

        @Test("17. The first finish wins.", arguments: Pace.allCases)
        func firstFinishWins(_ pace: Pace) async throws {
            let world = World(pace)
            let finishes = Signal()
            var operation = ClosureOperation { context in
                await pace.pass()
                return 5
            }
            operation.addObserver(BlockObserver(didFinish: { _, _ in finishes.raise() }))
            let handle = world.queue.add(operation)
            #expect(await handle.result == .success(5))
            handle.cancel()
            #expect(await handle.result == .success(5))
            #expect(handle.isFinished && !handle.isCancelled && finishes.count == 1)
            // The reason that came first is the one it ends with.
            let asleep = Signal()
            let stopped = world.queue.add(
                ClosureOperation { context in
                    context.cancel(with: CaptureError(.timedOut, "the first"))
                    context.cancel(with: CaptureError(.stalled, "the second"))
                    await untilCancelled()
                    asleep.raise()
                    try Task.checkCancellation()
                })
            stopped.cancel()
            switch await stopped.result.error {
            case .refused(let error): #expect(error.kind == .timedOut && asleep.count == 1)
            case .cancelled: #expect(asleep.count == 0)
            default: Issue.record("it has two ends")
            }
        }

        @Test("17. A cancelled operation is not a failed one.", arguments: Pace.allCases)
        func cancelledIsNotFailed(_ pace: Pace) async {
            let world = World(pace)
            let (began, followed) = (Signal(), Signal())
            let outcomes = Record<String>()
            var operation = ClosureOperation { _ throws(CaptureError) in
                began.raise()
                await untilCancelled()
                await pace.pass()
                throw CaptureError(.inputOutput, "interrupted")
            }
            operation.addObserver(BlockObserver(didFinish: { _, outcome in outcomes.append("\(outcome)") }))
            let handle = world.queue.add(operation)
            let lenient = ClosureOperation { _ in followed.raise() }
                .adding(NoFailedDependenciesCondition(ignoringCancelled: true))
            let follower = world.queue.add(lenient, after: [handle])
            await began.reached()
            handle.cancel()
            // What it throws then counts as cancelled.
            #expect(await handle.result.error == .cancelled)
            #expect(outcomes.all == ["cancelled"] && handle.isCancelled)
            #expect(await follower.result.error == nil)
            #expect(followed.count == 1)
        }
    }
}
