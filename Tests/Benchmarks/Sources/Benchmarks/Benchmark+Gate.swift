import CaptureGate
import Foundation

extension Benchmark {
    private enum Category {}

    /// Costs that the gate adds. Exclusive operations pay for categories that all queues of a gatekeeper share, and must
    /// still keep up with a peer that is only a queue of width 1.
    static let gate: [Benchmark] = [
        Benchmark(
            name: "1,000 groups of 10, an operation", operations: 10_000, goal: 0.5,
            ours: { await groups() },
            peer: { foundationGroups() }),
        Benchmark(
            name: "10,000 exclusive operations", operations: 10_000, goal: 1,
            ours: { await conditional(10_000, MutuallyExclusive<Category>()) }, peer: { foundationSerial(10_000) }),
        Benchmark(
            name: "10,000 with a condition", operations: 10_000,
            ours: { await conditional(10_000, BlockCondition { true }) }),
        Benchmark(
            name: "10,000 with AuthorizedFor, allowed", operations: 10_000,
            ours: { await conditional(10_000, AuthorizedFor(Microphone())) }),
        Benchmark(
            name: "status query, as a revocation check reads it", operations: 10_000, ours: { await queries(10_000) }),
    ]

    private static func conditional(_ count: Int, _ condition: some OperationCondition) async {
        let queue = GateQueue(gatekeeper: .forBenchmarks)
        var operation = Block { _ in }
        operation.addCondition(condition)
        for _ in 0..<count { queue.add(operation) }
        await queue.waitUntilEmpty()
    }

    private static func queries(_ count: Int) async {
        for _ in 0..<count { _ = await Gatekeeper.forBenchmarks.status(of: Microphone()) }
    }

    private static func groups() async {
        let queue = GateQueue(gatekeeper: .forBenchmarks)
        for _ in 0..<1_000 {
            var group = GroupOperation()
            for _ in 0..<10 { group.add(Block { _ in }) }
            queue.add(group)
        }
        await queue.waitUntilEmpty()
    }

    /// A group is an operation that depends on its parts.
    private static func foundationGroups() {
        let queue = OperationQueue()
        for _ in 0..<1_000 {
            let end = Foundation.BlockOperation {}
            let parts = (0..<10).map { _ in Foundation.BlockOperation {} }
            for part in parts { end.addDependency(part) }
            for part in parts { queue.addOperation(part) }
            queue.addOperation(end)
        }
        queue.waitUntilAllOperationsAreFinished()
    }

    private static func foundationSerial(_ count: Int) {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        for _ in 0..<count { queue.addOperation(Foundation.BlockOperation {}) }
        queue.waitUntilAllOperationsAreFinished()
    }
}
