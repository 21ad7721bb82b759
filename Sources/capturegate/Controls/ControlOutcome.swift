import CaptureGate

/// What became of a visit to a device's controls.
struct ControlOutcome: Sendable {
    let results: [ControlResult]
    /// Controls that could not be set to their defaults.
    var failures: [ControlReset.Failure] = []

    init(_ results: [ControlResult]) { self.results = results }

    init(_ reset: ControlReset) {
        results = reset.changes.map { ControlResult($0) }
        failures = reset.failures
    }
}
