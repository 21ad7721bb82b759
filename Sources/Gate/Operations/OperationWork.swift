/// An operation without its types, as a queue sees it.
protocol OperationWork: Sendable {
    var name: String { get }
    /// Tells its observers, where it has any.
    var monitor: OperationMonitor? { get }
    /// Whether it has no conditions, so that it needs no task before it has a slot.
    var isUnconditional: Bool { get }

    /// Whether the operation that waits for it has a slot in the lane.
    func hasSlot(in lane: LockTable.Lane) -> Bool

    /// Runs it to its end and publishes the result.
    func run(_ node: OperationNode, _ start: OperationStart) async -> OperationOutcome

    /// Publishes that it will never run.
    func abandon(because reason: CaptureError?) -> OperationOutcome
}

/// With what an operation begins.
struct OperationStart: Sendable {
    let gatekeeper: Gatekeeper
    /// The lane whose slot it must take; `nil` where it has one or needs none.
    var lane: LockTable.Lane?
    /// The lane in which it has a slot.
    var slot: LockTable.Lane?
    /// Whether it has neither conditions nor anything to take.
    var isPlain = false
}

/// An operation inside another one: nobody waits for it but that one.
struct NestedWork: OperationWork {
    let name: String
    let monitor: OperationMonitor?
    var isUnconditional: Bool { true }

    func hasSlot(in lane: LockTable.Lane) -> Bool { true }
    func run(_ node: OperationNode, _ start: OperationStart) async -> OperationOutcome { .succeeded }
    func abandon(because reason: CaptureError?) -> OperationOutcome { .cancelled }
}

/// An operation in a queue, and the promise of its result.
final class OperationTask<O: QueuedOperation>: OperationWork {
    let operation: O
    let promise = Promise<OperationResult<O.Output, O.Failure>>()
    /// What the operation that waits for this one holds.
    private let holdings: Holdings
    /// Whether it may ask, as it was where the operation was added.
    private let asking = AskingScope.inherited
    let monitor: OperationMonitor?

    init(_ operation: O, holdings: Holdings, in gatekeeper: Gatekeeper) {
        self.operation = operation
        self.holdings = holdings
        monitor = OperationMonitor(operation, in: gatekeeper)
    }

    var name: String { operation.name }
    var isUnconditional: Bool { operation.allConditions.isEmpty }

    func hasSlot(in lane: LockTable.Lane) -> Bool { holdings.lanes.contains(lane) }

    func run(_ node: OperationNode, _ start: OperationStart) async -> OperationOutcome {
        var holdings = holdings
        if let slot = start.slot { holdings.lanes.insert(slot) }
        let context = OperationContext(
            gatekeeper: start.gatekeeper, name: name, node: node, holdings: holdings, monitor: monitor)
        let run = OperationRun(
            operation: operation, context: context, lane: start.lane, isNested: holdings.isNested)
        if start.isPlain, monitor == nil, asking == nil, holdings.isEmpty { return publish(await run.plainResult()) }
        guard let asking else { return publish(await run.result()) }
        return publish(await AskingScope.$current.withValue(asking) { await run.result() })
    }

    func abandon(because reason: CaptureError?) -> OperationOutcome {
        publish(.failure(reason.map { .refused($0) } ?? .cancelled))
    }

    private func publish(_ result: OperationResult<O.Output, O.Failure>) -> OperationOutcome {
        let outcome = OperationOutcome(result)
        monitor?.didFinish(outcome)
        promise.fulfil(result)
        return outcome
    }
}
