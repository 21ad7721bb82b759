import CaptureBase

/// Satisfied if all of its conditions are; also without any.
///
/// *thread-safe*
public struct AndCondition: OperationCondition, ComposedCondition {
    public let conditions: [any OperationCondition]

    public init(_ conditions: any OperationCondition...) {
        self.conditions = conditions
    }

    public init(_ conditions: [any OperationCondition]) {
        self.conditions = conditions
    }

    public var name: String { "And(\(conditions.map(\.name).joined(separator: ", ")))" }
    public var exclusions: Set<String> { conditions.reduce(into: []) { $0.formUnion($1.exclusions) } }

    func tree(_ leaves: inout ConditionLeaves) -> ConditionTree {
        .all(conditions.map { leaves.tree(of: $0) })
    }
}

/// Satisfied if one of its conditions is; never satisfied without conditions. Does not ask if a condition that needs no
/// question is satisfied.
///
/// *thread-safe*
public struct OrCondition: OperationCondition, ComposedCondition {
    public let conditions: [any OperationCondition]

    public init(_ conditions: any OperationCondition...) {
        self.conditions = conditions
    }

    public init(_ conditions: [any OperationCondition]) {
        self.conditions = conditions
    }

    public var name: String { "Or(\(conditions.map(\.name).joined(separator: ", ")))" }
    public var exclusions: Set<String> { conditions.reduce(into: []) { $0.formUnion($1.exclusions) } }

    func tree(_ leaves: inout ConditionLeaves) -> ConditionTree {
        .any(conditions.map { leaves.tree(of: $0) }, name: name)
    }
}

/// Satisfied if its condition is not.
///
/// *thread-safe*
public struct NegatedCondition<Wrapped: OperationCondition>: OperationCondition, ComposedCondition {
    public let condition: Wrapped

    public init(_ condition: Wrapped) {
        self.condition = condition
    }

    public var name: String { "Negated(\(condition.name))" }
    public var exclusions: Set<String> { condition.exclusions }

    func tree(_ leaves: inout ConditionLeaves) -> ConditionTree {
        .not(leaves.tree(of: condition), name: condition.name)
    }
}

/// Evaluates a condition, with its question, and is satisfied however that ends.
///
/// It opens nothing: a capture operation gets its permit from store and policy, or none.
///
/// *thread-safe*
public struct IgnoredCondition<Wrapped: OperationCondition>: OperationCondition, ComposedCondition {
    public let condition: Wrapped

    public init(_ condition: Wrapped) {
        self.condition = condition
    }

    public var name: String { "Ignored(\(condition.name))" }
    public var exclusions: Set<String> { condition.exclusions }

    func tree(_ leaves: inout ConditionLeaves) -> ConditionTree { .ignoring(leaves.tree(of: condition)) }
}

/// Evaluates a condition without asking, including all its parts.
///
/// *thread-safe*
public struct SilentCondition<Wrapped: OperationCondition>: OperationCondition, ComposedCondition {
    public let condition: Wrapped

    public init(_ condition: Wrapped) {
        self.condition = condition
    }

    public var name: String { "Silent(\(condition.name))" }
    public var exclusions: Set<String> { condition.exclusions }

    func tree(_ leaves: inout ConditionLeaves) -> ConditionTree { leaves.silently(condition) }
}

/// Condition made of others. It is split, so that its parts are evaluated at once, and a question is asked only if its answer can
/// still change the result.
protocol ComposedCondition: OperationCondition {
    /// Numbers its leaves in `leaves` and returns their composition.
    func tree(_ leaves: inout ConditionLeaves) -> ConditionTree
}

extension ComposedCondition {
    public func evaluate(in context: OperationContext) async -> ConditionResult {
        let evaluation = ConditionEvaluation([self])
        guard let error = await evaluation.silently(in: context) else { return .satisfied }
        return .failed(error)
    }

    /// Asks the open questions in it: for another package's condition that has this one as a part.
    public func dependency(in context: OperationContext) async -> (any GateOperation)? {
        guard await ConditionEvaluation([self]).isOpen(in: context) else { return nil }
        return ResolveCondition(condition: self)
    }
}

/// The conditions that others are composed of.
struct ConditionLeaves {
    struct Leaf: Sendable {
        let condition: any OperationCondition
        /// True if no question may be asked for it.
        let isSilent: Bool
    }

    private(set) var all: [Leaf] = []
    /// Depth of silent conditions around the present one.
    private var silence = 0

    mutating func tree(of condition: any OperationCondition) -> ConditionTree {
        if let composed = condition as? any ComposedCondition { return composed.tree(&self) }
        all.append(Leaf(condition: condition, isSilent: silence > 0))
        return .leaf(all.count - 1)
    }

    /// Adds a condition whose leaves ask nothing.
    mutating func silently(_ condition: any OperationCondition) -> ConditionTree {
        silence += 1
        defer { silence -= 1 }
        return tree(of: condition)
    }
}

/// Evaluates a condition with its questions.
struct ResolveCondition: GateOperation {
    let condition: any OperationCondition
    var name: String { condition.name }

    func execute(in context: OperationContext) async throws(CaptureError) {
        if let error = await ConditionEvaluation([condition]).failure(in: context) { throw error }
    }
}

/// Composition of conditions; the leaves are numbered.
indirect enum ConditionTree: Sendable {
    case leaf(Int)
    case all([ConditionTree])
    case any([ConditionTree], name: String)
    case not(ConditionTree, name: String)
    case ignoring(ConditionTree)

    /// State of a leaf or a composition.
    enum Verdict: Sendable {
        case satisfied
        case failed([CaptureError])
        /// Leaves that need a question.
        case open(Set<Int>)
    }

    /// Verdict from the leaves known so far. Errors are those of all failed conditions; an open leaf that can't change
    /// the outcome is not among the open ones.
    func verdict(_ leaf: (Int) -> ConditionResult?) -> Verdict {
        switch self {
        case .leaf(let index): Verdict(leaf(index), index)
        case .all(let parts): .all(parts.map { $0.verdict(leaf) })
        case .any(let parts, let name): .any(parts.map { $0.verdict(leaf) }, name)
        case .not(let part, let name): part.verdict(leaf).negated(name)
        case .ignoring(let part): part.verdict(leaf).ignored
        }
    }
}

extension ConditionTree.Verdict {
    init(_ result: ConditionResult?, _ index: Int) {
        switch result {
        case .satisfied: self = .satisfied
        case .failed(let error): self = .failed([error])
        case nil: self = .open([index])
        }
    }

    /// One failure decides, even if other parts are open: no question is asked in vain.
    static func all(_ parts: [Self]) -> Self {
        let errors = parts.errors
        if !errors.isEmpty { return .failed(errors) }
        let open = parts.openLeaves
        return open.isEmpty ? .satisfied : .open(open)
    }

    /// A satisfied part decides, whatever is still open.
    static func any(_ parts: [Self], _ name: String) -> Self {
        if parts.contains(where: { if case .satisfied = $0 { true } else { false } }) { return .satisfied }
        let open = parts.openLeaves
        guard open.isEmpty else { return .open(open) }
        let errors = parts.errors
        return .failed(errors.isEmpty ? [CaptureError(.conditionFailed, "\(name) has no conditions.")] : errors)
    }

    /// Verdict of the opposite; an open one stays open.
    func negated(_ name: String) -> Self {
        switch self {
        case .satisfied:
            .failed([CaptureError(.conditionFailed, "The condition \"\(name)\" is true, but must not be.")])
        case .failed: .satisfied
        case .open: self
        }
    }

    /// Failure counts as satisfied. An open one stays open, so that its question is asked.
    var ignored: Self {
        if case .failed = self { .satisfied } else { self }
    }
}

extension [ConditionTree.Verdict] {
    fileprivate var errors: [CaptureError] {
        reduce(into: []) { all, part in
            if case .failed(let errors) = part { all += errors }
        }
    }

    fileprivate var openLeaves: Set<Int> {
        reduce(into: []) { open, part in
            if case .open(let leaves) = part { open.formUnion(leaves) }
        }
    }
}
