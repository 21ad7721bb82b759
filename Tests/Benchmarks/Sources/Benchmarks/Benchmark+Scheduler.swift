import CaptureGate
import Foundation

typealias Block = CaptureGate.ClosureOperation<Void, Never>

extension GateQueue {
    func runTrivial(_ count: Int) async {
        for _ in 0..<count { add(Block { _ in }) }
        await waitUntilEmpty()
    }
}

extension Benchmark {
    /// The two for which there is a goal, and the same with a width.
    static let scheduler: [Benchmark] = [
        trivial("100,000 trivial operations, any width", width: nil),
        trivial("100,000 trivial operations, width 2", width: 2),
        Benchmark(
            name: "chain of 10,000", operations: 10_000, goal: 1.0 / 3, ours: { await chain(10_000) },
            peer: { foundationChain(10_000) }),
    ]

    private static func trivial(_ name: String, width: Int?) -> Benchmark {
        Benchmark(
            name: name, operations: 100_000, goal: 1.0 / 3,
            ours: { await GateQueue(gatekeeper: .forBenchmarks, width: width ?? .max).runTrivial(100_000) },
            peer: {
                let queue = OperationQueue()
                if let width { queue.maxConcurrentOperationCount = width }
                for _ in 0..<100_000 { queue.addOperation(Foundation.BlockOperation {}) }
                queue.waitUntilAllOperationsAreFinished()
            })
    }

    private static func chain(_ count: Int) async {
        let queue = GateQueue(gatekeeper: .forBenchmarks)
        var last = queue.add(Block { _ in })
        for _ in 1..<count { last = queue.add(Block { _ in }, after: [last]) }
        _ = await last.result
    }

    private static func foundationChain(_ count: Int) {
        let queue = OperationQueue()
        var last = Foundation.BlockOperation {}
        queue.addOperation(last)
        for _ in 1..<count {
            let next = Foundation.BlockOperation {}
            next.addDependency(last)
            queue.addOperation(next)
            last = next
        }
        queue.waitUntilAllOperationsAreFinished()
    }
}
