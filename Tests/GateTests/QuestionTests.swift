import Testing

@testable import Gate

@Suite("Questions")
struct QuestionTests {
    @Test("N concurrent requests make one question and N answers, denial included", arguments: Pace.allCases)
    func merged(_ pace: Pace) async {
        for answer in [Answer.allow(.always), .deny, .dismissed] {
            let world = World(pace)
            let gate = Signal()
            world.prompter.reply { _ in
                await gate.reached()
                return answer
            }
            let statuses = await withTaskGroup(of: AuthorizationStatus.self) { group in
                for _ in 0..<20 {
                    group.addTask { await world.gatekeeper.requestAccess(for: Capability.Microphone()) }
                }
                while world.gatekeeper.desk.waiting < 20 { await Task.yield() }
                gate.raise()
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count == 20)
            #expect(statuses.allSatisfy { $0.isAuthorized == (answer == .allow(.always)) })
            #expect(world.prompter.questions.count == 1)
            #expect(world.store.events.count == 1)
        }
    }

    @Test(
        "Questions are asked one after another; operations that were granted then run concurrently",
        arguments: Pace.allCases)
    func serialised(_ pace: Pace) async {
        let world = World(pace)
        let together = Signal()
        let devices = ["usb-mic", "pci-mic"].map { DeviceSelector.id(DeviceID(rawValue: $0)) }
        var handles: [OperationHandle<[DeviceID], CaptureError>] = []
        for device in devices {
            var capture = Capture(Capability.Microphone(device: device))
            // Each waits for the other one inside its execute.
            capture.during = { _ in
                together.raise()
                await together.reached(2)
            }
            handles.append(world.queue.add(capture))
        }
        for handle in handles { #expect(await handle.result.error == nil) }
        #expect(world.prompter.questions.count == 2)
        #expect(world.prompter.mostOpen == 1)
    }

    @Test("An operation of several devices asks once, all or nothing", arguments: Pace.allCases)
    func together(_ pace: Pace) async throws {
        let both = Capability.Together(Capability.Camera(), Capability.Microphone())
        let yes = World(pace, answer: .allow(.once))
        #expect(try await yes.queue.run(Capture(both)).map(\.rawValue) == ["usb-cam", "usb-mic"])
        #expect(yes.prompter.questions.map(\.items.count) == [2])
        #expect(yes.store.decisions.isEmpty)

        let no = World(pace, answer: .deny)
        let refused = Capture(both)
        #expect(await no.queue.add(refused).result.error?.kind == .notAuthorized)
        #expect(no.store.decisions.map(\.verdict) == [.deny, .deny])
        #expect(refused.executions.count == 0)

        let half = World(pace)
        half.decide(.deny, .camera, .video)
        #expect(await half.queue.add(Capture(both)).result.error?.kind == .notAuthorized)
        #expect(half.prompter.questions.isEmpty)
    }

    @Test("A question is not put any more when an earlier answer has settled it")
    func settledBefore() async {
        let world = World()
        let gate = Signal()
        world.prompter.reply { _ in
            await gate.reached()
            return .allow(.always)
        }
        let first = world.queue.add(Capture(Capability.Microphone(purpose: "a memo")))
        await world.prompter.asked.reached()
        let second = world.queue.add(Capture(Capability.Microphone(purpose: "a call")))
        while world.gatekeeper.desk.waiting < 2 { await Task.yield() }
        gate.raise()
        for handle in [first, second] { #expect(await handle.result.error == nil) }
        #expect(world.prompter.questions.count == 1)
    }

    @Test("What is granted already is not asked again with the rest")
    func onlyWhatIsOpen() async throws {
        let world = World(answer: .allow(.once))
        world.decide(.allow, .camera, .video)
        try await world.queue.run(Capture(Capability.Together(Capability.Camera(), Capability.Microphone())))
        #expect(world.prompter.questions.map { $0.items.map(\.request.capability) } == [[.microphone]])
        #expect(world.store.decisions.map(\.capability) == [.camera])
    }

    @Test("A dismissal, a time-out or a failed prompter stores nothing and is not a denial", arguments: Pace.allCases)
    func noAnswer(_ pace: Pace) async {
        for answer in [Answer.dismissed, .timedOut, .failed(CaptureError(.unavailable, "The terminal is gone."))] {
            let world = World(pace, answer: answer)
            let capture = Capture(Capability.Microphone())
            #expect(await world.queue.add(capture).result.error?.kind == .dismissed)
            #expect(world.store.decisions.isEmpty)
            #expect(world.store.events.map(\.kind) == [.dismissal])
            #expect(await world.gatekeeper.status(of: Capability.Microphone()) == .notDetermined())
            #expect(capture.executions.count == 0)
            world.prompter.reply(.allow(.always))
            #expect(await world.queue.add(capture).result.error == nil)
        }
    }

    @Test(
        "Cancelling during a question dismisses it and frees its turn; the next one is asked", arguments: Pace.allCases)
    func cancelled(_ pace: Pace) async {
        let world = World(pace)
        world.prompter.reply { question in
            guard question.items.first?.request.capability == .microphone else { return .allow(.always) }
            await untilCancelled()
            return .dismissed
        }
        let first = world.queue.add(Capture(Capability.Microphone()))
        await world.prompter.asked.reached(1)
        let second = world.queue.add(Capture(Capability.Camera()))
        first.cancel()
        #expect(await first.result.error == .cancelled)
        #expect(await second.result.error == nil)
        #expect(world.prompter.questions.map { $0.items[0].request.capability } == [.microphone, .camera])
        #expect(world.store.decisions.map(\.capability) == [.camera])
    }

    @Test("One of several who wait for the same question can leave; the others get their answer")
    func oneLeaves() async {
        let world = World()
        let gate = Signal()
        world.prompter.reply { _ in
            await gate.reached()
            return .allow(.always)
        }
        let first = world.queue.add(Capture(Capability.Microphone()))
        await world.prompter.asked.reached()
        let second = world.queue.add(Capture(Capability.Microphone()))
        first.cancel()
        #expect(await first.result.error == .cancelled)
        gate.raise()
        #expect(await second.result.error == nil)
    }

    @Test("An answer that comes when everybody has turned away is nobody's")
    func lateAnswer() async {
        let world = World()
        world.prompter.reply { _ in
            await untilCancelled()
            return .allow(.always)
        }
        let handle = world.queue.add(Capture(Capability.Microphone()))
        await world.prompter.asked.reached()
        handle.cancel()
        #expect(await handle.result.error == .cancelled)
        // The next question waits for the end of this one.
        world.prompter.reply(.allow(.always))
        _ = await world.gatekeeper.requestAccess(for: Capability.Camera())
        #expect(world.store.decisions.map(\.capability) == [.camera])
    }

    @Test("An executable that changed is not determined, and the question names the old grant")
    func changedExecutable() async {
        let world = World()
        let old = world.decide(.allow, about: .recorder(sha256: "before"))
        guard case .notDetermined(let previous) = await world.gatekeeper.status(of: Capability.Microphone()) else {
            Issue.record("it is determined")
            return
        }
        #expect(previous?.id == old)
        #expect(await world.queue.add(Capture(Capability.Microphone())).result.error == nil)
        #expect(world.prompter.questions.first?.previous?.id == old)
    }

    @Test("The answer is not believed before it is stored: a store that fails refuses")
    func unstored() async {
        let world = World()
        world.prompter.reply { _ in
            world.store.fail(with: CaptureError(.store, "The disk is full."))
            return .allow(.always)
        }
        let capture = Capture(Capability.Microphone())
        #expect(await world.queue.add(capture).result.error?.kind == .store)
        #expect(capture.executions.count == 0)
        world.store.fail(with: nil)
        #expect(world.store.decisions.isEmpty)
    }

    @Test("The safest choice comes first, and the callback style answers once on the queue it was given")
    func callback() async {
        let world = World()
        let granted = await withCheckedContinuation { continuation in
            world.gatekeeper.requestAccess(for: .microphone, purpose: "Say hello") {
                continuation.resume(returning: $0)
            }
        }
        #expect(granted)
        #expect(world.prompter.questions.first?.lifetimes.first == .once)
        #expect(world.prompter.questions.first?.items.first?.request.purpose == "Say hello")
        #expect(await world.gatekeeper.requestAccess(for: .camera, purpose: "Scan a code"))
    }

    @Test("Whoever is not known is asked nothing and refused")
    func unknownSubject() async {
        let world = World(subject: .failure(CaptureError(.unavailable, "There is no /proc.")))
        let capture = Capture(Capability.Microphone())
        #expect(await world.queue.add(capture).result.error?.kind == .notAuthorized)
        #expect(world.prompter.questions.isEmpty)
        #expect(capture.executions.count == 0)
    }
}
