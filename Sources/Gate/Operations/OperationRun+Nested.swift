extension OperationRun {
    /// Runs an operation as a part of another.
    static func nested(_ body: OperationBody, in outer: OperationContext) async -> OperationEnd {
        let terms = OperationTerms(body, holdings: outer.holdings, asking: nil, in: outer.gatekeeper)
        let node = OperationNode(body, terms, in: outer.gatekeeper)
        _ = node.settle(nil)
        let run = OperationRun(
            terms: terms, context: OperationContext(node: node, holdings: outer.holdings), lane: nil, isNested: true)
        guard let monitor = terms.monitor else {
            _ = node.begin(in: nil)
            return await run.end()
        }
        let end = await run.cancellable()
        monitor.didFinish(end.outcome)
        return end
    }

    /// In a task of its own, so that an observer can cancel it without cancelling what it is a part of.
    private func cancellable() async -> OperationEnd {
        let promise = Promise<OperationEnd>()
        return await withTaskCancellationHandler {
            Task { promise.fulfil(await begun()) }
            return await promise.value
        } onCancel: {
            context.cancel()
        }
    }

    private func begun() async -> OperationEnd {
        guard context.node.begin(in: .current) else { return .cancelled.named(by: context.node) }
        let end = await end()
        if context.node.leave() { await context.node.depart() }
        return end
    }
}
