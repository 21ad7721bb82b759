import CaptureBase

/// A condition made of others. It is taken apart, so that its parts are evaluated at once and a question is asked only
/// where its answer can still change the outcome.
protocol ComposedCondition: OperationCondition {
    /// Numbers its leaves in `leaves` and says how they come together.
    func tree(_ leaves: inout ConditionLeaves) -> ConditionTree
}

extension ComposedCondition {
    public func evaluate(in context: OperationContext) async -> ConditionResult {
        let evaluation = ConditionEvaluation([self])
        guard let error = await evaluation.silently(in: context) else { return .satisfied }
        return .failed(error)
    }

    /// Asks what is open in it: for a condition of somebody else's that has this one as a part.
    public func dependency(in context: OperationContext) async -> (any GateOperation)? {
        guard await ConditionEvaluation([self]).isOpen(in: context) else { return nil }
        return ResolveCondition(condition: self)
    }
}

/// The conditions of which others are composed.
struct ConditionLeaves {
    struct Leaf: Sendable {
        let condition: any OperationCondition
        /// Nothing may be asked for it.
        let isSilent: Bool
    }

    private(set) var all: [Leaf] = []
    private var silence = 0

    mutating func tree(of condition: any OperationCondition) -> ConditionTree {
        if let composed = condition as? any ComposedCondition { return composed.tree(&self) }
        all.append(Leaf(condition: condition, isSilent: silence > 0))
        return .leaf(all.count - 1)
    }

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
