import GateTestKit
import Testing

@testable import Gate

/// How often the store is read for a question, and that no change between two points that matter is missed.
@Suite("Readings of the store")
struct StoreReadingTests {
    typealias Microphone = Capability.Microphone
    enum Category {}

    /// Readings up to the opening; once a capture runs, its watcher reads on its own queue whenever something changes.
    private func countReadings(of world: World) -> Signal {
        let readings = Signal()
        world.store.beforeSnapshot { _ in
            if world.store.events(.start).isEmpty { readings.raise() }
        }
        return readings
    }

    @Test("Four for a question that is asked: before it, after the answer, for the permit, at the opening")
    func four() async throws {
        let world = World()
        let readings = countReadings(of: world)
        let counts = Record<Int>()
        world.prompter.reply { _ in
            counts.append(readings.count)
            return .allow(.once)
        }
        var capture = Capture(Microphone())
        capture.addObserver(BlockObserver(willExecute: { _ in counts.append(readings.count) }))
        capture.during = { _ in counts.append(readings.count) }
        try await world.queue.run(capture)
        #expect(counts.all == [1, 3, 4])
    }

    /// Decides while somebody waits for the turn to ask, as another process does.
    private final class DecidingLock: PromptLock {
        final class Token: PromptLockToken {}
        let decide: @Sendable () -> Void

        init(_ decide: @escaping @Sendable () -> Void) {
            self.decide = decide
        }

        func take(for subject: Subject) async throws(CaptureError) -> any PromptLockToken {
            decide()
            return Token()
        }
    }

    @Test("Decided elsewhere before the question's turn: it is not asked", arguments: [Decision.Verdict.allow, .deny])
    func beforeAsking(_ verdict: Decision.Verdict) async {
        let world = World()
        let gatekeeper = Gatekeeper(
            as: .rig, subject: .success(world.subject), store: world.store, policy: world.policy,
            prompter: world.prompter, directory: world.directory, clock: world.clock,
            promptLock: DecidingLock { world.decide(verdict) })
        let capture = Capture(Microphone())
        let error = await GateQueue(gatekeeper: gatekeeper).add(capture).result.error
        #expect(world.prompter.questions.isEmpty)
        #expect((error == nil) == (verdict == .allow) && capture.openings.count == (verdict == .allow ? 1 : 0))
    }

    @Test("Switched off by the policy before the question's turn, while the store stays as it is: it is not asked")
    func policyBeforeAsking() async {
        let world = World()
        let deny: @Sendable (PolicyQuery) -> PolicyVerdict = { _ in
            .deny(Restriction(cause: .policyUnreadable(file: "a.yaml"), reason: "torn", remedies: []))
        }
        let gatekeeper = Gatekeeper(
            as: .rig, subject: .success(world.subject), store: world.store, policy: world.policy,
            prompter: world.prompter, directory: world.directory, clock: world.clock,
            promptLock: DecidingLock { world.policy.set(deny) })
        let error = await GateQueue(gatekeeper: gatekeeper).add(Capture(Microphone())).result.error
        #expect(world.prompter.questions.isEmpty && error?.kind == .configuration)
    }

    @Test("Denied between the answer and the next reading: refused, not executed")
    func afterAnswer() async {
        let world = World()
        world.store.beforeSnapshot { number in
            if number == 2 { world.decide(.deny) }
        }
        let capture = Capture(Microphone())
        #expect(await world.queue.add(capture).result.error?.kind == .notAuthorized)
        #expect(world.prompter.questions.count == 1 && capture.executions.count == 0)
    }

    @Test("Denied while it waits for its locks: refused, not executed")
    func afterLocks() async {
        let world = World()
        let (began, gate) = (Signal(), Signal())
        world.queue.add(
            ClosureOperation { _ in
                began.raise()
                await gate.reached()
            }.adding(MutuallyExclusive<Category>()))
        await began.reached()
        let capture = Capture(Microphone(), conditions: [MutuallyExclusive<Category>()])
        let handle = world.queue.add(capture)
        while world.gatekeeper.locks.waiting == 0 { await Task.yield() }
        world.decide(.deny)
        gate.raise()
        #expect(await handle.result.error?.kind == .notAuthorized)
        #expect(world.prompter.questions.count == 1 && capture.executions.count == 0)
    }

    @Test("Denied between the permit and the opening: executed, and nothing is opened")
    func atOpening() async {
        let world = World()
        var capture = Capture(Microphone())
        capture.addObserver(BlockObserver(willExecute: { _ in world.decide(.deny) }))
        #expect(await world.queue.add(capture).result.error != nil)
        #expect(capture.executions.count == 1 && capture.openings.count == 0)
    }

    @Test("The report of another gatekeeper, or of other devices, is no answer to a condition")
    func foreignReport() async {
        let (world, other) = (World(), World())
        world.decide(.deny)
        other.decide(.allow)
        other.decide(.allow, .camera, .video)
        let reports = [
            await other.gatekeeper.report(on: Microphone()), await other.gatekeeper.report(on: Capability.Camera()),
        ]
        for report in reports {
            let produced = ClosureOperation { _ in report }
            let condition = Answered(condition: AuthorizedFor(Microphone()), question: produced)
            let handle = world.queue.add(ClosureOperation { _ throws(CaptureError) in }.adding(condition))
            #expect(await handle.result.error?.kind == .notAuthorized)
        }
    }
}

/// Evaluates a condition by the answer of its own operation.
private struct Answered<Part: OperationCondition>: OperationCondition {
    let condition: Part
    let question: ClosureOperation<AuthorizationReport, Never>

    func dependency(in context: OperationContext) async -> (any GateOperation)? { question }
    func evaluate(in context: OperationContext) async -> ConditionResult { await condition.evaluate(in: context) }
}
