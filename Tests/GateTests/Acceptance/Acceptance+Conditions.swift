import Gate
import GateTestKit
import Testing

extension Acceptance {
    @Suite("Conditions")
    struct Conditions {
        typealias Microphone = Capability.Microphone

        @Test(
            "7. Silent(x) never asks, also where x is And, Or, Negated or another composition.",
            arguments: Pace.allCases)
        func silent(_ pace: Pace) async {
            let world = World(pace)
            let asking = AuthorizedFor(Microphone())
            let confirming = UserConfirmationCondition("Go on?")
            let compositions: [any OperationCondition] = [
                SilentCondition(asking), SilentCondition(AndCondition(asking, asking)),
                SilentCondition(OrCondition(asking, asking)),
                SilentCondition(NegatedCondition(NegatedCondition(asking))),
                SilentCondition(AndCondition(OrCondition(NegatedCondition(NegatedCondition(asking))))),
                SilentCondition(Wrapping(condition: asking)), SilentCondition(Sneaky()), SilentCondition(confirming),
                AndCondition(SilentCondition(SilentCondition(asking)), SilentCondition(confirming)),
            ]
            for condition in compositions { #expect(await world.refusal(by: condition) != nil) }
            #expect(await world.refusal(by: SilentCondition(IgnoredCondition(asking))) == nil)
            #expect(await world.refusal(by: SilentCondition(NegatedCondition(asking))) == nil)
            #expect(world.prompter.questions.isEmpty && world.prompter.confirmations.isEmpty)
        }

        @Test(
            "8. A silent outer condition on a ComposedOperation keeps the noisy inner one from asking.",
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
            "9. Negated(Silent(AuthorizedFor)) runs the fallback when denied, restricted or absent.",
            arguments: Pace.allCases)
        func fallback(_ pace: Pace) async {
            let condition = NegatedCondition(SilentCondition(AuthorizedFor(Microphone())))
            for refused in Refused.allCases { #expect(await refused.world(pace).refusal(by: condition) == nil) }
            let allowed = World(pace)
            allowed.decide(.allow)
            #expect(await allowed.refusal(by: condition)?.kind == .conditionFailed)
        }

        @Test("9. Negated(AuthorizedFor) with NoFailedDependencies succeeds.", arguments: Pace.allCases)
        func negatedAndNoFailed(_ pace: Pace) async {
            for answer in [Answer.deny, .dismissed] {
                let world = World(pace, answer: answer)
                let first = world.queue.add(ClosureOperation { _ in })
                let operation = ClosureOperation { _ in }.adding(
                    NegatedCondition(AuthorizedFor(Microphone())), NoFailedDependenciesCondition())
                #expect(await world.queue.add(operation, after: [first]).result.error == nil)
                #expect(world.prompter.questions.count == 1)
            }
        }

        @Test(
            "10. A failed condition that asks nothing suppresses every question of the same operation.",
            arguments: Pace.allCases)
        func suppresses(_ pace: Pace) async {
            let world = World(pace)
            let slow = BlockCondition("The lid is open") {
                await pace.pass()
                return false
            }
            let refusal = await world.refusal(
                by: AuthorizedFor(Microphone()), UserConfirmationCondition("Go on?"), slow,
                Wrapping(condition: AuthorizedFor(Capability.Camera())))
            #expect(refusal?.message == "The condition \"The lid is open\" is not true.")
            #expect(world.prompter.questions.isEmpty && world.prompter.confirmations.isEmpty)
        }

        @Test("12. Where Or already decides, the question still open is withdrawn.", arguments: Pace.allCases)
        func orWithdraws(_ pace: Pace) async {
            let world = World(pace)
            let asking = AuthorizedFor(Microphone())
            #expect(await world.refusal(by: OrCondition(asking, BlockCondition { true })) == nil)
            #expect(world.prompter.questions.isEmpty)

            let asked = World(pace)
            #expect(await asked.refusal(by: OrCondition(asking, AuthorizedFor(Capability.Camera()))) == nil)
            #expect(asked.prompter.questions.count == 1)

            // One that is on the screen is dismissed.
            let open = World(pace)
            let isWithdrawn = Signal()
            open.prompter.reply { _ in
                await untilCancelled()
                isWithdrawn.raise()
                return .dismissed
            }
            let other = Producing(ClosureOperation { _ in await open.prompter.asked.reached() })
            #expect(await open.refusal(by: OrCondition(asking, other)) == nil)
            await isWithdrawn.reached()
            #expect(open.store.decisions.isEmpty)
        }

        @Test("12. Where a failure already decides, the question still open is withdrawn.", arguments: Pace.allCases)
        func failureWithdraws(_ pace: Pace) async {
            let world = World(pace, answer: .deny)
            let refusal = await world.refusal(
                by: AuthorizedFor(Microphone()), AuthorizedFor(Capability.Camera()))
            #expect(refusal?.kind == .notAuthorized)
            #expect(world.prompter.questions.count == 1 && world.store.decisions.count == 1)
            // The turn is free again: the one that was not asked is.
            world.prompter.reply(.allow(.always))
            let both = [
                await world.gatekeeper.requestAccess(for: Capability.Camera()),
                await world.gatekeeper.requestAccess(for: Microphone()),
            ]
            #expect(both.filter(\.isAuthorized).count == 1)
        }

        @Test(
            "21. Errors of all failed conditions are reported, not the first alone.", arguments: Pace.allCases)
        func allErrors(_ pace: Pace) async {
            let world = World(pace)
            world.decide(.deny)
            let refusal = await world.refusal(
                by: BlockCondition("A") { false }, AuthorizedFor(Microphone()),
                AndCondition(
                    BlockCondition("B") { false }, BlockCondition("C") { throw CaptureError(.badInput, "C is torn.") }))
            #expect(refusal?.kind == .conditionFailed)
            #expect(
                refusal?.underlying.map(\.kind) == [.conditionFailed, .notAuthorized, .conditionFailed, .badInput])
            let message = refusal?.message ?? ""
            for part in ["\"A\" is not true", "\"B\" is not true", "denied on", "C is torn."] {
                #expect(message.contains(part))
            }
        }
    }
}
