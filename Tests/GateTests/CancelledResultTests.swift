import GateTestKit
import Testing

@testable import Gate

@Suite("Cancelled with a result or an error")
struct CancelledResultTests {
    /// Returns what it has when it is cancelled.
    private func partial(_ began: Signal) -> ClosureOperation<Int, CaptureError> {
        ClosureOperation("Partial") { _ throws(CaptureError) in
            began.raise()
            await untilCancelled()
            return 7
        }
    }

    @Test("An operation that was cancelled and returns all the same ends as cancelled with its output")
    func output() async {
        let world = World()
        let outcomes = Record<String>()
        let observer = BlockObserver(
            willFinish: { outcomes.append("will \($1)") }, didFinish: { outcomes.append("did \($1)") })
        let strict = ClosureOperation { _ in }.adding(NoFailedDependenciesCondition())
        let lenient = ClosureOperation { $0.dependencies.map { "\($0.outcome)" } }
            .adding(NoFailedDependenciesCondition(ignoringCancelled: true))
        for isObserved in [false, true] {
            let began = Signal()
            let operation = partial(began)
            let handle = world.queue.add(isObserved ? operation.observed(by: observer) : operation)
            let (after, other) = (world.queue.add(strict, after: [handle]), world.queue.add(lenient, after: [handle]))
            await began.reached()
            handle.cancel()
            #expect(await handle.result == .success(7))
            #expect(await handle.output == 7 && handle.isCancelled)
            #expect(await after.result.refusal()?.kind == .cancelled)
            #expect(await other.result == .success(["cancelledWithOutput"]))
        }
        #expect(outcomes.all == ["will cancelledWithOutput", "did cancelledWithOutput"])
    }

    @Test("A group that is cancelled has its children's results, and is cancelled with them for whoever waits for it")
    func group() async throws {
        let world = World()
        let began = Signal()
        var group = GroupOperation(width: 1)
        let first = group.add(partial(began))
        let second = group.add(ClosureOperation { _ in 1 })
        let handle = world.queue.add(group)
        let strict = world.queue.add(
            ClosureOperation { _ in }.adding(NoFailedDependenciesCondition()), after: [handle])
        let outcomes = world.queue.add(ClosureOperation { $0.dependencies.map { "\($0.outcome)" } }, after: [handle])
        await began.reached()
        handle.cancel()
        let results = try await handle.value()
        #expect(results[first] == .success(7) && results[second] == .failure(.cancelled))
        #expect(handle.isCancelled)
        #expect(await outcomes.result == .success(["cancelledWithOutput"]))
        #expect(await strict.result.refusal()?.kind == .cancelled)
    }

    @Test("Run gives the output of what was cancelled and has one; without, it throws that it was cancelled")
    func run() async throws {
        let world = World()
        let began = Signal()
        let partial = partial(began)
        let task = Task { try await world.queue.run(partial) }
        await began.reached()
        task.cancel()
        #expect(try await task.value == 7)
    }

    @Test("What is cancelled after it had its result has just succeeded")
    func tooLate() async {
        let world = World()
        let handle = world.queue.add(ClosureOperation { _ in 1 })
        await handle.result.ignore()
        handle.cancel()
        let after = world.queue.add(ClosureOperation { _ in }.adding(NoFailedDependenciesCondition()), after: [handle])
        #expect(await after.result.error == nil)
        #expect(!handle.isCancelled)
        // Also where an observer of its end cancels it.
        let observed = ClosureOperation { _ in 2 }
            .observed(by: WillFinish { context in context.cancel(with: CaptureError(.stalled, "late")) })
        #expect(await world.queue.add(observed).result == .success(2))
    }

    struct WillFinish: OperationObserver {
        let act: @Sendable (OperationContext) -> Void

        func willFinish(_ operation: OperationIdentity, _ outcome: OperationOutcome, in context: OperationContext) {
            act(context)
        }
    }

    @Test("Cancelled with an error, before it begins and while it executes: the result carries it")
    func error() async {
        let world = World()
        let error = CaptureError(.diskFull, "The disk is full.")
        world.queue.suspend()
        let waiting = world.queue.add(ClosureOperation { _ in 1 })
        waiting.cancel(with: error)
        waiting.cancel(with: CaptureError(.stalled, "The second counts for nothing."))
        #expect(await waiting.result == .failure(.refused(error)))
        #expect(await waiting.output == nil)
        world.queue.resume()
        let began = Signal()
        let running = world.queue.add(partial(began))
        let after = world.queue.add(
            ClosureOperation { _ in }.adding(NoFailedDependenciesCondition(ignoringCancelled: true)), after: [running])
        await began.reached()
        running.cancel(with: error)
        #expect(await running.result == .failure(.refused(error)))
        // Its output is available.
        #expect(await running.output == 7 && running.isCancelled)
        // A cancellation with an error is not ignored as one without.
        #expect(await after.result.refusal()?.underlying == [error])
    }

    @Test("What an operation throws after it was cancelled is reachable, and it is cancelled all the same")
    func thrown() async {
        let world = World()
        let (full, enough) = (CaptureError(.diskFull, "The disk is full."), CaptureError(.timedOut, "Enough."))
        for error in [nil, enough] {
            let began = Signal()
            let failing = ClosureOperation { _ throws(CaptureError) -> Int in
                began.raise()
                await untilCancelled()
                throw full
            }
            let handles = [
                world.queue.add(failing), world.queue.add(failing.observed(by: BlockObserver())),
                world.queue.add(ComposedOperation(failing)), world.queue.add(failing.map { $0 }),
                world.queue.add(RetryOperation(failing, attempts: 3, clock: ManualClock())),
            ]
            await began.reached(handles.count)
            for handle in handles {
                if let error { handle.cancel(with: error) } else { handle.cancel() }
                #expect(await handle.result == .failure(error.map { .refused($0) } ?? .cancelled))
                #expect(await handle.failure == full)
            }
            #expect(began.count == handles.count)
        }
        let failed = world.queue.add(ClosureOperation { _ throws(CaptureError) in throw full })
        #expect(await failed.failure == full)
        #expect(await world.queue.add(ClosureOperation { _ throws(CaptureError) in }).failure == nil)
    }

    @Test("A part that was cancelled with the whole is cancelled, whatever it threw")
    func part() async {
        let world = World()
        let (began, inner) = (Signal(), Record<OperationError<CaptureError>?>())
        let failing = ClosureOperation { _ throws(CaptureError) -> Int in
            began.raise()
            await untilCancelled()
            throw CaptureError(.diskFull, "The disk is full.")
        }
        let handle = world.queue.add(
            ClosureOperation { context in inner.append(await context.perform(failing).error) })
        await began.reached()
        handle.cancel()
        await handle.result.ignore()
        #expect(inner.all == [.cancelled])
    }

    @Test("A queue is cancelled with an error: each operation ends with it, and its observers get it")
    func cancelAll() async {
        let world = World()
        let (began, errors) = (Signal(), Record<CaptureError?>())
        let observer = BlockObserver(didCancel: { errors.append($1) })
        let error = CaptureError(.timedOut, "Enough.")
        let handles = (0..<2).map { _ in world.queue.add(partial(began).observed(by: observer)) }
        let waiting = world.queue.add(partial(began).observed(by: observer), after: handles)
        await began.reached(2)
        world.queue.cancelAll(with: error)
        for handle in handles + [waiting] { #expect(await handle.result == .failure(.refused(error))) }
        #expect(errors.all == [error, error, error])
        let plain = world.queue.add(partial(began).observed(by: observer))
        await began.reached(3)
        world.queue.cancelAll()
        #expect(await plain.result == .success(7))
        #expect(errors.all.last == .some(nil))
    }

    @Test("A group that is cancelled with an error cancels its children with it, and theirs; it has their results")
    func parent() async {
        let world = World()
        let (began, errors) = (Signal(), Record<CaptureError?>())
        var inner = GroupOperation("inner")
        let observed = partial(began).observed(by: BlockObserver(didCancel: { errors.append($1) }))
        inner.add(observed)
        var group = GroupOperation("outer")
        let child = group.add(observed)
        group.add(inner)
        let handle = world.queue.add(ComposedOperation(group))
        await began.reached(2)
        let error = CaptureError(.timedOut, "Enough.")
        handle.cancel(with: error)
        #expect(await handle.result.error == .refused(error))
        let result = await handle.output?[child]
        #expect(result?.refusal()?.kind == .cancelled && result?.refusal()?.underlying == [error])
        #expect(errors.all.count == 2 && errors.all.allSatisfy { $0?.message.contains("Enough.") == true })
    }

    @Test("A capture that is cancelled with an error reports it, and its devices are closed")
    func capture() async {
        let world = World()
        world.decide(.allow)
        let error = CaptureError(.timedOut, "Enough.")
        var capture = Capture(Capability.Microphone())
        capture.during = { _ in await untilCancelled() }
        let handle = world.queue.add(capture)
        await capture.openings.reached()
        handle.cancel(with: error)
        #expect(await handle.result == .failure(.refused(error)))
        #expect(await handle.output == [DeviceID(rawValue: "usb-mic")])
        #expect(world.store.events(.stop).count == 1 && world.store.events(.refusal).isEmpty)
    }
}
