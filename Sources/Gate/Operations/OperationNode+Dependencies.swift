extension OperationNode {
    /// Has `dependent` wait for this one.
    /// - Returns: how this one ended, where it has: there is nothing to wait for then.
    func addDependent(_ dependent: OperationNode) -> DependencyOutcome? {
        let outcome = state.withLock { state -> OperationOutcome? in
            if case .finished(let end) = state.phase { return end.outcome }
            state.dependents.append(dependent)
            return nil
        }
        return outcome.map { DependencyOutcome(name: work.name, outcome: $0) }
    }

    /// Counts a dependency; `false` if it is too late for one.
    func addPending() -> Bool {
        state.withLock { state in
            guard state.isIdle, !state.isCancelled else { return false }
            state.pending += 1
            return true
        }
    }

    /// A dependency has finished, or adding has.
    /// - Returns: whether it was the last one, and the queue has to look at the operation.
    func settle(_ outcome: DependencyOutcome?) -> Bool {
        state.withLock { state in
            if let outcome { state.outcomes.append(outcome) }
            state.pending -= 1
            return state.pending == 0 && state.isIdle
        }
    }
}
