import Gate
import Testing

@Suite("Conditions")
struct ConditionTests {
    typealias Microphone = Capability.Microphone

    func outcome(_ world: World, _ conditions: any OperationCondition...) async -> CaptureError? {
        var operation = BlockOperation { _ in }
        operation.conditions = conditions
        switch await world.queue.add(operation).result {
        case .success: return nil
        case .failure(.refused(let error)): return error
        case .failure(.cancelled): return CaptureError(.cancelled, "")
        }
    }

    @Test("Silent never asks, also where it holds And, Or, Negated or another composition", arguments: Pace.allCases)
    func silent(_ pace: Pace) async {
        let world = World(pace)
        let asking = AuthorizedFor(Microphone())
        let compositions: [any OperationCondition] = [
            SilentCondition(asking), SilentCondition(AndCondition(asking, asking)),
            SilentCondition(OrCondition(asking, asking)), SilentCondition(NegatedCondition(NegatedCondition(asking))),
            SilentCondition(AndCondition(OrCondition(NegatedCondition(NegatedCondition(asking))))),
            SilentCondition(Wrapping(condition: asking)), SilentCondition(Sneaky()),
        ]
        for condition in compositions { #expect(await outcome(world, condition) != nil) }
        #expect(await outcome(world, SilentCondition(IgnoredCondition(asking))) == nil)
        #expect(await outcome(world, SilentCondition(NegatedCondition(asking))) == nil)
        #expect(world.prompter.questions.isEmpty)
    }

    /// A condition of somebody else's that has another one as a part.
    struct Wrapping<Part: OperationCondition>: OperationCondition {
        let condition: Part
        func dependency(in context: OperationContext) async -> (any GateOperation)? {
            await condition.dependency(in: context)
        }
        func evaluate(in context: OperationContext) async -> ConditionResult { await condition.evaluate(in: context) }
    }

    /// A condition that asks where it must not.
    struct Sneaky: OperationCondition {
        func evaluate(in context: OperationContext) async -> ConditionResult {
            let status = await context.gatekeeper.requestAccess(for: Microphone())
            return status.isAuthorized ? .satisfied : .failed(CaptureError(.notAuthorized, "No."))
        }
    }

    @Test("A condition of one's own that wraps a composition asks what is open in it")
    func wrapping() async {
        let world = World()
        #expect(await outcome(world, Wrapping(condition: AndCondition(AuthorizedFor(Microphone())))) == nil)
        #expect(world.prompter.questions.count == 1)
    }

    @Test(
        "A silent outer condition on a ComposedOperation keeps the noisy inner one from asking",
        arguments: Pace.allCases)
    func silentOuter(_ pace: Pace) async {
        let world = World(pace)
        let memo = Capture(Microphone())
        var bonus = ComposedOperation(memo)
        bonus.addCondition(SilentCondition(AuthorizedFor(Microphone())))
        #expect(await world.queue.add(bonus).result.error?.kind == .notAuthorized)
        #expect(world.prompter.questions.isEmpty && memo.executions.count == 0)
        world.decide(.allow)
        #expect(await world.queue.add(bonus).result.error == nil)
        #expect(memo.openings.count == 1)
    }

    @Test(
        "Negated(Silent(AuthorizedFor)) runs the fallback when denied, restricted or absent", arguments: Pace.allCases)
    func fallback(_ pace: Pace) async {
        let condition = NegatedCondition(SilentCondition(AuthorizedFor(Microphone())))
        let denied = World(pace)
        denied.decide(.deny)
        #expect(await outcome(denied, condition) == nil)
        let restricted = World(pace)
        restricted.kill(.microphone)
        #expect(await outcome(restricted, condition) == nil)
        let absent = World(pace)
        absent.directory.set(.microphone, [])
        #expect(await outcome(absent, condition) == nil)
        let allowed = World(pace)
        allowed.decide(.allow)
        #expect(await outcome(allowed, condition)?.kind == .conditionFailed)
    }

    @Test("Negated(AuthorizedFor) with NoFailedDependencies succeeds", arguments: Pace.allCases)
    func negatedAndNoFailed(_ pace: Pace) async {
        for answer in [Answer.deny, .dismissed] {
            let world = World(pace, answer: answer)
            let first = world.queue.add(BlockOperation { _ in })
            var operation = BlockOperation { _ in }
            operation.conditions = [
                NegatedCondition(AuthorizedFor(Microphone())), NoFailedDependenciesCondition(),
            ]
            #expect(await world.queue.add(operation, after: [first]).result.error == nil)
            #expect(world.prompter.questions.count == 1)
        }
    }

    @Test(
        "A failed condition that asks nothing suppresses every question of the same operation", arguments: Pace.allCases
    )
    func suppresses(_ pace: Pace) async {
        let world = World(pace)
        let slow = BlockCondition("The lid is open") {
            await pace.pass()
            return false
        }
        #expect(await outcome(world, AuthorizedFor(Microphone()), slow)?.message == "The lid is open does not hold.")
        #expect(world.prompter.questions.isEmpty)
    }

    @Test("Conditions that ask nothing are evaluated all at once")
    func allAtOnce() async {
        let world = World()
        let together = Signal()
        // Each waits until all three are being evaluated.
        func waiting() -> BlockCondition {
            BlockCondition {
                together.raise()
                await together.reached(3)
                return true
            }
        }
        #expect(await outcome(world, waiting(), AndCondition(waiting(), waiting())) == nil)
    }

    @Test(
        "Where Or is decided without asking nobody is asked; where an answer decides it the other question is withdrawn",
        arguments: Pace.allCases)
    func orWithdraws(_ pace: Pace) async {
        let world = World(pace)
        #expect(await outcome(world, OrCondition(AuthorizedFor(Microphone()), BlockCondition { true })) == nil)
        #expect(world.prompter.questions.isEmpty)

        let asked = World(pace)
        let either = OrCondition(AuthorizedFor(Microphone()), AuthorizedFor(Capability.Camera()))
        #expect(await outcome(asked, either) == nil)
        #expect(asked.prompter.questions.count == 1)
    }

    @Test("Where an answer has not settled it the next question is put, one after another", arguments: Pace.allCases)
    func next(_ pace: Pace) async {
        let world = World(pace)
        world.prompter.reply { $0.items[0].request.capability == .camera ? .allow(.always) : .deny }
        let either = OrCondition(
            AuthorizedFor(Microphone()), AuthorizedFor(Microphone(.meter)), AuthorizedFor(Capability.Camera()))
        #expect(await outcome(world, either, AuthorizedFor(Capability.Camera())) == nil)
        #expect(world.prompter.questions.contains { $0.items[0].request.capability == .camera })
        #expect(world.prompter.mostOpen == 1)
        let both = World(pace)
        #expect(await outcome(both, AuthorizedFor(Microphone()), AuthorizedFor(Capability.Camera())) == nil)
        #expect(both.prompter.questions.count == 2)
    }

    @Test("Where a failure decides, the question still open is withdrawn", arguments: Pace.allCases)
    func failureWithdraws(_ pace: Pace) async {
        let world = World(pace, answer: .deny)
        let error = await outcome(world, AuthorizedFor(Microphone()), AuthorizedFor(Capability.Camera()))
        #expect(error?.kind == .notAuthorized)
        #expect(world.prompter.questions.count == 1)
        #expect(world.store.decisions.count == 1)
        // The turn is free again.
        world.prompter.reply(.allow(.always))
        let both = [
            await world.gatekeeper.requestAccess(for: Capability.Camera()),
            await world.gatekeeper.requestAccess(for: Microphone()),
        ]
        #expect(both.filter(\.isAuthorized).count == 1)
    }

    @Test("A question that is open when its answer no longer matters is dismissed on the screen")
    func openQuestionWithdrawn() async {
        let world = World()
        let isWithdrawn = Signal()
        world.prompter.reply { _ in
            await untilCancelled()
            isWithdrawn.raise()
            return .dismissed
        }
        let asking = OrCondition(AuthorizedFor(Microphone()), Producing(after: world.prompter.asked))
        #expect(await outcome(world, asking) == nil)
        await isWithdrawn.reached()
        #expect(world.store.decisions.isEmpty)
    }

    /// Needs something to run first, which ends when `signal` has risen.
    struct Producing: OperationCondition {
        let after: Signal
        func dependency(in context: OperationContext) async -> (any GateOperation)? {
            BlockOperation { _ in await after.reached() }
        }
        func evaluate(in context: OperationContext) async -> ConditionResult { .satisfied }
    }

    @Test("Errors of all failed conditions are reported, not the first alone", arguments: Pace.allCases)
    func allErrors(_ pace: Pace) async {
        let world = World(pace)
        world.decide(.deny)
        let error = await outcome(
            world, BlockCondition("A") { false }, AuthorizedFor(Microphone()),
            AndCondition(
                BlockCondition("B") { false }, BlockCondition("C") { throw CaptureError(.badInput, "C is torn.") }))
        #expect(error?.kind == .conditionFailed)
        #expect(error?.underlying.map(\.kind) == [.conditionFailed, .notAuthorized, .conditionFailed, .badInput])
        #expect(error?.message.contains("A does not hold.") == true && error?.message.contains("C is torn.") == true)
    }

    @Test("And, Or, Negated and Ignored come to what logic says")
    func logic() async {
        let world = World()
        let yes = BlockCondition { true }
        let no = BlockCondition { false }
        #expect(await outcome(world, AndCondition()) == nil)
        #expect(await outcome(world, OrCondition()) != nil)
        #expect(await outcome(world, AndCondition(yes, yes)) == nil)
        #expect(await outcome(world, AndCondition(yes, no)) != nil)
        #expect(await outcome(world, OrCondition(no, yes)) == nil)
        #expect(await outcome(world, OrCondition(no, no))?.underlying.count == 2)
        #expect(await outcome(world, NegatedCondition(no)) == nil)
        #expect(await outcome(world, NegatedCondition(yes)) != nil)
        #expect(await outcome(world, IgnoredCondition(no)) == nil)
        #expect(await outcome(world, NegatedCondition(IgnoredCondition(no))) != nil)
    }

    @Test("NoFailedDependencies tells failed from cancelled, and names both")
    func failedDependencies() async {
        let world = World()
        world.queue.suspend()
        let failing = world.queue.add(
            BlockOperation("Load") { _ throws(CaptureError) in throw CaptureError(.badInput, "It is torn.") })
        let cancelled = world.queue.add(BlockOperation("Wait") { _ in })
        cancelled.cancel()
        let strict = BlockOperation { _ in }.adding(NoFailedDependenciesCondition())
        let lenient = BlockOperation { _ in }.adding(NoFailedDependenciesCondition(ignoringCancelled: true))
        let handles = [
            world.queue.add(strict, after: [failing]), world.queue.add(strict, after: [cancelled]),
            world.queue.add(lenient, after: [cancelled]), world.queue.add(lenient, after: [failing, cancelled]),
        ]
        world.queue.resume()
        var errors: [CaptureError?] = []
        for handle in handles {
            guard case .refused(let error) = await handle.result.error else {
                errors.append(nil)
                continue
            }
            errors.append(error)
        }
        #expect(errors.map { $0?.kind } == [.conditionFailed, .cancelled, nil, .conditionFailed])
        #expect(errors[0]?.message.contains("Load") == true && errors[1]?.message.contains("Wait") == true)
    }
}
