import Gate
import GateTestKit

extension Acceptance.BypassTests.Attack {
    /// Operations around a capture.
    static let shapes: [Self] = [
        Self("a group") { world, capture in
            var inner = GroupOperation()
            inner.add(capture)
            var outer = GroupOperation().adding(OrCondition(BlockCondition { true }))
            outer.add(inner)
            await world.queue.add(outer).result.ignore()
        },
        Self("a retry") { world, capture in
            await world.queue.add(RetryOperation(capture, attempts: 3, clock: ManualClock()) { _ in true }).result
                .ignore()
        },
        Self("a repeat") { world, capture in
            await world.queue.add(RepeatOperation(capture, limit: 3, clock: ManualClock())).result.ignore()
        },
        Self("a composed operation in a composed operation") { world, capture in
            await world.queue.add(ComposedOperation(ComposedOperation(capture))).result.ignore()
        },
        Self("map") { world, capture in await world.queue.add(capture.map(\.count)).result.ignore() },
        Self("flatMap") { world, capture in
            let first = ClosureOperation { _ throws(CaptureError) in 1 }
            await world.queue.add(first.flatMap { _ in capture }).result.ignore()
        },
        Self("inject") { world, capture in
            let number = world.queue.add(ClosureOperation { _ in 1 })
            await world.queue.add(injecting: number) { _ in capture }.result.ignore()
        },
        Self("a part of another operation") { world, capture in
            await world.queue.add(ClosureOperation { await $0.perform(capture).ignore() }).result.ignore()
        },
        Self("another queue inside another operation") { world, capture in
            let other = GateQueue(gatekeeper: world.gatekeeper)
            await world.queue.add(ClosureOperation { _ in await other.outcome(of: capture).ignore() }).result.ignore()
        },
        Self("a dependency that succeeded") { world, capture in
            let before = world.queue.add(ClosureOperation { _ in })
            await world.queue.add(capture, after: [before]).result.ignore()
        },
        Self("an operation without conditions of its own") { world, capture in
            await world.queue.add(Unconditional(capture: capture)).result.ignore()
        },
        Self("an operation that performs the capture by hand") { world, capture in
            await world.queue.add(ClosureOperation { await capture.perform(in: $0).ignore() }).result.ignore()
        },
        Self("a condition that adds operations") { world, capture in
            let queue = world.queue
            let adding = BlockCondition {
                queue.add(capture)
                return true
            }
            await queue.add(ClosureOperation { _ in }.adding(adding)).result.ignore()
        },
        Self("a condition that waits for the operation it adds") { world, capture in
            let queue = world.queue
            let adding = BlockCondition { await queue.add(capture).result.error == nil }
            await queue.add(ClosureOperation { _ in }.adding(adding)).result.ignore()
        },
        Self("a condition that has the capture run before it is evaluated") { world, capture in
            let producing = Producing(ClosureOperation { await $0.perform(capture).ignore() })
            await world.queue.add(ClosureOperation { _ in }.adding(IgnoredCondition(producing))).result.ignore()
        },
    ]

    /// Omits its own authorization from the evaluation.
    struct Unconditional: CaptureOperation {
        let capture: Capture<Capability.Microphone>
        var authorization: AuthorizedFor<Capability.Microphone> { capture.authorization }
        var allConditions: [any OperationCondition] { [] }

        func execute(
            with permit: consuming Permit, in context: OperationContext
        ) async throws(CaptureError) -> [DeviceID] {
            try await capture.execute(with: permit, in: context)
        }
    }
}
