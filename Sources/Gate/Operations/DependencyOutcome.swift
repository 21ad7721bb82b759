/// How an operation that another one waited for has ended.
public struct DependencyOutcome: Sendable {
    public let name: String
    public let outcome: OperationOutcome
}
