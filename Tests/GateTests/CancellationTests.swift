import Gate
import GateTestKit
import Testing

@Suite("Cancellation")
struct CancellationTests {
    enum Category {}

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

    @Test("Cancelling the task that waits in run cancels the operation and waits for its end")
    func cancelledRun() async {
        let world = World()
        let began = Signal()
        let ended = Signal()
        let task = Task {
            await world.queue.add(ClosureOperation { _ in }).result.ignore()
            return try await world.queue.run(
                ClosureOperation { _ throws(CaptureError) in
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
                ClosureOperation { _ in await untilCancelled() }.adding(
                    MutuallyExclusive<Category>(Category.self, "\(number % 4)")))
        }
        world.queue.cancelAll()
        await world.queue.waitUntilEmpty()
        #expect(world.queue.count == 0)
        #expect(handles.allSatisfy(\.isFinished) && asking.isFinished)
    }

    @Test("Thousands that were cancelled in line for a slot do not overflow a stack")
    func cancelledLine() async {
        let world = World(width: 1)
        let gate = Signal()
        let holding = world.queue.add(ClosureOperation { _ in await gate.reached() })
        for _ in 0..<10_000 { world.queue.add(ClosureOperation { _ in }).cancel() }
        let last = world.queue.add(ClosureOperation { _ in 1 })
        gate.raise()
        #expect(await last.result == .success(1))
        #expect(await holding.result.error == nil)
    }
}
