import CaptureGate

/// Run of a plan: its steps one after another, with the gate's permission, and without a question to anybody.
///
/// A check that can't measure is an error, never a pass; a device that is not present is missing. Nothing is tried twice.
///
/// *thread-safe*
package struct RigRun: Sendable {
    private let plan: RigPlan
    private let gatekeeper: Gatekeeper
    private let streams: any StreamSource
    private let devices: RigDevices
    private let options: Options
    private let commands = CommandRunner()
    private let begun = ContinuousClock.now

    /// Progress of a run.
    package enum Event: Sendable {
        case began(PlannedCheck)
        case ended(CheckResult)
    }

    /// Rights of a run to write, and results that it need not make again.
    package struct Options: Sendable {
        /// True to write golden files.
        package var accepts = false
        /// Directory of the report, in which evidence is kept; `nil` keeps none.
        package var directory: String?
        /// Results of an earlier run of the plan, which are kept: checks of these names do not run.
        package var earlier: [CheckResult] = []

        package init() {}
    }

    /// Prepares a run; nothing is opened.
    ///
    /// - Parameters:
    ///   - plan: plan to run.
    ///   - gatekeeper: asks nobody if it is `Gatekeeper.system(prompter: BenchPrompter())`.
    ///   - devices: devices of the machine.
    ///   - options: files that it may write.
    ///   - streams: captures from virtual devices; `nil` for real ones behind the gate.
    package init(
        _ plan: RigPlan, gatekeeper: Gatekeeper, among devices: [Device], options: Options = Options(),
        streams: (any StreamSource)? = nil
    ) {
        self.plan = plan
        self.gatekeeper = gatekeeper
        self.streams = streams ?? GatedStreams(GateQueue(gatekeeper: gatekeeper))
        self.devices = RigDevices(plan, among: devices)
        self.options = options
    }

    /// Runs all steps. After a cancellation what has not run is in the results, too, as skipped, and of the plan's programs only
    /// those run that come after a check which has begun.
    ///
    /// - Parameter onEvent: called on the task that runs a check.
    package func results(onEvent: @escaping @Sendable (Event) -> Void = { _ in }) async -> [CheckResult] {
        var results: [CheckResult] = []
        for step in plan.steps {
            switch step {
            case .check(let check): results.append(await result(of: check, onEvent))
            case .parallel(let checks): results += await together(checks, onEvent)
            case .command(let command):
                // What it would switch on, nothing would switch off again.
                if Task.isCancelled { continue }
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
            let devices = checks.flatMap(\.devices)
            // Two captures of one device may have to wait for each other.
            let captures = Set(devices).count == devices.count ? CaptureGroup(of: checks.count) : nil
            for (index, check) in checks.enumerated() {
                let member = captures.map { CaptureGroup.Member(of: $0) }
                group.addTask {
                    defer { member?.leave() }
                    return await CaptureGroup.Member.$current.withValue(member) {
                        (index, await result(of: check, onEvent))
                    }
                }
            }
            var results: [(Int, CheckResult)] = []
            for await result in group { results.append(result) }
            return results.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func result(
        of planned: PlannedCheck, _ onEvent: @Sendable (Event) -> Void
    ) async -> CheckResult {
        if let earlier = options.earlier.first(where: { $0.name == planned.name }) { return earlier }
        let begins = seconds(since: begun)
        var result = CheckResult(planned, of: plan, on: devices, begins: begins)
        if Task.isCancelled {
            (result.verdict, result.message) = (.skip, "The plan was interrupted before this check.")
            return result
        }
        onEvent(.began(planned))
        do throws(CaptureError) {
            let devices = try devices.devices(planned.devices)
            let findings = try await findings(of: planned, on: devices)
            guard let check = CheckCatalogue.check(planned.check) else { throw .unknown(planned.check) }
            if !findings.isSkipped { result.measures = findings.measures(of: check, limits: planned.limits) }
            (result.series, result.evidence) = (findings.series, findings.evidence)
            result.verdict = result.measures.map(\.verdict).max() ?? (findings.isSkipped ? .skip : .error)
            result.message = findings.message
        } catch {
            (result.verdict, result.message) = (error.verdict, error.message)
        }
        result.seconds = seconds(since: begun) - begins
        onEvent(.ended(result))
        return result
    }

    /// The commands after a check run even if it failed or was interrupted: they switch the light on again.
    private func findings(of planned: PlannedCheck, on devices: [Device]) async throws(CaptureError) -> CheckFindings {
        let made = await outcome { () async throws(CaptureError) in
            for command in planned.before {
                try CaptureError.checkInterruption()
                if let error = await commands.failure(of: command) { throw error }
            }
            try CaptureError.checkInterruption()
            return try await measured(planned, on: devices)
        }
        var ending: CaptureError?
        for command in planned.after {
            let failure = await commands.failure(of: command)
            ending = ending ?? failure
        }
        let findings = try made.get()
        if let ending { throw ending }
        return findings
    }

    private func measured(
        _ planned: PlannedCheck, on devices: [Device]
    ) async throws(CaptureError) -> CheckFindings {
        guard let make = CheckMakers.all[planned.check] else { throw .unknown(planned.check) }
        return try await make(
            CheckContext(
                planned, devices, streams: streams, gatekeeper: gatekeeper,
                golden: GoldenFiles(plan.golden, accepts: options.accepts),
                evidence: EvidenceFolder(options.directory), commands: commands))
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

extension CheckResult {
    /// A result of a check that has yet to be made.
    init(_ planned: PlannedCheck, of plan: RigPlan, on devices: RigDevices, begins: Double) {
        self.init(
            name: planned.name, check: planned.check, device: devices.named(for: planned), variant: planned.variant,
            round: planned.round, begins: begins, digest: plan.digest(of: planned))
    }
}

/// Prompter of a bench: asks nobody, so that no plan waits for an answer. Grants are issued ahead.
///
/// *thread-safe*
package struct BenchPrompter: Prompter {
    package init() {}

    package var name: String { "bench" }

    package func obstacle() async -> CaptureError? {
        CaptureError(.notAuthorized, "A bench can't ask. Grant its permissions before the run.")
    }

    package func ask(_ question: Question) async -> Answer { .dismissed }
}

extension CaptureError {
    fileprivate static func unknown(_ check: String) -> CaptureError {
        CaptureError(.usage, "This program does not support the check \(check).")
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
