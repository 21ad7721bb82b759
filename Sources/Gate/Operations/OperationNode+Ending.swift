import CaptureBase

extension OperationNode {
    enum CancelAction {
        case nothing
        /// It never ran: finish it.
        case finish
        case cancel(RunningTask?)
    }

    func cancel(because reason: CaptureError?) -> CancelAction {
        state.withLock { state in
            guard !state.isFinished, !state.isCancelled else { return .nothing }
            state.isCancelled = true
            state.cancelReason = reason
            if state.isIdle { return .finish }
            state.isBeingCancelled = state.task != nil
            return .cancel(state.task)
        }
    }

    func carryOut(_ action: CancelAction) {
        switch action {
        case .nothing: break
        case .cancel(let task):
            terms?.monitor?.didCancel()
            task?.cancel()
            letGo()
        case .finish:
            terms?.monitor?.didCancel()
            core?.end(self, abandoned())
        }
    }

    /// The task has been cancelled, so that it may end.
    private func letGo() {
        let departure = state.withLock { state in
            state.isBeingCancelled = false
            return state.departure.take()
        }
        departure?.resume()
    }

    /// What is to be done when it has finished.
    struct Farewell {
        /// Somebody is cancelling its task, which has to wait for that.
        let isBeingCancelled: Bool
        let dependents: [OperationNode]
        let waiting: [CheckedContinuation<OperationEnd, Never>]
    }

    /// - Returns: `nil` if it had finished before.
    func finish(_ end: OperationEnd) -> Farewell? {
        state.withLock { state in
            if state.isFinished { return nil }
            state.phase = .finished(end)
            state.task = nil
            defer {
                state.outcomes = []
                state.dependents = []
                state.waiting = []
            }
            return Farewell(
                isBeingCancelled: state.isBeingCancelled, dependents: state.dependents, waiting: state.waiting)
        }
    }

    /// How it ended, when it has.
    var end: OperationEnd {
        get async {
            if case .finished(let end) = state.withLock({ $0.phase }) { return end }
            return await withCheckedContinuation { continuation in
                let end = state.withLock { state -> OperationEnd? in
                    if case .finished(let end) = state.phase { return end }
                    state.waiting.append(continuation)
                    return nil
                }
                if let end { continuation.resume(returning: end) }
            }
        }
    }
}
