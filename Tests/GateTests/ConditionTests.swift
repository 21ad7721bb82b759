import Gate
import GateTestKit
import Testing

@Suite("Conditions")
struct ConditionTests {
    typealias Microphone = Capability.Microphone

    @Test("A condition of one's own that wraps a composition asks what is open in it")
    func wrapping() async {
        let world = World()
        #expect(await world.refusal(by: Wrapping(condition: AndCondition(AuthorizedFor(Microphone())))) == nil)
        #expect(world.prompter.questions.count == 1)
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
        #expect(await world.refusal(by: waiting(), AndCondition(waiting(), waiting())) == nil)
    }

    @Test("Where an answer has not settled it the next question is put, one after another", arguments: Pace.allCases)
    func next(_ pace: Pace) async {
        let world = World(pace)
        world.prompter.reply { $0.items[0].request.capability == .camera ? .allow(.always) : .deny }
        let either = OrCondition(
            AuthorizedFor(Microphone()), AuthorizedFor(Microphone(.meter)), AuthorizedFor(Capability.Camera()))
        #expect(await world.refusal(by: either, AuthorizedFor(Capability.Camera())) == nil)
        #expect(world.prompter.questions.contains { $0.items[0].request.capability == .camera })
        #expect(world.prompter.mostOpen == 1)
        let both = World(pace)
        #expect(await both.refusal(by: AuthorizedFor(Microphone()), AuthorizedFor(Capability.Camera())) == nil)
        #expect(both.prompter.questions.count == 2)
    }

    @Test("And, Or, Negated and Ignored come to what logic says")
    func logic() async {
        let world = World()
        let yes = BlockCondition { true }
        let no = BlockCondition { false }
        #expect(await world.refusal(by: AndCondition()) == nil)
        #expect(await world.refusal(by: OrCondition()) != nil)
        #expect(await world.refusal(by: AndCondition(yes, yes)) == nil)
        #expect(await world.refusal(by: AndCondition(yes, no)) != nil)
        #expect(await world.refusal(by: OrCondition(no, yes)) == nil)
        #expect(await world.refusal(by: OrCondition(no, no))?.underlying.count == 2)
        #expect(await world.refusal(by: NegatedCondition(no)) == nil)
        #expect(await world.refusal(by: NegatedCondition(yes)) != nil)
        #expect(await world.refusal(by: IgnoredCondition(no)) == nil)
        #expect(await world.refusal(by: NegatedCondition(IgnoredCondition(no))) != nil)
    }

    @Test("NoFailedDependencies tells failed from cancelled, and names both")
    func failedDependencies() async {
        let world = World()
        world.queue.suspend()
        let failing = world.queue.add(
            ClosureOperation("Load") { _ throws(CaptureError) in throw CaptureError(.badInput, "It is torn.") })
        let cancelled = world.queue.add(ClosureOperation("Wait") { _ in })
        cancelled.cancel()
        let strict = ClosureOperation { _ in }.adding(NoFailedDependenciesCondition())
        let lenient = ClosureOperation { _ in }.adding(NoFailedDependenciesCondition(ignoringCancelled: true))
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
