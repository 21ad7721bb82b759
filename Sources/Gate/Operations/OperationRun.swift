import CaptureBase

/// Takes one operation from its conditions to its result, in the task it is called in.
struct OperationRun: Sendable {
    let terms: OperationTerms
    let context: OperationContext
    /// The lane whose slot it must take; `nil` where it has one.
    let lane: LockTable.Lane?
    let isNested: Bool

    private var node: OperationNode { context.node }

    /// Conditions → locks → authorization read again and permit made → execute.
    func end() async -> OperationEnd {
        let end = await steps().named(by: node)
        if case .refused(let error) = end.outcome { await node.work.reportRefusal(error, to: context.gatekeeper) }
        terms.monitor?.willFinish(context, end.outcome)
        return end
    }

    private func steps() async -> OperationEnd {
        if Task.isCancelled { return .cancelled }
        terms.monitor?.willEvaluate(context)
        let exclusions = terms.conditions.reduce(into: Set<String>()) { $0.formUnion($1.exclusions) }
        if let shared = exclusions.intersection(context.holdings.categories).min() {
            return OperationEnd(.refused(.waitsForItself(context.name, shared)))
        }
        if !terms.conditions.isEmpty {
            if let error = await ConditionEvaluation(terms.conditions).failure(in: context) {
                return Task.isCancelled ? .cancelled : OperationEnd(.refused(error))
            }
            if Task.isCancelled { return .cancelled }
        }
        return await locked(exclusions)
    }

    private func locked(_ exclusions: Set<String>) async -> OperationEnd {
        if exclusions.isEmpty, lane == nil { return await context.execute() }
        let room = context.gatekeeper.locks
        guard let ticket = await room.take(lane, exclusions.sorted(), isNested: isNested) else { return .cancelled }
        defer { room.release(ticket) }
        if Task.isCancelled { return .cancelled }
        return await context.holding(exclusions, lane).execute()
    }
}

extension ReadyOperation {
    /// Runs it to its end.
    @inline(__always)
    nonisolated(nonsending) func run() async -> OperationEnd {
        if let terms = node.terms { return await run(terms) }
        if slot == .first { return await runInSlot() }
        return await node.execute(OperationContext(node: node, holdings: Holdings())).named(by: node)
    }

    @inline(never)
    private func runInSlot() async -> OperationEnd {
        await OperationContext(node: node, holdings: holdings ?? Holdings()).execute().named(by: node)
    }

    // Not inlined: a task allocates its frames piece by piece, and those of the short way above are to stay few.
    @inline(never)
    private func run(_ terms: OperationTerms) async -> OperationEnd {
        let lane = node.core?.lane
        let context = OperationContext(
            node: node, holdings: slot == .first ? terms.holdings.with(lane) : terms.holdings)
        let run = OperationRun(
            terms: terms, context: context, lane: slot == .later ? lane : nil, isNested: terms.holdings.isNested)
        let end = await AskingScope.within(terms.asking) { await run.end() }
        terms.monitor?.didFinish(end.outcome)
        return end
    }
}

extension OperationNode {
    /// How it ends where it never runs.
    func abandoned() -> OperationEnd {
        let end = OperationEnd.cancelled.named(by: self)
        terms?.monitor?.didFinish(end.outcome)
        return end
    }
}

extension OperationContext {
    /// What it holds is known to whatever it waits for inside.
    fileprivate nonisolated(nonsending) func execute() async -> OperationEnd {
        if holdings.isEmpty { return await node.execute(self) }
        return await Holdings.$current.withValue(holdings) { await node.execute(self) }
    }

    fileprivate func holding(_ exclusions: Set<String>, _ lane: LockTable.Lane?) -> OperationContext {
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
