import CaptureBase

/// Something that must hold before an operation executes.
///
/// *thread-safe*
public protocol OperationCondition: Sendable {
    var name: String { get }

    /// Categories of mutual exclusion: of two operations that share one, only one executes at a time. None by default.
    var exclusions: Set<String> { get }

    /// What has to run before `evaluate` can be satisfied, such as a question. `nil`, the default: it asks nothing.
    ///
    /// It runs only if no condition that asks nothing has failed, and only where its outcome still matters.
    func dependency(in context: OperationContext) async -> (any GateOperation)?

    /// Whether it holds now. Nobody is asked from here.
    func evaluate(in context: OperationContext) async -> ConditionResult
}

extension OperationCondition {
    public var name: String { String(describing: Self.self) }
    public var exclusions: Set<String> { [] }
    public func dependency(in context: OperationContext) async -> (any GateOperation)? { nil }
}

/// What a condition says.
public enum ConditionResult: Hashable, Sendable {
    case satisfied
    case failed(CaptureError)

    public var isSatisfied: Bool { self == .satisfied }
}
