import GateTestKit
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
                while world.gatekeeper.prompts.waiting < 20 { await Task.yield() }
                gate.raise()
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count == 20)
            #expect(statuses.allSatisfy { $0.isAuthorized == (answer == .allow(.always)) })
            #expect(world.prompter.questions.count == 1)
            #expect(world.store.events.count == 1)
        }
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
        while world.gatekeeper.prompts.waiting < 2 { await Task.yield() }
        gate.raise()
        for handle in [first, second] { #expect(await handle.result.error == nil) }
        #expect(world.prompter.questions.count == 1)
    }

    @Test("What is granted already is not asked again with the rest")
    func onlyWhatIsOpen() async throws {
        let world = World(answer: .allow(.once))
        world.decide(.allow, .camera, .video)
        try await world.queue.run(Capture(Capability.All(Capability.Camera(), Capability.Microphone())))
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

    @Test("Whoever is not known is asked nothing and refused")
    func unknownSubject() async {
        let world = World(subject: .failure(CaptureError(.unavailable, "There is no /proc.")))
        let capture = Capture(Capability.Microphone())
        #expect(await world.queue.add(capture).result.error?.kind == .notAuthorized)
        #expect(world.prompter.questions.isEmpty)
        #expect(capture.executions.count == 0)
    }

    @Test("Where nobody can be asked it says so, with what helps")
    func nobodyToAsk() async {
        let world = World()
        world.prompter.block(CaptureError(.unavailable, "There is no terminal."))
        let error = await world.queue.add(Capture(Capability.Camera())).result.error?.captureError
        #expect(error?.kind == .notAuthorized)
        #expect(error?.message.contains("There is no terminal.") == true)
        let permission = Remedy.Permission("camera", to: "/usr/bin/recorder", level: "video", isOnce: true)
        #expect(error?.remedies.first?.action == .grant(permission))
        #expect(world.prompter.questions.isEmpty)
    }

    @Test("A lock for questions that can't be taken refuses, and asks nobody")
    func noTurns() async {
        struct Broken: PromptLock {
            func take(for subject: Subject) async throws(CaptureError) -> any PromptLockToken {
                throw CaptureError(.store, "The lock can't be made.")
            }
        }
        let world = World()
        let gatekeeper = Gatekeeper(
            as: .rig, subject: .success(world.subject), store: world.store, prompter: world.prompter,
            directory: world.directory, clock: world.clock, promptLock: Broken())
        let capture = Capture(Capability.Microphone())
        #expect(await GateQueue(gatekeeper: gatekeeper).add(capture).result.error?.kind == .store)
        #expect(world.prompter.questions.isEmpty && capture.executions.count == 0)
    }
}
