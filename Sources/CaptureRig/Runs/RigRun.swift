import CaptureGate

/// A run of a plan: its steps one after another, behind the gate, without a question to anybody.
///
/// What can't be measured is an error, and never a pass; a device that is not there is missed. Nothing is tried twice.
///
/// *thread-safe*
package struct RigRun: Sendable {
    private let plan: RigPlan
    private let queue: GateQueue
    private let devices: RigDevices
    private let commands: CommandRunner
    private let begun = ContinuousClock.now

    /// Progress of a run.
    package enum Event: Sendable {
        case began(PlannedCheck)
        case ended(CheckResult)
    }

    /// Prepares a run; nothing is opened.
    ///
    /// - Parameters:
    ///   - plan: as it was read.
    ///   - gatekeeper: asks nobody where it is `Gatekeeper.system(prompter: BenchPrompter())`.
    ///   - devices: those of the machine.
    package init(_ plan: RigPlan, gatekeeper: Gatekeeper, among devices: [Device]) {
        self.plan = plan
        queue = GateQueue(gatekeeper: gatekeeper)
        self.devices = RigDevices(plan, among: devices)
        commands = CommandRunner()
    }

    /// Runs all steps. After a cancellation what has not run is in the results, too, as skipped.
    ///
    /// - Parameter onEvent: called on the task that runs a check.
    package func results(onEvent: @escaping @Sendable (Event) -> Void = { _ in }) async -> [CheckResult] {
        var results: [CheckResult] = []
        for step in plan.steps {
            switch step {
            case .check(let check): results.append(await result(of: check, onEvent))
            case .parallel(let checks): results += await together(checks, onEvent)
            case .command(let command):
                if let error = await commands.failure(of: command) { results.append(broken(command, error)) }
            }
        }
        return results
    }

    /// Results in the plan's order, whichever ends first.
    private func together(
        _ checks: [PlannedCheck], _ onEvent: @escaping @Sendable (Event) -> Void
    ) async -> [CheckResult] {
        await withTaskGroup(of: (Int, CheckResult).self) { group in
            for (index, check) in checks.enumerated() {
                group.addTask { (index, await result(of: check, onEvent)) }
            }
            var results: [(Int, CheckResult)] = []
            for await result in group { results.append(result) }
            return results.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func result(
        of planned: PlannedCheck, _ onEvent: @Sendable (Event) -> Void
    ) async -> CheckResult {
        let begins = seconds(since: begun)
        var result = CheckResult(
            name: planned.name, check: planned.check, variant: planned.variant, round: planned.round, begins: begins)
        if Task.isCancelled {
            (result.verdict, result.message) = (.skip, "The plan was interrupted before.")
            return result
        }
        onEvent(.began(planned))
        do throws(CaptureError) {
            let device = try devices.device(planned.devices.first ?? "")
            result.device = RigDevice(device, as: planned.devices.first ?? "")
            let findings = try await findings(of: planned, on: device)
            guard let check = CheckCatalogue.check(planned.check) else { throw .unknown(planned.check) }
            result.measures = findings.measures(of: check, limits: planned.limits)
            result.series = findings.series
            result.verdict = result.measures.map(\.verdict).max() ?? .error
            result.message = findings.message
        } catch {
            (result.verdict, result.message) = (error.verdict, error.message)
        }
        result.seconds = seconds(since: begun) - begins
        onEvent(.ended(result))
        return result
    }

    /// The commands after a check run also where it failed: they switch the light on again.
    private func findings(of planned: PlannedCheck, on device: Device) async throws(CaptureError) -> CheckFindings {
        var failure: CaptureError?
        var findings: CheckFindings?
        for command in planned.before where failure == nil { failure = await commands.failure(of: command) }
        if failure == nil {
            do throws(CaptureError) { findings = try await measured(planned, on: device) } catch { failure = error }
        }
        for command in planned.after {
            let ending = await commands.failure(of: command)
            failure = failure ?? ending
        }
        if let failure { throw failure }
        return findings ?? CheckFindings()
    }

    private func measured(_ planned: PlannedCheck, on device: Device) async throws(CaptureError) -> CheckFindings {
        // It was found: one that is away is missed before this.
        if planned.check.hasSuffix(".present") {
            return CheckFindings(measures: [Measure("present", 1, "devices", .higher)])
        }
        guard StreamCheck.names.contains(planned.check) else { throw .unknown(planned.check) }
        let check = try StreamCheck(planned)
        return try await queue.run(
            DeviceOperation(device, purpose: "Test the hardware; nothing is kept") {
                (permit: consuming DevicePermit) async throws(CaptureError) in
                try await check.findings(with: permit)
            })
    }

    private func broken(_ command: PlanCommand, _ error: CaptureError) -> CheckResult {
        CheckResult(
            name: "command." + (command.arguments.first ?? ""), check: "command", verdict: .error,
            message: error.message, begins: seconds(since: begun))
    }

    private func seconds(since start: ContinuousClock.Instant) -> Double {
        Double((ContinuousClock.now - start).nanoseconds) / 1e9
    }
}

/// Prompter of a bench: asks nobody, so that no plan waits for an answer. Grants are issued ahead.
///
/// *thread-safe*
package struct BenchPrompter: Prompter {
    package init() {}

    package var name: String { "bench" }

    package func obstacle() async -> CaptureError? {
        CaptureError(.notAuthorized, "A bench asks nobody: its grants are issued ahead.")
    }

    package func ask(_ question: Question) async -> Answer { .dismissed }
}

extension CaptureError {
    fileprivate static func unknown(_ check: String) -> CaptureError {
        CaptureError(.usage, "This program can't make the check \(check).")
    }

    /// Meaning for the hardware: a device that is away is missed, one that does otherwise than asked fails, and everything else
    /// is the bench's fault.
    fileprivate var verdict: Verdict {
        switch kind {
        case .noDevice: .miss
        case .deviceGone, .stalled, .notAsAsked: .fail
        case .cancelled: .skip
        default: .error
        }
    }
}
