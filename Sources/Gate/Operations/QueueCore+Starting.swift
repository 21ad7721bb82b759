extension QueueCore {
    /// Its dependencies are settled: it starts as soon as it may.
    /// - Parameter ended: the operation of this queue in whose place it comes.
    func ready(_ node: OperationNode, after ended: OperationNode? = nil) {
        let operation = ReadyOperation(node: node, slot: slot(for: node.work))
        let starter = state.withLock { $0.enqueue(operation, after: ended) }
        if let starter { makeStarter(starter) }
    }

    func slot(for work: some OperationWork) -> ReadyOperation.Slot {
        // What is waited for inside an operation of this queue goes on in that one's slot.
        if work.hasSlot(in: lane) { return .none }
        if !work.isUnconditional { return .later }
        return width == .max ? .none : .first
    }

    func makeStarter(_ priority: TaskPriority) {
        Task.detached(priority: priority) { await self.startAll(priority) }
    }

    /// Starts what is ready until nothing is.
    private func startAll(_ priority: TaskPriority) async {
        var starter = Starter(priority: priority)
        while true {
            switch step(&starter) {
            case .start(let operation, let another):
                if let another { makeStarter(another) }
                start(operation)
                // Others want the thread, too.
                if starter.isDueToYield { await Task.yield() }
            case .pause: await Task.yield()
            case .leave: return
            }
        }
    }

    private func step(_ starter: inout Starter) -> Starter.Step {
        state.withLock { state in
            if state.isSuspended { return starter.leave(&state.ready) }
            return starter.step(&state.ready, state.slots)
        }
    }

    /// Runs it in a task of its own, here until it has to wait for the first time. Detached: which task happened to end
    /// the last dependency must not matter.
    private func start(_ operation: ReadyOperation) {
        let node = operation.node
        Task.immediateDetached(priority: node.priority) {
            let end = node.begin(in: .current) ? await node.work.run(operation) : nil
            if case .first = operation.slot { self.slots.give() }
            if let end, self.end(node, end) { await node.depart() }
        }
    }
}
