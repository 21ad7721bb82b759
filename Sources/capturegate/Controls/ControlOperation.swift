import CaptureGate

/// Run of the controls operation, from the question to the last value.
struct ControlJob {
    let operation: ControlOperation

    /// Runs the operation and waits for its result.
    ///
    /// - Throws: the gate's refusal, or what went wrong at the device.
    func run() async throws(CaptureError) -> ControlOutcome {
        let handle = GateQueue().add(operation)
        // A signal dismisses an open question. Once values are being set it comes too late, which is right:
        // half a setting helps nobody.
        let signals = SignalSubscription { _ in handle.cancel() }
        defer { withExtendedLifetime(signals) {} }
        switch await handle.result {
        case .success(let outcome): return outcome
        case .failure(.refused(let error)), .failure(.failed(let error)): throw error
        case .failure(.cancelled):
            throw CaptureError(.dismissed, "Stopped before any control was set.")
        }
    }
}

/// Operation on a device's controls: it receives a permit from the gate and opens the device with it.
///
/// The lowest level is asked for, since controls show no frame and no sample; and the device may be shared
/// with a running capture, whose image is what one adjusts.
struct ControlOperation: CaptureOperation {
    let authorization: AuthorizedFor<Capability.All>
    private let requests: [ControlRequest]
    private let isReset: Bool

    /// Makes the operation.
    ///
    /// - Parameters:
    ///   - device: camera or microphone.
    ///   - requests: what to read and set; empty for all controls.
    ///   - isReset: true to set defaults instead of values.
    init(device: Device, requests: [ControlRequest], isReset: Bool) {
        self.requests = requests
        self.isReset = isReset
        authorization = AuthorizedFor(
            Capability.All([
                DeviceRequest(
                    capability: device.capability, level: device.capability == .camera ? .still : .meter,
                    device: .id(device.id), purpose: Self.purpose(requests, isReset), isShared: true)
            ]))
    }

    /// Opens the device, does the work, and closes it with a summary for the audit log.
    func execute(
        with permit: consuming Permit, in context: OperationContext
    ) async throws(CaptureError) -> ControlOutcome {
        var permit = permit
        guard let id = permit.devices.first?.device.id, let part = permit.take(id) else {
            throw CaptureError(.notAuthorized, "The permit is empty.")
        }
        let session = try await ControlSession(opening: part)
        // As a value, so that the session is closed in both cases:
        // closing is asynchronous and can't be in a `defer`.
        let outcome: Result<ControlOutcome, CaptureError>
        do throws(CaptureError) { outcome = .success(try work(session)) } catch { outcome = .failure(error) }
        await session.close(Self.summary(outcome, sets: isReset || requests.contains { $0.value != nil }))
        return try outcome.get()
    }

    /// Reads and sets the controls in the order of the command line, which matters: an automatic mode must be off before its
    /// control takes a value.
    private func work(_ session: borrowing ControlSession) throws(CaptureError) -> ControlOutcome {
        let all = try session.controls()
        var steps: [ControlStep] = []
        // All are checked before the first is set, so a typing error changes nothing.
        for request in requests { steps.append(try ControlStep(request, session, all)) }
        if isReset { return ControlOutcome(try session.reset(steps.isEmpty ? all : steps.map(\.control))) }
        if steps.isEmpty { return ControlOutcome(all.map { ControlResult($0) }) }
        var results: [ControlResult] = []
        for step in steps {
            do throws(CaptureError) {
                results.append(try step.run(session))
            } catch {
                // Values that were set stay set, so the error names them.
                throw error.after(results)
            }
        }
        return ControlOutcome(results)
    }

    // MARK: For people

    /// Purpose for the question and the audit log: the names that will be set, so that a person knows what is
    /// agreed to.
    private static func purpose(_ requests: [ControlRequest], _ isReset: Bool) -> String {
        let set = requests.filter { $0.value != nil }.map(\.name.visible)
        if isReset { return "Set its controls to their defaults" }
        return set.isEmpty ? "Read its controls" : "Set its controls \(set.joined(separator: ", "))"
    }

    /// Summary for the audit log: what was set, and to what.
    private static func summary(_ outcome: Result<ControlOutcome, CaptureError>, sets: Bool) -> String {
        switch outcome {
        case .failure(let error): return error.message
        case .success(let outcome):
            let set = outcome.results.filter { $0.asked != nil }.map {
                "\($0.control.name)=\($0.control.value?.text ?? "")"
            }
            return sets ? "controls set: " + set.joined(separator: ", ") : "controls read"
        }
    }
}

extension CaptureError {
    /// Error with the controls that had been set before it.
    fileprivate func after(_ results: [ControlResult]) -> CaptureError {
        let set = results.filter { $0.asked != nil }.map { "\($0.control.name)=\($0.control.value?.text ?? "")" }
        guard !set.isEmpty else { return self }
        return CaptureError(
            kind, "\(message) Already set: \(set.joined(separator: ", ")).", errno: errno, remedies: remedies,
            underlying: underlying)
    }
}

/// Request whose name and value the device understands.
struct ControlStep {
    let control: DeviceControl
    private let value: ControlValue?

    /// Looks a request up among the device's controls.
    ///
    /// - Throws: `.usage` for a name or a value that the device does not have.
    init(
        _ request: ControlRequest, _ session: borrowing ControlSession, _ all: [DeviceControl]
    ) throws(CaptureError) {
        control = try session.control(named: request.name, among: all)
        value = if let text = request.value { try control.value(parsing: text) } else { nil }
    }

    /// Sets or reads the control. Setting reads back, since drivers adjust values.
    func run(_ session: borrowing ControlSession) throws(CaptureError) -> ControlResult {
        if let value { return ControlResult(try session.set(control, to: value)) }
        return ControlResult(try session.read(control))
    }
}

/// Results of reading, setting or resetting controls.
struct ControlOutcome: Sendable {
    /// Controls that were read or set, in the order of the command
    /// line. If all were requested, in the device's order.
    let results: [ControlResult]
    /// Controls that could not be set to their defaults.
    var failures: [ControlReset.Failure] = []

    init(_ results: [ControlResult]) { self.results = results }

    /// Results of a reset, which continues after a failure, so that all other controls get their defaults.
    init(_ reset: ControlReset) {
        results = reset.changes.map { ControlResult($0) }
        failures = reset.failures
    }
}

/// Control after it was read or set, with the value that was asked for.
struct ControlResult: Sendable {
    let control: DeviceControl
    /// Value that was asked for; `nil` if the control was only read.
    let asked: ControlValue?
    /// True if the device took that value, or none was asked for.
    let isAsAsked: Bool

    /// Result of reading.
    init(_ control: DeviceControl) {
        self.control = control
        asked = nil
        isAsAsked = true
    }

    /// Result of setting and reading back.
    init(_ change: ControlChange) {
        control = change.control
        asked = change.asked
        isAsAsked = change.isAsAsked
    }
}
