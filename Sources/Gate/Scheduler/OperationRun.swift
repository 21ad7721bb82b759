import CaptureBase

/// One run of an operation, from its conditions to its result, in the task it is called in.
///
/// Order: conditions that ask nothing, questions, evaluation, locks, execution. A capture reads its authorization again inside
/// `execute`, so that nothing is captured after a revocation during the wait for locks.
struct OperationRun: Sendable {
    let options: OperationOptions
    /// Context with the locks that are held by now.
    let context: OperationContext
    /// Locks that are still to be taken, after the conditions; `nil` if the worker has taken them.
    let locks: Locks?

    struct Locks: Sendable {
        /// The limit whose slot it must take; `nil` if it has one.
        let limit: ConcurrencyLimit?
    }

    private var node: OperationNode { context.node }
    private var manager: LockManager { context.gatekeeper.locks }

    /// Conditions → locks → authorization read again and permit made → execute.
    func result() async -> AnyOperationResult {
        var result = await steps()
        // Before the operation ends: operations that wait for its result may want the same locks.
        if locks != nil, let ticket = node.ticket { manager.release(ticket) }
        result = node.close(result)
        if case .refused(let error) = result.outcome { await node.work.reportRefusal(error, to: context.gatekeeper) }
        options.monitor?.willFinish(context, result.outcome)
        return result
    }

    // Cancellation is looked for between all steps: nothing that was cancelled asks, waits or executes.
    private func steps() async -> AnyOperationResult {
        if Task.isCancelled { return .cancelled }
        options.monitor?.willEvaluate(context)
        guard let locks else { return await context.execute() }
        let exclusions = options.exclusions
        if let shared = exclusions.intersection(context.heldLocks.categories).min() {
            return AnyOperationResult(.refused(.waitsForItself(context.name, shared)))
        }
        // A part of another operation becomes ready here; any other has its turn since it was submitted.
        if !exclusions.isEmpty, node.ticket == nil { manager.join(node, options) }
        if !options.conditions.isEmpty {
            if let error = await failedCondition() {
                return Task.isCancelled ? .cancelled : AnyOperationResult(.refused(error))
            }
            if Task.isCancelled { return .cancelled }
        }
        return await execute(taking: locks, exclusions)
    }

    /// Error of the conditions; `nil` if all hold.
    private func failedCondition() async -> CaptureError? {
        let evaluation = ConditionEvaluation(options.conditions)
        guard let ticket = node.ticket else { return await evaluation.failure(in: context) }
        var locks = context.heldLocks
        locks.turn = HeldLocks.Turn(ticket: ticket, manager: manager)
        return await HeldLocks.$current.withValue(locks) { await evaluation.failure(in: context) }
    }

    // After the conditions, so that no operation waits for locks while a question is open.
    private func execute(taking locks: Locks, _ exclusions: Set<String>) async -> AnyOperationResult {
        if exclusions.isEmpty {
            guard let limit = locks.limit else { return await context.execute() }
            guard let slot = await manager.take(limit.id) else { return .cancelled }
            defer { manager.release(slot) }
            return await execute(holding: [limit], [])
        }
        // Without a ticket it was cancelled.
        guard let ticket = node.ticket, await manager.claim(ticket, locks.limit?.id) else { return .cancelled }
        return await execute(holding: locks.limit.map { [$0] } ?? [], exclusions)
    }

    private func execute(holding limits: [ConcurrencyLimit], _ exclusions: Set<String>) async -> AnyOperationResult {
        if Task.isCancelled { return .cancelled }
        var context = context
        context.heldLocks = context.heldLocks.adding(HeldLocks(limits: limits))
            .adding(categories: exclusions, of: node.ticket, in: manager)
        return await context.execute()
    }
}

// MARK: - In a worker or a separate task

/// Operation whose dependencies have ended, and what it needs to execute.
struct ReadyOperation: Sendable {
    enum Needs {
        case nothing
        /// A slot of its queue, which the worker takes.
        case slot
        /// A slot and categories, all at once and before it has a task.
        case locks
        /// A task that evaluates its conditions and takes its locks after that.
        case evaluation
    }

    let node: OperationNode
    let needs: Needs
    /// Locks that were taken before it starts.
    var ticket: Ticket?

    var needsTicket: Bool { needs == .locks && ticket == nil }

    /// Limit whose slot it takes: none if it uses the slot of an operation of its queue that waits for it.
    var limit: ConcurrencyLimit? {
        guard let limit = node.scheduler?.limit else { return nil }
        return node.options?.heldLocks.limits.contains(limit) == true ? nil : limit
    }
}

extension ReadyOperation {
    /// Runs it to its result. Slot and locks that it needs first are taken.
    @inline(__always)
    nonisolated(nonsending) func run() async -> AnyOperationResult {
        if needsOnlyLocks { return await runWithLocks() }
        if let options = node.options { return await run(options) }
        return await node.execute(OperationContext(node: node, heldLocks: HeldLocks()))
    }

    // Neither is inlined: a task allocates its frames piece by piece, and those of the short way above are to stay few.
    @inline(never)
    private nonisolated(nonsending) func runWithLocks() async -> AnyOperationResult {
        let context = OperationContext(node: node, heldLocks: heldLocks)
        let result = await context.execute()
        if case .refused(let error) = result.outcome, node.options != nil {
            await node.work.reportRefusal(error, to: node.gatekeeper)
        }
        return result
    }

    @inline(never)
    private nonisolated(nonsending) func run(_ options: OperationOptions) async -> AnyOperationResult {
        let context = OperationContext(node: node, heldLocks: heldLocks)
        var locks: OperationRun.Locks?
        if needs == .evaluation {
            locks = OperationRun.Locks(limit: limit)
        }
        let run = OperationRun(options: options, context: context, locks: locks)
        let result = await InteractionPolicy.within(options.interaction) { await run.result() }
        options.monitor?.didFinish(result.outcome)
        return result
    }

    /// True if nothing remains to be evaluated or reported, so that it only has to be executed.
    private var needsOnlyLocks: Bool {
        switch needs {
        case .nothing, .evaluation: false
        case .slot: node.options == nil
        case .locks: node.options?.interaction == nil
        }
    }

    /// Locks that were taken for it, and those of what waits for it.
    private var heldLocks: HeldLocks {
        let outer = node.options?.heldLocks ?? HeldLocks()
        switch needs {
        case .nothing, .evaluation: return outer
        case .slot: return outer.adding(node.scheduler?.slotHeld ?? HeldLocks())
        case .locks:
            return outer.adding(node.scheduler?.slotHeld ?? HeldLocks())
                .adding(categories: node.options?.exclusions ?? [], of: ticket, in: node.gatekeeper.locks)
        }
    }
}

extension OperationContext {
    /// Executes the operation; what it holds is known to whatever it waits for inside.
    fileprivate nonisolated(nonsending) func execute() async -> AnyOperationResult {
        if heldLocks.isEmpty { return await node.execute(self) }
        return await HeldLocks.$current.withValue(heldLocks) { await node.execute(self) }
    }
}

// MARK: - Inside another operation

extension OperationRun {
    /// Runs an operation as a part of another.
    static func nested(_ body: OperationBody, in outer: OperationContext) async -> AnyOperationResult {
        // Something that executes waits for it.
        let options = OperationOptions(
            body, heldLocks: outer.heldLocks.nested, interaction: nil, in: outer.gatekeeper)
        let node = OperationNode(body, options, in: outer.gatekeeper)
        _ = node.settle(nil)
        let run = OperationRun(
            options: options, context: OperationContext(node: node, heldLocks: outer.heldLocks, in: outer),
            locks: Locks(limit: nil))
        // Most are not observed: they run in the task of the outer operation.
        guard let monitor = options.monitor else {
            _ = node.begin(in: nil)
            return await run.result()
        }
        let result = await run.resultInOwnTask()
        monitor.didFinish(result.outcome)
        return result
    }

    /// Runs in a separate task, so that an observer can cancel it without cancelling the operation around it.
    // The promise is fulfilled after the task has ended, so that nothing continues after the outer operation.
    private func resultInOwnTask() async -> AnyOperationResult {
        let promise = Promise<AnyOperationResult>()
        return await withTaskCancellationHandler {
            Task(executorPreference: context.gatekeeper.executor) { promise.fulfil(await begunResult()) }
            return await promise.value
        } onCancel: {
            context.cancel()
        }
    }

    private func begunResult() async -> AnyOperationResult {
        guard context.node.begin(in: .current) else { return context.node.close(.cancelled) }
        let result = await result()
        if context.node.detachTask() { await context.node.taskIsFree() }
        return result
    }
}

extension CaptureError {
    /// Error of an operation that wants a category which only its own end would free.
    static func waitsForItself(_ name: String, _ category: String) -> CaptureError {
        CaptureError(
            .deadlock, "\(name) and its parent operation are both exclusive in \"\(category)\".",
            remedies: [Remedy("Make only one of them exclusive.")])
    }
}

// MARK: - Locks that are held

/// Locks that an executing operation holds, so that what it waits for does not wait for it.
struct HeldLocks: Sendable {
    /// Locks of the operation that executes in this task, or in the one that made it.
    @TaskLocal static var current = HeldLocks()

    /// Categories of mutual exclusion.
    var categories: Set<String> = []
    /// Limits in which it has a slot.
    var limits: [ConcurrencyLimit] = []
    /// Turn that holds the categories; the turns of outer operations, if operations with categories are nested.
    private var holding: Turn?
    private var holdingAround: [Turn] = []
    /// Set where something that executes waits for the holder.
    var isNested = false
    /// Turn of the operation whose conditions are evaluated in this task.
    var turn: Turn?

    init(limits: [ConcurrencyLimit] = []) { self.limits = limits }

    /// Turn of an operation in its categories, which holds back those that became ready later.
    struct Turn: Sendable {
        let ticket: Ticket
        let manager: LockManager
    }

    var isEmpty: Bool { categories.isEmpty && limits.isEmpty }

    /// Lets others overtake the operation whose conditions are evaluated in this task: it waits for something that may be behind
    /// it.
    static func stepAside() {
        if let turn = current.turn { turn.manager.stepAside(turn.ticket) }
    }

    /// Lets others overtake while the caller waits for an operation, which may be behind them: the operation whose conditions are
    /// evaluated in this task, tickets that wait for a slot of the executing operation, and tickets that want a category of it and
    /// further ones.
    /// - Parameter isOver: true if there is nothing to wait for.
    static func beginWait(unless isOver: @autoclosure () -> Bool) -> Wait {
        stepAside()
        let locks = current
        if locks.isEmpty || isOver() { return Wait(locks: HeldLocks()) }
        for limit in locks.limits { limit.beginWait() }
        locks.eachHolding { $0.manager.beginWait(of: $0.ticket) }
        return Wait(locks: locks)
    }

    /// A wait for an operation, which must be ended.
    struct Wait {
        fileprivate let locks: HeldLocks

        func end() {
            for limit in locks.limits { limit.endWait() }
            locks.eachHolding { $0.manager.endWait(of: $0.ticket) }
        }
    }

    private func eachHolding(_ body: (Turn) -> Void) {
        if let holding { body(holding) }
        for turn in holdingAround { body(turn) }
    }

    /// Locks with further slots. A list that is not changed is not copied.
    func adding(_ slots: HeldLocks) -> HeldLocks {
        var copy = self
        if copy.limits.isEmpty {
            copy.limits = slots.limits
        } else {
            copy.limits += slots.limits.filter { !limits.contains($0) }
        }
        return copy
    }

    /// Locks with further categories, held by a ticket. A set that is not changed is not copied.
    func adding(categories: Set<String>, of ticket: Ticket?, in manager: LockManager) -> HeldLocks {
        guard !categories.isEmpty, let ticket else { return self }
        var copy = self
        if copy.categories.isEmpty { copy.categories = categories } else { copy.categories.formUnion(categories) }
        if let holding { copy.holdingAround.append(holding) }
        copy.holding = Turn(ticket: ticket, manager: manager)
        return copy
    }

    /// Locks as a part of the operation that holds them inherits them.
    var nested: HeldLocks {
        var copy = self
        copy.isNested = true
        return copy
    }
}
