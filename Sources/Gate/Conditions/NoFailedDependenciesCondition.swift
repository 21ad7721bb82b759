import CaptureBase

/// Satisfied where no operation that this one waited for has failed or was cancelled. What a condition had run before its
/// evaluation, such as a question, is not among them.
///
/// *thread-safe*
public struct NoFailedDependenciesCondition: OperationCondition {
    /// Whether a cancelled dependency, which is not a failed one, is let pass.
    public let ignoringCancelled: Bool

    public init(ignoringCancelled: Bool = false) {
        self.ignoringCancelled = ignoringCancelled
    }

    public var name: String { "NoFailedDependencies" }

    public func evaluate(in context: OperationContext) async -> ConditionResult {
        let errors = context.dependencies.compactMap(error)
        return CaptureError.conditions(errors).map { .failed($0) } ?? .satisfied
    }

    private func error(_ dependency: DependencyOutcome) -> CaptureError? {
        switch dependency.outcome {
        case .succeeded: nil
        case .cancelled:
            ignoringCancelled ? nil : CaptureError(.cancelled, "\(dependency.name), which comes first, was cancelled.")
        case .refused(let error): failure(dependency.name, error)
        case .failed(let error): failure(dependency.name, error)
        }
    }

    private func failure(_ name: String, _ error: any Error) -> CaptureError {
        guard let known = error as? CaptureError else {
            return CaptureError(.conditionFailed, "\(name), which comes first, failed: \(error)")
        }
        return CaptureError(
            .conditionFailed, "\(name), which comes first, failed: \(known.message)", remedies: known.remedies,
            underlying: [known])
    }
}
