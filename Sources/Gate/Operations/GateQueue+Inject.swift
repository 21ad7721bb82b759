import CaptureBase

extension GateQueue {
    /// Adds an operation that is made of the output of another one, which may be in another queue.
    ///
    /// It waits for that one like for any dependency. Where that one has no output this one is refused, with its error.
    @discardableResult
    public func add<Input: Sendable, InputFailure: Error, Next: QueuedOperation>(
        injecting handle: OperationHandle<Input, InputFailure>, after dependencies: [any OperationReference] = [],
        _ make: @escaping @Sendable (Input) -> Next
    ) -> OperationHandle<Next.Output, Next.Failure> {
        add(InjectedOperation(input: handle, make: make), after: dependencies + [handle])
    }
}

/// An operation that is made when its input is there.
struct InjectedOperation<Input: Sendable, InputFailure: Error, Next: QueuedOperation>: QueuedOperation {
    typealias Output = Next.Output
    typealias Failure = Next.Failure

    let input: OperationHandle<Input, InputFailure>
    let make: @Sendable (Input) -> Next

    var name: String { "Injected(\(Next.self))" }

    func perform(in context: OperationContext) async -> OperationResult<Output, Failure> {
        switch await input.result {
        case .success(let value): return await context.perform(make(value))
        case .failure(.cancelled): return .failure(.refused(CaptureError(.cancelled, "The input was cancelled.")))
        case .failure(.refused(let error)): return .failure(.refused(.withoutInput(error)))
        case .failure(.failed(let error)): return .failure(.refused(.withoutInput(error)))
        }
    }
}

extension CaptureError {
    fileprivate static func withoutInput(_ cause: any Error) -> CaptureError {
        guard let known = cause as? CaptureError else {
            return CaptureError(.conditionFailed, "The operation before has no result: \(cause)")
        }
        return CaptureError(
            .conditionFailed, "The operation before has no result: \(known.message)", remedies: known.remedies,
            underlying: [known])
    }
}
