import CaptureBase

/// Several operations as one. It ends after the last of them. Cancelling it cancels all of them, with the same error if there is
/// one; the results so far remain.
///
/// The group's error is that of the first child that failed or was refused. A child can't share a category of mutual exclusion
/// with the group or with an operation around it: that is an error at once. While it executes, children can be added: by a child
/// (`OperationContext.group`), or through its handle (`OperationHandle.add`).
///
/// *thread-safe*
public struct GroupOperation: GateOperation, ConditionedOperation {
    /// A child of the group, to depend on and to get its result.
    public struct Child<Output: Sendable, Failure: Error>: Sendable {
        let index: Int
    }

    /// The results of the children that the group had when it began; the others have handles.
    public struct Results: Sendable {
        let all: [any Sendable]

        /// The result of a child of this group.
        /// - Returns: `nil` for the child of another group.
        public subscript<Output, Failure>(child: Child<Output, Failure>) -> OperationResult<Output, Failure>? {
            all.indices.contains(child.index) ? all[child.index] as? OperationResult<Output, Failure> : nil
        }
    }

    /// Its name in logs.
    public let name: String
    /// Conditions of the group: if they fail, no child begins.
    public var conditions: [any OperationCondition] = []
    /// Observers of the group itself; children have their own.
    public var observers: [any OperationObserver] = []
    private let width: Int
    private let stopsAtFirstError: Bool
    private var children: [any GroupChild] = []

    /// - Parameters:
    ///   - name: the group's name in logs.
    ///   - width: how many children execute at once, 1 upwards.
    ///   - stopsAtFirstError: whether the others are cancelled when one has failed or was refused.
    public init(_ name: String = "GroupOperation", width: Int = .max, stopsAtFirstError: Bool = false) {
        self.name = name
        self.width = width
        self.stopsAtFirstError = stopsAtFirstError
    }

    /// Adds a child, which is executed with the group.
    /// - Parameters:
    ///   - operation: the child.
    ///   - dependencies: children of this group that were added before, that end first, however they end.
    @discardableResult
    public mutating func add<O: QueuedOperation>(
        _ operation: O, after dependencies: [any GroupReference] = []
    ) -> Child<O.Output, O.Failure> {
        children.append(TypedChild(operation: operation, dependencies: dependencies.map(\.position.index)))
        return Child(index: children.count - 1)
    }

    public func execute(in context: OperationContext) async throws(CaptureError) -> Results {
        // Before any child begins: it would wait for its turn first, and then for ever.
        for child in children { try child.exclusions.check(against: context.heldLocks, of: child.name) }
        let first = FirstError()
        // A separate scheduler: the width is the group's, and cancelling it reaches only its children.
        let scheduler = Scheduler(
            gatekeeper: context.gatekeeper, width: width, membership: GroupMembership(of: context)
        ) { [stopsAtFirstError] scheduler, outcome in
            // What the group is cancelled with is no error of a child.
            guard let error = outcome.error, error != scheduler.membership?.stopError, first.keep(error) else { return }
            if stopsAtFirstError { scheduler.stop(with: nil) }
        }
        let running = add(to: scheduler, context.heldLocks.nested)
        if let group = scheduler.group { context.queuedNode.announce(group) }
        let wait = HeldLocks.beginWait(unless: scheduler.registry.count == 0)
        defer { wait.end() }
        await withTaskCancellationHandler {
            // A child that was added meanwhile has to end, too.
            repeat { await scheduler.waitUntilEmpty() } while !scheduler.registry.close()
        } onCancel: {
            scheduler.stop(with: context.cancelError.map { .withGroup(name, $0) })
        }
        if let error = first.error { throw error }
        var results: [any Sendable] = []
        for child in running { results.append(child.result(await child.node.result)) }
        return Results(all: results)
    }

    private func add(to scheduler: Scheduler, _ heldLocks: HeldLocks) -> [RunningChild] {
        var running: [RunningChild] = []
        for child in children {
            let nodes = child.dependencies.filter(running.indices.contains).map { running[$0].node }
            running.append(child.start(in: scheduler, after: nodes, heldLocks))
        }
        return running
    }

    /// Error of the child that failed first: they end on several threads.
    private final class FirstError: Sendable {
        private let state = Locked<CaptureError?>(nil)
        var error: CaptureError? { state.withLock { $0 } }

        /// Keeps an error if it is the first; returns true if it was.
        func keep(_ error: CaptureError) -> Bool {
            state.withLock { first in
                defer { first = first ?? error }
                return first == nil
            }
        }
    }
}

/// Reference to a child of a group, on which children that are added later can depend.
public protocol GroupReference: Sendable {
    /// The child's position in its group.
    var position: GroupPosition { get }
}

/// Position of a child in its group, in the order of addition.
///
/// *thread-safe*
public struct GroupPosition: Sendable {
    let index: Int
}

extension GroupOperation.Child: GroupReference {
    public var position: GroupPosition { GroupPosition(index: index) }
}

/// Child of a group without its types. A group holds children of all types in one array.
protocol GroupChild: Sendable {
    var name: String { get }
    var dependencies: [Int] { get }
    var exclusions: Set<String> { get }

    /// Adds the child to the scheduler of its group.
    /// - Parameter heldLocks: those of the group, which its children must not wait for.
    func start(in scheduler: Scheduler, after dependencies: [OperationNode], _ heldLocks: HeldLocks) -> RunningChild
}

/// Child that has been added to its group's scheduler.
struct RunningChild: Sendable {
    let node: OperationNode
    /// Gives the result its types back.
    let result: @Sendable (AnyOperationResult) -> any Sendable
}

/// Child of a group with its types.
struct TypedChild<O: QueuedOperation>: GroupChild {
    let operation: O
    let dependencies: [Int]

    var name: String { operation.name }
    var exclusions: Set<String> { operation.exclusions }

    func start(in scheduler: Scheduler, after dependencies: [OperationNode], _ heldLocks: HeldLocks) -> RunningChild {
        let node = scheduler.add(OperationBody(operation), holding: heldLocks, after: dependencies)
        return RunningChild(node: node) { result -> OperationResult<O.Output, O.Failure> in result.typed() }
    }
}

extension QueuedOperation {
    /// Categories of all its conditions.
    fileprivate var exclusions: Set<String> { allConditions.reduce(into: []) { $0.formUnion($1.exclusions) } }
}

extension Set<String> {
    /// Refuses a child that would wait for a category until the group around it ends.
    fileprivate func check(against heldLocks: HeldLocks, of name: String) throws(CaptureError) {
        if let shared = intersection(heldLocks.categories).min() { throw .waitsForItself(name, shared) }
    }
}

// MARK: - While it executes

/// A group that executes: children can be added until it ends, which it does after the last of them.
///
/// *thread-safe*
public struct RunningGroup: Sendable {
    private let scheduler: Scheduler
    private let membership: GroupMembership

    fileprivate init(_ scheduler: Scheduler, _ membership: GroupMembership) {
        self.scheduler = scheduler
        self.membership = membership
    }

    /// Adds a child, which begins as soon as it may. Its error counts as that of any child; its result is that of the
    /// handle.
    ///
    /// A child that waits for that result keeps its slot meanwhile: in a group of width 1 both would wait for ever.
    /// - Parameters:
    ///   - operation: the child. Where the group has been cancelled, it is cancelled, too.
    ///   - dependencies: handles of operations that end first, however they end.
    /// - Throws: `.usage` if the group has ended; `.deadlock` if the child shares a category with the group, or would wait
    ///   for it.
    @discardableResult
    public func add<O: QueuedOperation>(
        _ operation: O, after dependencies: [any OperationReference] = []
    ) throws(CaptureError) -> OperationHandle<O.Output, O.Failure> {
        let nodes = dependencies.map(\.ticket.node)
        if nodes.contains(where: { ObjectIdentifier($0) == membership.node }) { throw .waitsForGroup(operation.name) }
        try operation.exclusions.check(against: membership.heldLocks, of: operation.name)
        guard scheduler.registry.reserve() else { throw .groupHasEnded(operation.name) }
        defer { if scheduler.registry.endReservation() { scheduler.announceEmpty() } }
        // Regardless of who adds it, it asks by the rules of the group.
        let node = InteractionPolicy.$current.withValue(membership.interaction) {
            scheduler.add(OperationBody(operation), holding: membership.heldLocks, after: nodes)
        }
        if membership.isStopped { node.carryOut(node.cancel(with: membership.stopError)) }
        return OperationHandle(node)
    }
}

/// Circumstances that all children of a group have in common.
///
/// *thread-safe*
final class GroupMembership: Sendable {
    /// Locks of the group, which its children must not wait for.
    let heldLocks: HeldLocks
    let interaction: InteractionPolicy?
    /// The operation in a queue that the group is, or is a part of.
    let node: ObjectIdentifier
    private let stop = Locked<(isStopped: Bool, error: CaptureError?)>((false, nil))

    init(of context: OperationContext) {
        heldLocks = context.heldLocks.nested
        interaction = InteractionPolicy.inherited
        node = ObjectIdentifier(context.queuedNode)
    }

    /// Set when its children are to end.
    var isStopped: Bool { stop.withLock { $0.isStopped } }
    /// The error that its children are cancelled with.
    var stopError: CaptureError? { stop.withLock { $0.error } }

    /// The first call counts.
    func stop(with error: CaptureError?) {
        stop.withLock { stop in if !stop.isStopped { stop = (true, error) } }
    }
}

extension Scheduler {
    /// The group whose children it runs; `nil` for a queue.
    var group: RunningGroup? { membership.map { RunningGroup(self, $0) } }

    /// Cancels all children, also those that are being added.
    fileprivate func stop(with error: CaptureError?) {
        membership?.stop(with: error)
        cancelAll(with: membership?.stopError)
    }
}

extension OperationHandle where Output == GroupOperation.Results {
    /// Adds a child to the group when it executes, as `RunningGroup.add` does; waits until then.
    ///
    /// A handle has this as long as its operation ends with the group's results: the group itself, a `ComposedOperation` or a
    /// `RetryOperation` of it. Where the output is another one (`map`, `RepeatOperation`), a child gives away its
    /// `OperationContext.group`, to which others can then add.
    /// - Parameters:
    ///   - operation: the child.
    ///   - dependencies: handles of operations that end first, however they end.
    /// - Throws: `.usage` if the group has ended, or ends without having executed; `.deadlock` as `RunningGroup.add` does.
    @discardableResult
    public func add<O: QueuedOperation>(
        _ operation: O, after dependencies: [any OperationReference] = []
    ) async throws(CaptureError) -> OperationHandle<O.Output, O.Failure> {
        let wait = HeldLocks.beginWait(unless: isFinished)
        defer { wait.end() }
        guard let group = await ticket.node.runningGroup else { throw .groupHasEnded(operation.name) }
        return try group.add(operation, after: dependencies)
    }
}

extension OperationNode {
    /// Group that it executes, as soon as it does; `nil` if it has ended.
    fileprivate var runningGroup: RunningGroup? {
        get async {
            let promise = state.withLock { state -> Promise<RunningGroup?>? in
                if state.isFinished { return nil }
                let promise = state.group ?? Promise()
                state.group = promise
                return promise
            }
            return await promise?.value ?? nil
        }
    }

    /// Tells those who wait for the group. Another attempt at a group takes the place of the last one.
    fileprivate func announce(_ group: RunningGroup) {
        state.withLock { state in
            if state.isFinished || state.group?.fulfil(group) == true { return }
            let promise = Promise<RunningGroup?>()
            promise.fulfil(group)
            state.group = promise
        }
    }
}

extension CaptureError {
    /// Error of a child whose group was cancelled with an error.
    fileprivate static func withGroup(_ name: String, _ error: CaptureError) -> CaptureError {
        CaptureError(
            .cancelled, "Its group \(name) was cancelled: \(error.message)", remedies: error.remedies,
            underlying: [error])
    }

    fileprivate static func groupHasEnded(_ name: String) -> CaptureError {
        CaptureError(
            .usage, "\(name) can't be added: its group has ended.",
            remedies: [Remedy("Add it before the last child ends, or to a queue.")])
    }

    fileprivate static func waitsForGroup(_ name: String) -> CaptureError {
        CaptureError(
            .deadlock, "\(name) can't wait for its own group.",
            remedies: [Remedy("Remove the dependency.")])
    }
}

extension OperationOutcome {
    /// Error of an operation that was refused or failed; a cancelled one has none.
    var error: CaptureError? {
        switch self {
        case .succeeded, .cancelled, .cancelledWithOutput: nil
        case .refused(let error): error
        case .failed(let error):
            (error as? CaptureError) ?? CaptureError(.conditionFailed, "A child of the group failed: \(error)")
        }
    }
}
