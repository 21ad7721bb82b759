extension QueueCore {
    /// Its dependencies are settled: it starts as soon as it may.
    /// - Parameter comesBack: whether this is a starter of this queue, who looks for what comes next by himself.
    func ready(_ node: OperationNode, comesBack: Bool = false) {
        let operation = ReadyOperation(node: node, slot: slot(for: node))
        if comesBack { return state.withLock { $0.ready.append(operation) } }
        guard inbox.append(operation) else { return }
        if let starter = state.withLock({ $0.notice(self) }) { makeStarter(starter) }
    }

    private func slot(for node: OperationNode) -> ReadyOperation.Slot {
        // What is waited for inside an operation of this queue goes on in that one's slot.
        if node.hasSlot(in: lane) { return .none }
        if !node.isUnconditional { return .later }
        return width == .max ? .none : .first
    }

    func makeStarter(_ level: UInt8) {
        Task.detached(priority: TaskPriority(rawValue: level)) { await self.startAll(level) }
    }

    /// Starts what is ready until nothing is.
    private nonisolated(nonsending) func startAll(_ level: UInt8) async {
        var starter = Starter(level: level, task: .current)
        while true {
            switch state.withLock({ starter.step(&$0, self) }) {
            case .start(let operation, let another):
                if let another { makeStarter(another) }
                await start(operation, &starter)
            case .pause: await Task.yield()
            case .leave(let another):
                if let another { makeStarter(another) }
                return
            }
        }
    }

    /// Runs it here, where that can't be told from a task of its own.
    @inline(__always)
    private nonisolated(nonsending) func start(_ operation: ReadyOperation, _ starter: inout Starter) async {
        let node = operation.node
        guard node.isUnconditional, node.level == starter.level else { return startApart(operation) }
        if let end = await end(of: operation, in: starter.task), self.end(node, end, comesBack: true) {
            await node.depart()
        }
        starter.hasSlot = operation.slot == .first
        // Who cancelled the operation cancelled the task: it is of no use to others.
        starter.isRetired = Task.isCancelled
    }

    /// Runs it in a task of its own, here until it has to wait for the first time. Detached: which task happened to end
    /// the last dependency must not matter.
    private func startApart(_ operation: ReadyOperation) {
        Task.immediateDetached(priority: TaskPriority(rawValue: operation.node.level)) {
            let end = await self.end(of: operation, in: .current)
            if operation.slot == .first { self.slots.give() }
            if let end, self.end(operation.node, end) { await operation.node.depart() }
        }
    }

    /// - Returns: `nil` if it may not run.
    @inline(__always)
    private nonisolated(nonsending) func end(
        of operation: ReadyOperation, in task: RunningTask?
    ) async -> OperationEnd? {
        operation.node.begin(in: task) ? await operation.run() : nil
    }
}
