import CaptureBase

/// What a child of a group can depend on: the children that were added before.
public protocol GroupReference: Sendable {
    /// The child's place in its group.
    var position: GroupPosition { get }
}

/// A child's place in its group.
///
/// *thread-safe*
public struct GroupPosition: Sendable {
    let index: Int
}

extension GroupOperation.Child: GroupReference {
    public var position: GroupPosition { GroupPosition(index: index) }
}

/// A child without its types.
protocol GroupChild: Sendable {
    var name: String { get }
    var dependencies: [Int] { get }
    var exclusions: Set<String> { get }

    func start(in core: QueueCore, after dependencies: [OperationNode], _ holdings: Holdings) -> RunningChild
}

/// A child that has been added to its group's queue.
struct RunningChild: Sendable {
    let node: OperationNode
    let result: @Sendable (OperationEnd) -> any Sendable
}

struct TypedChild<O: QueuedOperation>: GroupChild {
    let operation: O
    let dependencies: [Int]

    var name: String { operation.name }
    var exclusions: Set<String> { operation.allConditions.reduce(into: []) { $0.formUnion($1.exclusions) } }

    func start(in core: QueueCore, after dependencies: [OperationNode], _ holdings: Holdings) -> RunningChild {
        let node = core.add(OperationBody(operation), holding: holdings, after: dependencies)
        return RunningChild(node: node) { end -> OperationResult<O.Output, O.Failure> in end.result() }
    }
}

extension OperationOutcome {
    /// The error of an operation that was refused or failed. A cancelled one has none.
    var error: CaptureError? {
        switch self {
        case .succeeded, .cancelled: nil
        case .refused(let error): error
        case .failed(let error):
            (error as? CaptureError) ?? CaptureError(.conditionFailed, "A part of it failed: \(error)")
        }
    }
}
