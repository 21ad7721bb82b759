import Gate
import GateTestKit
import Testing

extension Acceptance {
    @Suite("Groups and attempts")
    struct Parts {
        typealias Microphone = Capability.Microphone

        @Test("18. Groups cancel their children and finish after them.", arguments: Pace.allCases)
        func cancelled(_ pace: Pace) async {
            let world = World(pace)
            var group = GroupOperation()
            var capture = Capture(Microphone())
            capture.during = { _ in
                await untilCancelled()
                await pace.pass()
            }
            let never = Signal()
            let blocked = BlockCondition {
                await untilCancelled()
                return true
            }
            group.add(capture)
            let late = group.add(ClosureOperation { _ in never.raise() }.adding(blocked))
            group.add(ClosureOperation { _ in never.raise() }, after: [late])
            let handle = world.queue.add(group)
            await capture.openings.reached()
            handle.cancel()
            _ = await handle.result
            #expect(world.store.events(.stop).count == 1)
            #expect(never.count == 0)
        }

        @Test("18. The first child error is the group's.", arguments: Pace.allCases)
        func firstError(_ pace: Pace) async {
            for stops in [false, true] {
                let world = World(pace)
                var group = GroupOperation(stopsAtFirstError: stops)
                let (failed, others) = (Signal(), Signal())
                group.add(
                    ClosureOperation { _ throws(CaptureError) in
                        await failed.reached()
                        if stops { await untilCancelled() }
                        others.raise()
                        throw CaptureError(.noDevice, "the second")
                    })
                group.add(
                    ClosureOperation("First") { _ throws(CaptureError) in
                        await pace.pass()
                        throw CaptureError(.badInput, "the first")
                    }.observed(by: BlockObserver(didFinish: { _, _ in failed.raise() })))
                #expect(await world.queue.add(group).result.error?.kind == .badInput)
                // The others continue to their end, unless they must stop; either way the group waited.
                #expect(others.count == 1)
            }
        }

        private func counting(_ evaluations: Signal) -> BlockCondition {
            BlockCondition {
                evaluations.raise()
                return true
            }
        }

        @Test("19. Retry evaluates conditions again on each attempt, and asks once.", arguments: Pace.allCases)
        func retry(_ pace: Pace) async {
            let world = World(pace, answer: .allow(.once))
            let evaluations = Signal()
            var capture = Capture(Microphone(), conditions: [counting(evaluations)])
            capture.failure = CaptureError(.stalled, "nothing comes")
            // The first attempt uses up the permission for once.
            let retry = RetryOperation(capture, attempts: 3, clock: ManualClock()) { _ in true }
            #expect(await world.queue.add(retry).result.error?.kind == .notAuthorized)
            #expect(world.prompter.questions.count == 1 && evaluations.count == 3)
            #expect(capture.executions.count == 1 && capture.openings.count == 1)

            let lasting = World(pace)
            var again = Capture(Microphone())
            again.failure = CaptureError(.stalled, "nothing comes")
            _ = await lasting.queue.add(RetryOperation(again, attempts: 3, clock: ManualClock())).result
            #expect(lasting.prompter.questions.count == 1 && again.openings.count == 3)
        }

        @Test("19. Repeat evaluates conditions again on each attempt, and asks once.", arguments: Pace.allCases)
        func repetition(_ pace: Pace) async throws {
            let world = World(pace)
            let evaluations = Signal()
            let capture = Capture(Microphone(), conditions: [counting(evaluations)])
            let output = try await world.queue.run(RepeatOperation(capture, limit: 4, clock: ManualClock()))
            #expect(output.count == 4 && capture.openings.count == 4)
            #expect(world.prompter.questions.count == 1 && evaluations.count == 4)

            let once = World(pace, answer: .allow(.once))
            let refused = Capture(Microphone())
            let repeated = RepeatOperation(refused, limit: 4, clock: ManualClock())
            #expect(await once.queue.add(repeated).result.error?.kind == .notAuthorized)
            #expect(once.prompter.questions.count == 1 && refused.openings.count == 1)
        }

        @Test("20. A time-out observer bounds execution.", arguments: Pace.allCases)
        func timeout(_ pace: Pace) async {
            let world = World(pace)
            let clock = ManualClock()
            world.prompter.reply { _ in
                clock.pass(.seconds(100))
                await pace.pass()
                return .allow(.always)
            }
            let slow = ClosureOperation("Slow") { _ throws(CaptureError) in
                await untilCancelled()
                throw CaptureError(.cancelled, "interrupted")
            }.adding(AuthorizedFor(Microphone())).observed(by: TimeoutObserver(.seconds(5), clock: clock))
            // The time of the question does not count.
            #expect(await world.queue.add(slow).result.error?.kind == .timedOut)
            #expect(clock.sleeps == [.seconds(5)])
            // As a part of another operation it is limited, too; an operation in time is not affected.
            #expect(await world.queue.add(ComposedOperation(slow)).result.error?.kind == .timedOut)
            let quick = ClosureOperation("Quick") { _ in
                await pace.pass()
                return 1
            }.observed(by: TimeoutObserver(.seconds(5), clock: StandingClock()))
            #expect(await world.queue.add(quick).result == .success(1))
            #expect(await world.queue.add(ComposedOperation(quick)).result == .success(1))
        }

        @Test("20. The prompter's deadline bounds the question.", arguments: Pace.allCases)
        func questionDeadline(_ pace: Pace) async {
            let world = World(pace)
            let clock = ManualClock()
            // A prompter whose own deadline is a minute.
            world.prompter.reply { _ in
                await pace.pass()
                return (try? await clock.sleep(for: .seconds(60))) == nil ? .dismissed : .timedOut
            }
            let capture = Capture(Microphone()).observed(by: TimeoutObserver(.seconds(5), clock: StandingClock()))
            let error = await world.queue.add(capture).result.error
            #expect(error?.kind == .dismissed && error?.captureError.message.contains("in time") == true)
            #expect(clock.sleeps == [.seconds(60)])
            #expect(world.store.decisions.isEmpty && capture.executions.count == 0)
        }
    }
}
