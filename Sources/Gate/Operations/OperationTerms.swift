/// What an operation has besides its work.
final class OperationTerms: Sendable {
    let conditions: [any OperationCondition]
    let monitor: OperationMonitor?
    /// What the operation that waits for this one holds.
    let holdings: Holdings
    /// Whether it may ask, as it was where the operation was added.
    let asking: AskingScope?

    init(_ body: OperationBody, holdings: Holdings, asking: AskingScope?, in gatekeeper: Gatekeeper) {
        conditions = body.conditions
        monitor = OperationMonitor(body, in: gatekeeper)
        self.holdings = holdings
        self.asking = asking
    }

    /// `nil` for an operation that has nothing to wait for and nobody to tell, as most: nothing is left but to execute it.
    static func unlessPlain(
        _ body: OperationBody, holdings: Holdings, asking: AskingScope?, in gatekeeper: Gatekeeper
    ) -> OperationTerms? {
        if body.conditions.isEmpty, body.observers.isEmpty, asking == nil, holdings.isEmpty { return nil }
        return OperationTerms(body, holdings: holdings, asking: asking, in: gatekeeper)
    }
}
