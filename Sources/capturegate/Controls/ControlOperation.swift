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

/// The operation: it gets its permit from the gate, and opens the device with it.
struct ControlOperation: CaptureOperation {
    let authorization: AuthorizedFor<Capability.All>
    private let requests: [ControlRequest]
    private let isReset: Bool

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

    func execute(
        with permit: consuming Permit, in context: OperationContext
    ) async throws(CaptureError) -> ControlOutcome {
        var permit = permit
        guard let id = permit.devices.first?.device.id, let part = permit.take(id) else {
            throw CaptureError(.notAuthorized, "The permit is empty.")
        }
        let session = try await ControlSession(opening: part)
        let outcome: Result<ControlOutcome, CaptureError>
        do throws(CaptureError) { outcome = .success(try work(session)) } catch { outcome = .failure(error) }
        await session.close(Self.summary(outcome, sets: isReset || requests.contains { $0.value != nil }))
        return try outcome.get()
    }

    private func work(_ session: borrowing ControlSession) throws(CaptureError) -> ControlOutcome {
        let all = try session.controls()
        var steps: [ControlStep] = []
        for request in requests { steps.append(try ControlStep(request, session, all)) }
        if isReset { return ControlOutcome(try session.reset(steps.isEmpty ? all : steps.map(\.control))) }
        if steps.isEmpty { return ControlOutcome(all.map { ControlResult($0) }) }
        var results: [ControlResult] = []
        for step in steps {
            do throws(CaptureError) {
                results.append(try step.run(session))
            } catch {
                throw error.after(results)
            }
        }
        return ControlOutcome(results)
    }

    // MARK: For people

    private static func purpose(_ requests: [ControlRequest], _ isReset: Bool) -> String {
        let set = requests.filter { $0.value != nil }.map(\.name.visible)
        if isReset { return "Set its controls to their defaults" }
        return set.isEmpty ? "Read its controls" : "Set its controls \(set.joined(separator: ", "))"
    }

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
    /// The same, with what was set before it went wrong.
    fileprivate func after(_ results: [ControlResult]) -> CaptureError {
        let set = results.filter { $0.asked != nil }.map { "\($0.control.name)=\($0.control.value?.text ?? "")" }
        guard !set.isEmpty else { return self }
        return CaptureError(
            kind, "\(message) Set before it: \(set.joined(separator: ", ")).", errno: errno, remedies: remedies,
            underlying: underlying)
    }
}

/// One thing to be done, its name and value understood.
struct ControlStep {
    let control: DeviceControl
    private let value: ControlValue?

    /// - Throws: `.usage` for a name or a value that the device has not.
    init(
        _ request: ControlRequest, _ session: borrowing ControlSession, _ all: [DeviceControl]
    ) throws(CaptureError) {
        control = try session.control(named: request.name, among: all)
        value = if let text = request.value { try control.value(parsing: text) } else { nil }
    }

    func run(_ session: borrowing ControlSession) throws(CaptureError) -> ControlResult {
        if let value { return ControlResult(try session.set(control, to: value)) }
        return ControlResult(try session.read(control))
    }
}

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

/// What a control is, and what it was asked to be.
struct ControlResult: Sendable {
    let control: DeviceControl
    let asked: ControlValue?
    let isAsAsked: Bool

    init(_ control: DeviceControl) {
        self.control = control
        asked = nil
        isAsAsked = true
    }

    init(_ change: ControlChange) {
        control = change.control
        asked = change.asked
        isAsAsked = change.isAsAsked
    }
}
