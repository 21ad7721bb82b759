import CaptureGate

/// One visit to a device's controls, from the question to the last value.
struct ControlJob {
    let operation: ControlOperation

    func run() async throws(CaptureError) -> ControlOutcome {
        let handle = GateQueue().add(operation)
        // A signal dismisses the question that is open.
        let signals = SignalSubscription { _ in handle.cancel() }
        defer { withExtendedLifetime(signals) {} }
        switch await handle.result {
        case .success(let outcome): return outcome
        case .failure(.refused(let error)), .failure(.failed(let error)): throw error
        case .failure(.cancelled):
            throw CaptureError(.dismissed, "It was stopped before anything was set.")
        }
    }
}
