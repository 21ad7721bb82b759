import GateTestKit
import Testing

@testable import Gate

extension Acceptance {
    @Suite("Questions")
    struct Questions {
        typealias Microphone = Capability.Microphone

        @Test(
            """
            6. Questions are serialised per prompter (one terminal, one question); operations that were granted then \
            run concurrently.
            """, arguments: Pace.allCases)
        func serialised(_ pace: Pace) async {
            let world = World(pace)
            let together = Signal()
            var handles: [OperationHandle<[DeviceID], CaptureError>] = []
            for device in [DeviceID.mic, .otherMic] {
                var capture = Capture(Microphone(device: .id(device)))
                // Each waits for the other one inside its execute.
                capture.during = { _ in
                    together.raise()
                    await together.reached(2)
                }
                handles.append(world.queue.add(capture))
            }
            for handle in handles { #expect(await handle.result.error == nil) }
            #expect(world.prompter.questions.count == 2 && world.prompter.mostOpen == 1)
        }

        @Test(
            "13. Cancelling during a question dismisses it and frees its turn; the next one is asked.",
            arguments: Pace.allCases)
        func cancelled(_ pace: Pace) async {
            let world = World(pace)
            let isDismissed = Signal()
            world.prompter.reply { question in
                guard question.items.first?.request.capability == .microphone else { return .allow(.always) }
                await untilCancelled()
                isDismissed.raise()
                return .dismissed
            }
            let first = world.queue.add(Capture(Microphone()))
            await world.prompter.asked.reached(1)
            let second = world.queue.add(Capture(Capability.Camera()))
            first.cancel()
            #expect(await first.result.error == .cancelled)
            #expect(await second.result.error == nil)
            #expect(isDismissed.count == 1)
            #expect(world.prompter.questions.map { $0.items[0].request.capability } == [.microphone, .camera])
            #expect(world.store.decisions.map(\.capability) == [.camera])
        }

        @Test(
            "23. Two processes asking at the same time for the same subject see one question.",
            arguments: Pace.allCases)
        func processes(_ pace: Pace) async {
            let world = World(pace)
            let turns = SharedTurns()
            let gate = Signal()
            world.prompter.reply { _ in
                await gate.reached()
                return .allow(.always)
            }
            // Two gatekeepers share store and lock, as two processes do.
            let queues = (0..<2).map { _ in
                GateQueue(
                    gatekeeper: Gatekeeper(
                        as: .rig, subject: .success(world.subject), store: world.store, prompter: world.prompter,
                        directory: world.directory, clock: world.clock, promptLock: turns))
            }
            let handles = queues.map { $0.add(Capture(Microphone())) }
            await world.prompter.asked.reached()
            while turns.wanted.count < 2, world.prompter.questions.count < 2 { await Task.yield() }
            gate.raise()
            for handle in handles { #expect(await handle.result.error == nil) }
            #expect(world.prompter.questions.count == 1 && world.prompter.mostOpen == 1)
        }

        @Test(
            "26. An executable that changed since it was granted is notDetermined, and the question names the old grant.",
            arguments: Pace.allCases)
        func changedExecutable(_ pace: Pace) async {
            let world = World(pace)
            let old = world.decide(.allow, about: .recorder(sha256: "before"))
            guard case .notDetermined(let previous) = await world.gatekeeper.status(of: Microphone()) else {
                Issue.record("it is determined")
                return
            }
            #expect(previous?.id == old)
            #expect(await world.queue.add(Capture(Microphone())).result.error == nil)
            #expect(world.prompter.questions.map { $0.previous?.id } == [old])
        }

        @Test(
            "An update of a program that root alone can change leaves its permission, where that was so when it was granted",
            arguments: [
                ("1 root", "2 root", true), ("1", "2 root", false), ("1 root", "2", false), (nil, "2 root", false),
            ])
        func updated(before: String?, now: String, isAllowed: Bool) async {
            let world = World(.atOnce, subject: .success(.recorder(sha256: "after", stamp: now)))
            _ = world.decide(.allow, about: .recorder(sha256: "before", stamp: before))
            let status = await world.gatekeeper.status(of: Microphone())
            #expect((status.grant != nil) == isAllowed, "\(status)")
            _ = world.decide(.deny, about: .recorder(sha256: "before", stamp: before))
            guard case .denied = await world.gatekeeper.status(of: Microphone()) else {
                Issue.record("a no is of the path, whatever its bytes")
                return
            }
        }

        @Test("28. An operation of several devices asks once, all or nothing.", arguments: Pace.allCases)
        func together(_ pace: Pace) async throws {
            let both = Capability.All(Capability.Camera(), Microphone())
            let yes = World(pace, answer: .allow(.once))
            #expect(try await yes.queue.run(Capture(both)) == [.cam, .mic])
            #expect(yes.prompter.questions.map(\.items.count) == [2])
            #expect(yes.store.decisions.isEmpty)

            let no = World(pace, answer: .deny)
            let refused = Capture(both)
            #expect(await no.queue.add(refused).result.error?.kind == .notAuthorized)
            #expect(no.store.decisions.map(\.verdict) == [.deny, .deny])
            #expect(no.prompter.questions.count == 1 && refused.executions.count == 0)

            let half = World(pace)
            half.decide(.deny, .camera, .video)
            #expect(await half.queue.add(Capture(both)).result.error?.kind == .notAuthorized)
            #expect(half.prompter.questions.isEmpty)
        }

        @Test("28. Dependencies live on the handles that add returns.", arguments: Pace.allCases)
        func handles(_ pace: Pace) async throws {
            let executor = CountingExecutor()
            let world = World(pace, on: executor)
            let gate = Signal()
            let before = world.queue.add(ClosureOperation("before") { _ in await gate.reached() })
            // The same operation twice: only the one that was added with a dependency waits.
            let operation = ClosureOperation { context in
                await pace.pass()
                return context.dependencies.map(\.name)
            }
            let waiting = world.queue.add(operation, after: [before])
            #expect(try await world.queue.add(operation).value() == [])
            await executor.idle()
            #expect(!waiting.isFinished)
            gate.raise()
            #expect(try await waiting.value() == ["before"])
        }
    }
}
