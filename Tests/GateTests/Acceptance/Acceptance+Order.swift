import GateTestKit
import Testing

@testable import Gate

extension Acceptance {
    @Suite("Order")
    struct Order {
        /// Waits until both of its kind are being evaluated, so that one after the other would never end.
        func condition(_ steps: Record<String>, _ together: Signal) -> BlockCondition {
            BlockCondition {
                steps.append("condition")
                together.raise()
                await together.reached(2)
                return true
            }
        }

        @Test(
            """
            Order: dependencies finish → conditions that ask nothing, all at once → produced dependencies (asking) → \
            evaluation → locks → authorization read again and permit minted → execute
            """, arguments: Pace.allCases)
        func order(_ pace: Pace) async {
            enum Lock {}
            let world = World(pace)
            let steps = Record<String>()
            let (together, gate, locked, unlock) = (Signal(), Signal(), Signal(), Signal())
            world.prompter.reply { _ in
                await pace.pass()
                steps.append("question")
                return .allow(.always)
            }
            world.store.beforeSnapshot { _ in steps.append("read") }
            let holder = world.queue.add(
                ClosureOperation { _ in
                    locked.raise()
                    await unlock.reached()
                }.adding(MutuallyExclusive<Lock>()))
            await locked.reached()
            let before = world.queue.add(
                ClosureOperation { _ in
                    await gate.reached()
                    steps.append("dependency")
                })
            let producing = Producing(ClosureOperation { _ in steps.append("produced") }) { steps.append("evaluation") }
            var capture = Capture(
                Capability.Microphone(),
                conditions: [
                    condition(steps, together), MutuallyExclusive<Lock>(), producing, condition(steps, together),
                ])
            capture.addObserver(BlockObserver(willExecute: { _ in steps.append("execute") }))
            let handle = world.queue.add(capture, after: [before])
            // Somebody else comes all the way through in between.
            #expect(
                await GateQueue(gatekeeper: world.gatekeeper).add(ClosureOperation { _ in 1 }).result == .success(1))
            #expect(steps.all.isEmpty)
            gate.raise()
            while world.gatekeeper.locks.waiting == 0, capture.executions.count == 0 { await Task.yield() }
            steps.append("lock")
            unlock.raise()
            #expect(await handle.result.error == nil)
            await holder.result.ignore()
            check(steps.all)
        }

        private func check(_ steps: [String]) {
            let words = steps.filter { $0 != "read" }
            #expect(Array(words.prefix(3)) == ["dependency", "condition", "condition"])
            #expect(Set(words.dropFirst(3).prefix(3)) == ["produced", "question", "evaluation"])
            #expect(Array(words.suffix(2)) == ["lock", "execute"])
            // The authorization is read once more between lock and execution, for the permit.
            let last = steps.split(separator: "lock", maxSplits: 1).last?.split(separator: "execute").first
            #expect(last == ["read"])
        }
    }
}
