import Gate

/// A condition of somebody else's that has another one as a part.
struct Wrapping<Part: OperationCondition>: OperationCondition {
    let condition: Part

    func dependency(in context: OperationContext) async -> (any GateOperation)? {
        await condition.dependency(in: context)
    }

    func evaluate(in context: OperationContext) async -> ConditionResult { await condition.evaluate(in: context) }
}

/// A condition that asks although it must not.
struct Sneaky: OperationCondition {
    func evaluate(in context: OperationContext) async -> ConditionResult {
        let status = await context.gatekeeper.requestAccess(for: Capability.Microphone())
        return status.isAuthorized ? .satisfied : .failed(CaptureError(.notAuthorized, "No."))
    }
}

/// A condition that has something run before it is evaluated.
struct Producing<Output: Sendable, Failure: Error>: OperationCondition {
    let operation: ClosureOperation<Output, Failure>
    let evaluated: @Sendable () -> Void

    init(_ operation: ClosureOperation<Output, Failure>, evaluated: @escaping @Sendable () -> Void = {}) {
        self.operation = operation
        self.evaluated = evaluated
    }

    func dependency(in context: OperationContext) async -> (any GateOperation)? { operation }

    func evaluate(in context: OperationContext) async -> ConditionResult {
        evaluated()
        return .satisfied
    }
}

extension ConditionedOperation {
    func adding(_ conditions: any OperationCondition...) -> Self {
        var copy = self
        copy.conditions += conditions
        return copy
    }

    func observed(by observer: some OperationObserver) -> Self {
        var copy = self
        copy.addObserver(observer)
        return copy
    }
}
