/// An operation without its types, as a queue sees it.
protocol OperationWork: Sendable {
    var name: String { get }
    /// Tells its observers, where it has any.
    var monitor: OperationMonitor? { get }
    /// Whether it has no conditions, so that it needs no task before it has a slot.
    var isUnconditional: Bool { get }

    /// Whether the operation that waits for it has a slot in the lane.
    func hasSlot(in lane: LockTable.Lane) -> Bool

    /// Runs it to its end.
    func run(_ operation: ReadyOperation) async -> OperationEnd

    /// How it ends where it never runs.
    func abandon(because reason: CaptureError?) -> OperationEnd
}

/// An operation inside another one: nobody waits for it but that one.
struct NestedWork: OperationWork {
    let name: String
    let monitor: OperationMonitor?
    var isUnconditional: Bool { true }

    func hasSlot(in lane: LockTable.Lane) -> Bool { true }
    func run(_ operation: ReadyOperation) async -> OperationEnd { abandon(because: nil) }
    func abandon(because reason: CaptureError?) -> OperationEnd {
        OperationEnd(OperationResult<Void, Never>.failure(.cancelled))
    }
}

/// An operation in a queue.
final class OperationTask<O: QueuedOperation>: OperationWork {
    let operation: O
    let monitor: OperationMonitor?
    private let conditions: [any OperationCondition]
    /// What the operation that waits for this one holds.
    private let holdings: Holdings
    /// Whether it may ask, as it was where the operation was added.
    private let asking = AskingScope.inherited

    init(_ operation: O, holdings: Holdings, in gatekeeper: Gatekeeper) {
        self.operation = operation
        self.holdings = holdings
        conditions = operation.allConditions
        monitor = OperationMonitor(operation, in: gatekeeper)
    }

    var name: String { operation.name }
    var isUnconditional: Bool { conditions.isEmpty }

    func hasSlot(in lane: LockTable.Lane) -> Bool { holdings.lanes.contains(lane) }

    func run(_ ready: ReadyOperation) async -> OperationEnd {
        guard isPlain else { return await runThrough(ready) }
        if Task.isCancelled { return abandon(because: ready.node.cancelReason) }
        let context = OperationContext(node: ready.node, holdings: ready.holdings ?? Holdings())
        let result = await execute(in: context)
        return OperationEnd(Task.isCancelled ? context.named(result) : result)
    }

    /// Whether it has nothing to wait for and nobody to tell: nothing is left but to execute it.
    private var isPlain: Bool { conditions.isEmpty && monitor == nil && asking == nil && holdings.isEmpty }

    private func execute(in context: OperationContext) async -> OperationResult<O.Output, O.Failure> {
        if context.holdings.isEmpty { return await operation.perform(in: context) }
        return await Holdings.$current.withValue(context.holdings) { await operation.perform(in: context) }
    }

    // Not inlined: a task allocates its frames piece by piece, and those of the short way above are to stay few.
    @inline(never)
    private func runThrough(_ ready: ReadyOperation) async -> OperationEnd {
        let lane = ready.node.core?.lane
        let context = OperationContext(
            node: ready.node, holdings: ready.slot == .first ? holdings.with(lane) : holdings)
        let run = OperationRun(
            operation: operation, conditions: conditions, context: context, lane: ready.slot == .later ? lane : nil,
            isNested: holdings.isNested)
        guard let asking else { return end(await run.result()) }
        return end(await AskingScope.$current.withValue(asking) { await run.result() })
    }

    func abandon(because reason: CaptureError?) -> OperationEnd {
        end(.failure(reason.map { .refused($0) } ?? .cancelled))
    }

    private func end(_ result: OperationResult<O.Output, O.Failure>) -> OperationEnd {
        let end = OperationEnd(result)
        monitor?.didFinish(end.outcome)
        return end
    }
}
