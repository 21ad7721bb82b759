/// Takes one operation from its conditions to its result, in the task it is called in.
struct OperationRun<O: QueuedOperation>: Sendable {
    typealias Outcome = OperationResult<O.Output, O.Failure>

    let operation: O
    let conditions: [any OperationCondition]
    let context: OperationContext
    /// The lane whose slot it must take; `nil` where it has one.
    let lane: LockTable.Lane?
    let isNested: Bool

    /// Conditions → locks → authorization read again and permit made → execute.
    func result() async -> Outcome {
        let result = context.named(await steps())
        if case .failure(.refused(let error)) = result { await report(error) }
        context.monitor?.willFinish(context, OperationOutcome(result))
        return result
    }

    private func steps() async -> Outcome {
        if Task.isCancelled { return .failure(.cancelled) }
        context.monitor?.willEvaluate(context)
        let exclusions = conditions.reduce(into: Set<String>()) { $0.formUnion($1.exclusions) }
        if let shared = exclusions.intersection(context.holdings.categories).min() {
            return .failure(.refused(.waitsForItself(context.name, shared)))
        }
        if !conditions.isEmpty {
            if let error = await ConditionEvaluation(conditions).failure(in: context) {
                return .failure(Task.isCancelled ? .cancelled : .refused(error))
            }
            if Task.isCancelled { return .failure(.cancelled) }
        }
        return await locked(exclusions)
    }

    private func locked(_ exclusions: Set<String>) async -> Outcome {
        if exclusions.isEmpty, lane == nil { return await perform(in: context) }
        let room = context.gatekeeper.locks
        guard let ticket = await room.take(lane, exclusions.sorted(), isNested: isNested) else {
            return .failure(.cancelled)
        }
        defer { room.release(ticket) }
        if Task.isCancelled { return .failure(.cancelled) }
        let inside = context.holding(exclusions, lane)
        return await perform(in: inside)
    }

    /// What it holds is known to whatever it waits for inside.
    private func perform(in context: OperationContext) async -> Outcome {
        if context.holdings.isEmpty { return await operation.perform(in: context) }
        return await Holdings.$current.withValue(context.holdings) { await operation.perform(in: context) }
    }

    /// A capture that was refused is a line of the audit log.
    private func report(_ error: CaptureError) async {
        await (operation as? any CaptureOperation)?.reportRefusal(error, to: context.gatekeeper)
    }
}

extension OperationRun {
    /// Runs an operation as a part of another.
    static func nested(_ operation: O, in outer: OperationContext) async -> Outcome {
        let monitor = OperationMonitor(operation, in: outer.gatekeeper)
        let node = OperationNode(NestedWork(name: operation.name, monitor: monitor), in: outer.gatekeeper)
        _ = node.settle(nil)
        let run = OperationRun(
            operation: operation, conditions: operation.allConditions,
            context: OperationContext(node: node, holdings: outer.holdings), lane: nil, isNested: true)
        guard let monitor else {
            _ = node.begin(in: nil)
            return await run.result()
        }
        let result = await run.cancellable()
        monitor.didFinish(OperationOutcome(result))
        return result
    }

    /// In a task of its own, so that an observer can cancel it without cancelling what it is a part of.
    private func cancellable() async -> Outcome {
        let promise = Promise<Outcome>()
        return await withTaskCancellationHandler {
            Task { promise.fulfil(await begun()) }
            return await promise.value
        } onCancel: {
            context.cancel()
        }
    }

    private func begun() async -> Outcome {
        guard context.node.begin(in: .current) else { return context.named(.failure(.cancelled)) }
        let result = await result()
        if context.node.leave() { await context.node.depart() }
        return result
    }
}

extension CaptureOperation {
    fileprivate func reportRefusal(_ error: CaptureError, to gatekeeper: Gatekeeper) async {
        await gatekeeper.reportRefusal(of: authorization.capability.requests, error)
    }
}

extension OperationContext {
    func holding(_ exclusions: Set<String>, _ lane: LockTable.Lane?) -> OperationContext {
        var context = self
        context.holdings.categories.formUnion(exclusions)
        if let lane { context.holdings.lanes.insert(lane) }
        return context
    }
}

extension CaptureError {
    static func waitsForItself(_ name: String, _ category: String) -> CaptureError {
        CaptureError(
            .deadlock, "\(name) is exclusive in \"\(category)\", which the operation it is a part of holds.",
            remedies: [Remedy("Make only one of the two exclusive.")])
    }
}
