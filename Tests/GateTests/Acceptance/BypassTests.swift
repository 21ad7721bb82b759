import Gate
import GateTestKit
import Testing

extension Acceptance {
    /// Composition can't be used to get around the gate: whatever surrounds a capture, the permit decides.
    @Suite("Bypasses")
    struct BypassTests {
        typealias Microphone = Capability.Microphone

        /// A way to have a capture run.
        struct Attack: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let run: @Sendable (World, Capture<Microphone>) async -> Void

            init(_ name: String, _ run: @escaping @Sendable (World, Capture<Microphone>) async -> Void) {
                testDescription = name
                self.run = run
            }

            /// The capture with conditions, bare and as a part of an operation that has the same.
            init(_ name: String, with conditions: any OperationCondition...) {
                self.init(name) { world, capture in
                    var capture = capture
                    capture.conditions = conditions
                    await world.queue.add(capture).result.ignore()
                    var composed = ComposedOperation(capture)
                    composed.conditions = conditions
                    await world.queue.add(composed).result.ignore()
                }
            }
        }

        static let yes = BlockCondition { true }
        static let asking = AuthorizedFor(Microphone())

        static let conditions: [Attack] = [
            Attack("nothing"), Attack("BlockCondition { true }", with: yes),
            Attack("Ignored(AuthorizedFor)", with: IgnoredCondition(asking)),
            Attack("Ignored(no)", with: IgnoredCondition(BlockCondition { false })),
            Attack("Or(AuthorizedFor, yes)", with: OrCondition(asking, yes)),
            Attack("Negated(Negated(yes))", with: NegatedCondition(NegatedCondition(yes))),
            Attack(
                "Or(Ignored, Negated)",
                with: OrCondition(IgnoredCondition(asking), NegatedCondition(SilentCondition(asking)))),
            Attack("And()", with: AndCondition()),
            Attack("Silent(Ignored)", with: SilentCondition(IgnoredCondition(asking))),
        ]

        @Test(
            "11. Ignored and Or can never let a capture run without authorization: the permit decides.",
            arguments: Pace.allCases, conditions)
        func composition(_ pace: Pace, _ attack: Attack) async {
            await expectNothing(of: attack, pace)
        }

        @Test("No shape around a capture lets one frame through", arguments: Pace.allCases, Attack.shapes)
        func shapes(_ pace: Pace, _ attack: Attack) async {
            await expectNothing(of: attack, pace)
        }

        /// With any refusal, nothing is opened; if everything is granted, the same shape does capture.
        private func expectNothing(of attack: Attack, _ pace: Pace) async {
            for refused in Refused.allCases {
                let world = refused.world(pace)
                let capture = Capture(Microphone())
                await attack.run(world, capture)
                await world.queue.waitUntilEmpty()
                world.store.fail(with: nil)
                #expect(capture.executions.count == 0 && capture.frames.count == 0, "\(refused)")
                #expect(world.store.events(.start).isEmpty, "\(refused)")
            }
            let granted = World(pace)
            granted.decide(.allow)
            let capture = Capture(Microphone())
            await attack.run(granted, capture)
            await granted.queue.waitUntilEmpty()
            #expect(capture.frames.count > 0)
        }
    }
}
