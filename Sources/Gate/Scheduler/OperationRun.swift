import CaptureBase

/// One run of an operation, from its conditions to its result, in the task it is called in.
///
/// Order: conditions that ask nothing, questions, evaluation, locks, execution. A capture reads its authorization again
/// inside `execute`, so that what was revoked while it waited for its locks is not captured.
struct OperationRun: Sendable {
    let options: OperationOptions
    /// Context with the locks that are held by now.
    let context: OperationContext
    /// Locks that are still to be taken, after the conditions; `nil` where the worker has taken them.
    let locks: Locks?

    struct Locks: Sendable {
        /// The limit whose slot it must take; `nil` where it has one.
        let limit: LimitID?
        let isNested: Bool
    }

    private var node: OperationNode { context.node }

    /// Conditions → locks → authorization read again and permit made → execute.
    func result() async -> AnyOperationResult {
        let result = await steps().named(by: node)
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
        if !options.conditions.isEmpty {
            if let error = await ConditionEvaluation(options.conditions).failure(in: context) {
                return Task.isCancelled ? .cancelled : AnyOperationResult(.refused(error))
            }
            if Task.isCancelled { return .cancelled }
        }
        return await execute(taking: locks, exclusions)
    }

    // After the conditions, so that nobody waits for locks behind a question that is open.
    private func execute(taking locks: Locks, _ exclusions: Set<String>) async -> AnyOperationResult {
        if exclusions.isEmpty, locks.limit == nil { return await context.execute() }
        let manager = context.gatekeeper.locks
        guard let ticket = await manager.take(locks.limit, exclusions, isNested: locks.isNested) else {
            return .cancelled
        }
        // Before the operation ends: whoever waits for its result may want the same locks.
        defer { manager.release(ticket) }
        if Task.isCancelled { return .cancelled }
        var context = context
        context.heldLocks = context.heldLocks.adding(HeldLocks(limits: locks.limit.map { [$0] } ?? []))
            .adding(categories: exclusions)
        return await context.execute()
    }
}

// MARK: - In a worker or a task of its own

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

    /// The limit whose slot it takes: none where it goes on in the slot of an operation of its queue that waits for it.
    var limit: LimitID? {
        guard let limit = node.scheduler?.limit.id else { return nil }
        return node.options?.heldLocks.limits.contains(limit) == true ? nil : limit
    }
}

extension ReadyOperation {
    /// Runs it to its result. Slot and locks that it needs first are taken.
    @inline(__always)
    nonisolated(nonsending) func run() async -> AnyOperationResult {
        if needsOnlyLocks { return await runWithLocks() }
        if let options = node.options { return await run(options) }
        return await node.execute(OperationContext(node: node, heldLocks: HeldLocks())).named(by: node)
    }

    // Neither is inlined: a task allocates its frames piece by piece, and those of the short way above are to stay few.
    @inline(never)
    private nonisolated(nonsending) func runWithLocks() async -> AnyOperationResult {
        let context = OperationContext(node: node, heldLocks: heldLocks)
        let result = await context.execute().named(by: node)
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
            locks = OperationRun.Locks(limit: limit, isNested: options.heldLocks.isNested)
        }
        let run = OperationRun(options: options, context: context, locks: locks)
        let result = await InteractionPolicy.within(options.interaction) { await run.result() }
        options.monitor?.didFinish(result.outcome)
        return result
    }

    /// Set where nothing is left to be evaluated or told: it has what it needs and is executed.
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
                .adding(categories: node.options?.exclusions ?? [])
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
        let options = OperationOptions(body, heldLocks: outer.heldLocks, interaction: nil, in: outer.gatekeeper)
        let node = OperationNode(body, options, in: outer.gatekeeper)
        _ = node.settle(nil)
        let run = OperationRun(
            options: options, context: OperationContext(node: node, heldLocks: outer.heldLocks),
            locks: Locks(limit: nil, isNested: true))
        // Most are not observed: they run in the task of the outer operation.
        guard let monitor = options.monitor else {
            _ = node.begin(in: nil)
            return await run.result()
        }
        let result = await run.resultInOwnTask()
        monitor.didFinish(result.outcome)
        return result
    }

    /// Runs in a task of its own, so that an observer can cancel it without cancelling what it is a part of.
    // The promise comes when the task has ended, so that nothing of it runs on when the outer operation does.
    private func resultInOwnTask() async -> AnyOperationResult {
        let promise = Promise<AnyOperationResult>()
        return await withTaskCancellationHandler {
            Task { promise.fulfil(await begunResult()) }
            return await promise.value
        } onCancel: {
            context.cancel()
        }
    }

    private func begunResult() async -> AnyOperationResult {
        guard context.node.begin(in: .current) else { return .cancelled.named(by: context.node) }
        let result = await result()
        if context.node.detachTask() { await context.node.taskIsFree() }
        return result
    }
}

extension CaptureError {
    /// Error of an operation that wants a category which only its own end would free.
    static func waitsForItself(_ name: String, _ category: String) -> CaptureError {
        CaptureError(
            .deadlock, "\(name) is exclusive in \"\(category)\", which the operation it is a part of holds.",
            remedies: [Remedy("Make only one of the two exclusive.")])
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
    var limits: [LimitID] = []
    /// Set where something that executes waits for the holder.
    var isNested = false

    var isEmpty: Bool { categories.isEmpty && limits.isEmpty }

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

    /// Locks with further categories. A set that is not changed is not copied.
    func adding(categories: Set<String>) -> HeldLocks {
        var copy = self
        if copy.categories.isEmpty { copy.categories = categories } else { copy.categories.formUnion(categories) }
        return copy
    }

    /// Locks as a part of the operation that holds them inherits them.
    var nested: HeldLocks {
        var copy = self
        copy.isNested = true
        return copy
    }
}
