import Gate
import Testing

@Suite("Scale and neighbours")
struct ScaleTests {
    @Test("A hundred thousand operations leave nothing behind", arguments: [Int.max, 2])
    func many(_ width: Int) async {
        let world = World(width: width)
        let done = Record<Void>()
        for _ in 0..<50 {
            for _ in 0..<1_000 { world.queue.add(BlockOperation { _ in }) }
            await world.queue.waitUntilEmpty()
            done.append(())
        }
        #expect(done.all.count == 50 && world.queue.count == 0)
    }

    /// One turn at a time, for all who share it, as processes share a lock.
    final class SharedTurns: QuestionTurns {
        private final class Turn: QuestionTurn {
            private let end: @Sendable () -> Void
            init(_ end: @escaping @Sendable () -> Void) { self.end = end }
            deinit { end() }
        }

        private let isTaken = Locked(false)
        let taken = Signal()

        func take(for subject: Subject) async throws(CaptureError) -> any QuestionTurn {
            while isTaken.withLock({ isTaken in
                defer { isTaken = true }
                return isTaken
            }) {
                if Task.isCancelled { throw CaptureError(.cancelled, "withdrawn") }
                await Task.yield()
            }
            taken.raise()
            return Turn { [self] in isTaken.withLock { $0 = false } }
        }
    }

    @Test("Two processes asking at the same time for the same subject see one question")
    func processes() async {
        let world = World()
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
                    subject: .success(world.subject), store: world.store, prompter: world.prompter,
                    directory: world.directory, clock: world.clock, turns: turns))
        }
        let handles = queues.map { $0.add(Capture(Capability.Microphone())) }
        await world.prompter.asked.reached()
        gate.raise()
        for handle in handles { #expect(await handle.result.error == nil) }
        #expect(world.prompter.questions.count == 1 && world.prompter.mostOpen == 1)
    }

    @Test("A lock for questions that can't be taken refuses, and asks nobody")
    func noTurns() async {
        struct Broken: QuestionTurns {
            func take(for subject: Subject) async throws(CaptureError) -> any QuestionTurn {
                throw CaptureError(.store, "The lock can't be made.")
            }
        }
        let world = World()
        let gatekeeper = Gatekeeper(
            subject: .success(world.subject), store: world.store, prompter: world.prompter,
            directory: world.directory, clock: world.clock, turns: Broken())
        let capture = Capture(Capability.Microphone())
        #expect(await GateQueue(gatekeeper: gatekeeper).add(capture).result.error?.kind == .store)
        #expect(world.prompter.questions.isEmpty && capture.executions.count == 0)
    }
}
