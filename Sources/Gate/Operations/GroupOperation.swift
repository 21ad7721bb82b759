import CaptureBase

/// Several operations as one: it ends after the last of them, and cancelling it cancels them.
///
/// The error of the first child that failed or was refused is the group's. A child can't share a category of mutual
/// exclusion with the group or with what the group is a part of: that is an error at once.
///
/// *thread-safe*
public struct GroupOperation: GateOperation, ConditionedOperation {
    /// A child, by which others depend on it and its result is found.
    public struct Child<Output: Sendable, Failure: Error>: Sendable {
        let index: Int
    }

    /// The results of the children.
    public struct Results: Sendable {
        let all: [any Sendable]

        /// The result of a child of this group.
        /// - Returns: `nil` for the child of another group.
        public subscript<Output, Failure>(child: Child<Output, Failure>) -> OperationResult<Output, Failure>? {
            all.indices.contains(child.index) ? all[child.index] as? OperationResult<Output, Failure> : nil
        }
    }

    public let name: String
    public var conditions: [any OperationCondition] = []
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
        for child in children {
            guard let shared = child.exclusions.intersection(context.heldLocks.categories).min() else { continue }
            throw .waitsForItself(child.name, shared)
        }
        let first = FirstError()
        // A scheduler of its own: the width is the group's, and cancelling it reaches its children alone.
        let scheduler = Scheduler(gatekeeper: context.gatekeeper, width: width) {
            [stopsAtFirstError] scheduler, outcome in
            guard let error = outcome.error, first.keep(error), stopsAtFirstError else { return }
            scheduler.cancelAll()
        }
        let running = add(to: scheduler, context.heldLocks.nested)
        await withTaskCancellationHandler {
            await scheduler.waitUntilEmpty()
        } onCancel: {
            scheduler.cancelAll()
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

        /// Keeps an error if it is the first; tells whether it was.
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

/// Position of a child in its group: children are numbered in the order in which they were added.
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
    var exclusions: Set<String> { operation.allConditions.reduce(into: []) { $0.formUnion($1.exclusions) } }

    func start(in scheduler: Scheduler, after dependencies: [OperationNode], _ heldLocks: HeldLocks) -> RunningChild {
        let node = scheduler.add(OperationBody(operation), holding: heldLocks, after: dependencies)
        return RunningChild(node: node) { result -> OperationResult<O.Output, O.Failure> in result.typed() }
    }
}

extension OperationOutcome {
    /// Error of an operation that was refused or failed; a cancelled one has none.
    var error: CaptureError? {
        switch self {
        case .succeeded, .cancelled: nil
        case .refused(let error): error
        case .failed(let error):
            (error as? CaptureError) ?? CaptureError(.conditionFailed, "A part of it failed: \(error)")
        }
    }
}
