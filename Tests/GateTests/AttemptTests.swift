import Gate
import GateTestKit
import Testing

@Suite("Attempts")
struct AttemptTests {
    typealias Microphone = Capability.Microphone

    /// Fails until it has been tried often enough.
    func failing(_ times: Int, _ tries: Signal) -> ClosureOperation<Int, CaptureError> {
        ClosureOperation("Flaky") { _ throws(CaptureError) in
            tries.raise()
            if tries.count <= times { throw CaptureError(.busy, "not yet") }
            return tries.count
        }
    }

    @Test("Retry tries again until it succeeds, and waits as the strategy says")
    func retry() async {
        let world = World()
        let clock = ManualClock()
        let retry = RetryOperation(
            failing(3, Signal()), attempts: 5, waiting: .exponential(.seconds(1)), clock: clock)
        #expect(await world.queue.add(retry).result == .success(4))
        #expect(clock.sleeps == [.seconds(1), .seconds(2), .seconds(4)])
    }

    @Test("Retry ends with the last error: attempts used up, deadline passed, or nothing to hope for")
    func retryEnds() async {
        let world = World()
        let error = OperationError.failed(CaptureError(.busy, "not yet"))
        let attempts = RetryOperation(failing(9, Signal()), attempts: 3, clock: ManualClock())
        #expect(await world.queue.add(attempts).result == .failure(error))
        let tries = Signal()
        let deadline = RetryOperation(
            failing(9, tries), attempts: 9, waiting: .constant(.seconds(2)), deadline: .seconds(5), clock: ManualClock()
        )
        #expect(await world.queue.add(deadline).result == .failure(error))
        #expect(tries.count == 3)
        let once = Signal()
        let hopeless = RetryOperation(failing(9, once), attempts: 9, clock: ManualClock()) { _ in false }
        #expect(await world.queue.add(hopeless).result == .failure(error))
        #expect(once.count == 1)
    }

    @Test("A handler decides from the failure what is tried next, and after which wait")
    func nextAttempt() async {
        let world = World()
        let clock = ManualClock()
        let tried = Record<Int>()
        @Sendable func attempt(_ number: Int) -> ClosureOperation<Int, CaptureError> {
            ClosureOperation("Attempt \(number)") { _ throws(CaptureError) in
                tried.append(number)
                if number < 30 { throw CaptureError(.busy, "\(number) is busy") }
                return number
            }
        }
        let seen = Record<String>()
        let retry = RetryOperation(attempt(1), attempts: 9, waiting: .constant(.seconds(5)), clock: clock) {
            failed, next in
            guard case .failed(let error) = failed.error else { return nil }
            seen.append("\(failed.number) \(failed.operation.name) \(error.message) \(failed.waited)")
            switch failed.number {
            case 1: return next
            case 2: return NextAttempt(attempt(20), after: .seconds(1))
            default: return NextAttempt(attempt(30))
            }
        }
        #expect(await world.queue.add(retry).result == .success(30))
        #expect(tried.all == [1, 1, 20, 30])
        #expect(clock.sleeps.filter { $0 > .zero } == [.seconds(5), .seconds(1)])
        #expect(
            seen.all == [
                "1 Attempt 1 1 is busy 0.0 seconds", "2 Attempt 1 1 is busy 5.0 seconds",
                "3 Attempt 20 20 is busy 6.0 seconds",
            ])
    }

    @Test("A handler ends the attempts with nil; none is made past number or deadline, or when cancelled")
    func nextAttemptEnds() async {
        let world = World()
        for (attempts, deadline, most, calls) in [(9, nil, 1, 2), (2, nil, 9, 1), (9, Duration.seconds(2), 9, 3)] {
            let (tries, asked) = (Signal(), Signal())
            let retry = RetryOperation(
                failing(99, tries), attempts: attempts, deadline: deadline, clock: ManualClock()
            ) { failed, next in
                asked.raise()
                return failed.number > most ? nil : NextAttempt(next.operation, after: .seconds(1))
            }
            #expect(await world.queue.add(retry).result.error == .failed(CaptureError(.busy, "not yet")))
            #expect(asked.count == calls && tries.count == (attempts == 2 ? 2 : calls))
        }
        let (asked, gate) = (Signal(), Signal())
        let tries = Signal()
        let retry = RetryOperation(failing(99, tries), attempts: 9, clock: ManualClock()) { _, next in
            asked.raise()
            await gate.reached()
            return next
        }
        let handle = world.queue.add(retry)
        await asked.reached()
        handle.cancel()
        gate.raise()
        #expect(await handle.result.error == .cancelled)
        #expect(tries.count == 1 && asked.count == 1)
    }

    @Test("Another device is tried where the first is refused, and a person is asked for each once")
    func nextDevice() async {
        let world = World()
        world.decide(.deny, .microphone, .record, device: .id(DeviceID(rawValue: "usb-mic")))
        @Sendable func capture(_ id: String) -> Capture<Microphone> {
            Capture(Microphone(device: .id(DeviceID(rawValue: id))))
        }
        let retry = RetryOperation(capture("usb-mic"), attempts: 2, clock: ManualClock()) { _, _ in
            NextAttempt(capture("pci-mic"))
        }
        #expect(await world.queue.add(retry).result == .success([DeviceID(rawValue: "pci-mic")]))
        #expect(world.prompter.questions.count == 1)
    }

    @Test("Repeat goes on with what a handler makes of the output")
    func nextRepetition() async throws {
        let world = World()
        let clock = ManualClock()
        @Sendable func page(_ number: Int) -> ClosureOperation<Int, CaptureError> {
            ClosureOperation { _ throws(CaptureError) in number * 10 }
        }
        let pages = RepeatOperation(page(1), waiting: .constant(.seconds(2)), clock: clock) { output, next in
            output.count == 3 ? nil : NextAttempt(page(output.last), after: next.delay)
        }
        let output = try await world.queue.run(pages)
        #expect(output.count == 3 && output.last == 1000)
        #expect(clock.sleeps == [.seconds(2), .seconds(2)])
    }

    @Test("A no, a dismissal or a kill switch is not tried again", arguments: Pace.allCases)
    func noRetryAfterNo(_ pace: Pace) async {
        for answer in [Answer.deny, .dismissed] {
            let world = World(pace, answer: answer)
            let clock = ManualClock()
            let capture = Capture(Microphone())
            let retry = RetryOperation(capture, attempts: 5, waiting: .constant(.seconds(1)), clock: clock)
            #expect(await world.queue.add(retry).result.error != nil)
            #expect(world.prompter.questions.count == 1 && clock.sleeps.isEmpty)
            // If it must continue nevertheless, it gets no further and asks no more.
            let stubborn = RetryOperation(capture, attempts: 5, clock: clock) { _ in true }
            #expect(await world.queue.add(stubborn).result.error != nil)
            #expect(capture.executions.count == 0)
            #expect(world.prompter.questions.count == (answer == .deny ? 1 : 2))
        }
    }

    @Test("Asking once holds for what is asked inside: groups, compositions, operations run in between")
    func onceInside() async {
        let world = World(answer: .dismissed)
        let queue = world.queue
        let nested = ClosureOperation { context throws(CaptureError) in
            var group = GroupOperation()
            group.add(ComposedOperation(Capture(Microphone())))
            _ = await context.perform(group)
            try await queue.run(Capture(Microphone()))
        }
        let inner = RetryOperation(nested, attempts: 2, clock: ManualClock()) { _ in true }
        let retry = RetryOperation(inner, attempts: 2, clock: ManualClock()) { _ in true }
        #expect(await world.queue.add(retry).result.error?.kind != nil)
        #expect(world.prompter.questions.count == 1)
    }

    @Test("Repeat goes on until it is enough, and asks once", arguments: Pace.allCases)
    func repeats(_ pace: Pace) async throws {
        let world = World(pace)
        let clock = ManualClock()
        let capture = Capture(Microphone())
        let limited = RepeatOperation(capture, limit: 4, waiting: .constant(.seconds(3)), clock: clock)
        let output = try await world.queue.run(limited)
        #expect(output.count == 4 && output.last == [DeviceID(rawValue: "usb-mic")])
        #expect(clock.sleeps == [.seconds(3), .seconds(3), .seconds(3)])
        #expect(world.prompter.questions.count == 1 && capture.openings.count == 4)
        let until = RepeatOperation(capture, clock: clock) { _, count in count == 2 }
        #expect(try await world.queue.run(until).count == 2)
    }

    @Test("Repeat ends with the first error; what is revoked in between is not captured again")
    func repeatEnds() async {
        let world = World(answer: .dismissed)
        let id = world.decide(.allow)
        let capture = Capture(Microphone())
        let repeated = RepeatOperation(capture, limit: 9, clock: ManualClock()) { _, count in
            if count == 2 { world.revoke(id) }
            return false
        }
        #expect(await world.queue.add(repeated).result.error?.kind == .dismissed)
        #expect(capture.openings.count == 2)
    }

    @Test("Cancelling reaches a wait between attempts")
    func cancelledWait() async {
        let world = World()
        let clock = StandingClock()
        let retry = RetryOperation(failing(9, Signal()), attempts: 9, waiting: .constant(.seconds(1)), clock: clock)
        let delay = DelayOperation(.seconds(1), clock: clock)
        let handles = (world.queue.add(retry), world.queue.add(delay))
        await clock.asleep.reached(2)
        world.queue.cancelAll()
        #expect(await handles.0.result.error == .cancelled)
        guard case .cancelled = await handles.1.result.error else {
            Issue.record("the delay was not cancelled")
            return
        }
    }

    @Test("A delay takes its time, and none if there is none to take")
    func delay() async {
        let world = World()
        let clock = ManualClock()
        _ = await world.queue.add(DelayOperation(.seconds(7), clock: clock)).result
        _ = await world.queue.add(DelayOperation(.seconds(-7), clock: clock)).result
        #expect(clock.sleeps == [.seconds(7)])
    }

    @Test("Somebody's no is not worth another attempt; a device that is busy or a fault is")
    func mayPass() {
        typealias Failure = OperationError<CaptureError>
        let hopeless: [CaptureError.Kind] = [.notAuthorized, .dismissed, .configuration, .usage, .deadlock]
        for kind in hopeless { #expect(!Failure.refused(CaptureError(kind, "")).mayPass, "\(kind)") }
        for kind in [CaptureError.Kind.busy, .noDevice, .timedOut, .store, .conditionFailed] {
            #expect(Failure.refused(CaptureError(kind, "")).mayPass, "\(kind)")
        }
        #expect(Failure.failed(CaptureError(.notAuthorized, "")).mayPass)
    }
}
