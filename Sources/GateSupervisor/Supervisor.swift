import CaptureGate
import Gate
import LinuxSystem

/// Devices and services that a supervised program may ask for, and reach.
///
/// *thread-safe*
package struct SupervisionRules: Sendable {
    /// Devices of a kind that a program may ask for.
    package enum Devices: Hashable, Sendable {
        case any
        case only(DeviceID)
        case none
    }

    package var camera: Devices
    package var microphone: Devices
    /// Reason for the capture, which the question shows.
    package var purpose: String
    /// Services that it may connect to although they could capture for it.
    package var services: ServiceRules

    package init(
        camera: Devices = .any, microphone: Devices = .any, purpose: String, services: ServiceRules = ServiceRules()
    ) {
        self.camera = camera
        self.microphone = microphone
        self.purpose = purpose
        self.services = services
    }

    /// Error where the person who started the program has ruled a device out.
    func refusal(of device: DeviceDescription, _ capability: CapabilityName) -> CaptureError? {
        let isLeft =
            switch capability == .camera ? camera : microphone {
            case .any: true
            case .only(let id): id == device.id
            case .none: false
            }
        guard !isLeft else { return nil }
        return CaptureError(
            .notAuthorized, "\(device.name) (\(device.id)) was excluded when the program was started.",
            remedies: [Remedy("Start it with --\(capability) \(device.id).")])
    }
}

/// Runs a program that does not use the gate, and controls its captures.
///
/// The program and all its children are in a Landlock domain without the gated nodes. The kernel reports their calls that open,
/// start and connect to the supervisor. It asks, opens the device itself, and passes the open file. When the permission ends, it
/// stops the stream. Frames do not pass through it.
///
/// *thread-safe*
package final class Supervisor: Sendable {
    /// Receiver of what a person should know while the program runs, a sentence each.
    package typealias Notice = @Sendable (String) -> Void

    private let nodes: any NodeDirectory
    private let rules: SupervisionRules
    private let boundary: Boundary
    private let isAdvisory: Bool
    private let gatekeeper: @Sendable (Subject) -> Gatekeeper
    private let notice: Notice

    /// - Parameters:
    ///   - rules: devices and services that it may ask for.
    ///   - nodes: knows the device nodes.
    ///   - isAdvisory: true to run it even if the kernel lacks a feature, with the remaining ones.
    ///   - gatekeeper: makes the gate of a program.
    ///   - notice: called with messages for the person, on any thread.
    package init(
        rules: SupervisionRules, nodes: any NodeDirectory, isAdvisory: Bool = false,
        gatekeeper: @escaping @Sendable (Subject) -> Gatekeeper, notice: @escaping Notice
    ) {
        self.rules = rules
        self.nodes = nodes
        self.isAdvisory = isAdvisory
        self.gatekeeper = gatekeeper
        self.notice = notice
        boundary = Boundary(nodes: nodes)
    }

    /// Runs the program until all its processes have ended.
    ///
    /// - Parameters:
    ///   - path: absolute.
    ///   - arguments: all of them, the program's name first.
    ///   - environment: as `NAME=VALUE`.
    ///   - begun: gets the run, through which it can be ended.
    /// - Returns: how the program itself ended.
    /// - Throws: `.unavailable` if the kernel lacks a feature, a descriptor that bypasses the gate was inherited, or the program
    ///   can't be started.
    package func run(
        _ path: String, arguments: [String], environment: [String], begun: @Sendable (SupervisedRun) -> Void = { _ in }
    ) async throws(CaptureError) -> ChildProcess.Ending {
        // The program may put itself into the terminal's foreground: the first notice would then stop this process, which must
        // revoke permissions.
        Signals.ignoreStopsByTerminal()
        let holes = boundary.inheritedHoles()
        guard holes.isEmpty else { throw .inherited(holes) }
        let missing = Boundary.missingPieces
        guard missing.isEmpty || isAdvisory else { throw .lacking(missing) }
        let process: ConfinedProcess
        do throws(Errno) {
            // A guard that is killed, such as for want of memory, ends nothing any more.
            try ProcessSignal.adoptOrphans()
            let scope = try boundary.scope()
            let ruleset = boundary.version > 0 ? try boundary.ruleset() : nil
            let filter = CallListener.isSupported ? boundary.filter(supervisor: ProcessStart.processID) : nil
            process = try ConfinedProcess(
                path, arguments: arguments, environment: environment, scope: scope, ruleset: ruleset, filter: filter)
        } catch {
            throw CaptureError(
                .unavailable, "The program can't be started under supervision: \(error.text).", errno: error.number)
        }
        let run = SupervisedRun(process, rules: rules, nodes: nodes, gatekeeper: gatekeeper, notice: notice)
        begun(run)
        return try await run.untilEnd(of: path).get()
    }
}

extension CaptureError {
    fileprivate static func lacking(_ pieces: [String]) -> CaptureError {
        CaptureError(
            .unavailable,
            "This kernel can't keep a program behind the gate: it lacks \(pieces.joined(separator: " and ")).",
            remedies: [
                Remedy("Use Linux 6.10 or later with Landlock enabled."),
                Remedy("Or add --advisory. The program can then get around the gate."),
            ])
    }

    fileprivate static func inherited(_ holes: [String]) -> CaptureError {
        CaptureError(
            .notAuthorized,
            "The program would inherit open files that bypass the gate: \(holes.joined(separator: ", ")).",
            remedies: [Remedy("Start it without them, such as with 3<&- for descriptor 3.")])
    }
}

/// A supervised program that runs.
///
/// *thread-safe*
package final class SupervisedRun: Sendable {
    /// The guard, and all its children.
    private let process: ConfinedProcess
    private let captures: SupervisedCaptures
    /// Kept here: the captures call it when the gate ends one.
    private let takeBack: TakeBack
    private let nodes: any NodeDirectory
    private let services: ServiceRules
    private let notice: Supervisor.Notice
    /// Readable when the run is over.
    private let over: EventDescriptor?
    /// The program while it runs; 0 before and after.
    private let program = Locked<Int32>(0)
    /// Sentences that were shown already.
    private let told = Locked<Set<String>>([])

    init(
        _ process: ConfinedProcess, rules: SupervisionRules, nodes: any NodeDirectory,
        gatekeeper: @escaping @Sendable (Subject) -> Gatekeeper, notice: @escaping Supervisor.Notice
    ) {
        self.process = process
        self.nodes = nodes
        self.notice = notice
        services = rules.services
        over = try? EventDescriptor()
        let takeBack = TakeBack(process: process, notice: notice)
        self.takeBack = takeBack
        captures = SupervisedCaptures(rules: rules, gatekeeper: gatekeeper) { takeBack.begin($0, $1) }
    }

    /// Ends the program and all its children.
    package func kill() { process.kill() }

    /// Passes a signal on to the program itself. The corresponding C function is `kill`.
    package func signal(_ number: Int32) {
        let id = program.withLock { $0 }
        if id > 0 { ProcessSignal.send(number, to: id) }
    }

    /// Serves the program until all its processes have ended.
    func untilEnd(of path: String) async -> Result<ChildProcess.Ending, CaptureError> {
        let sweeping = Task { await self.sweep() }
        let result = await withCheckedContinuation { continuation in
            let started = Self.thread { continuation.resume(returning: self.follow(path)) }
            if !started {
                process.kill()
                continuation.resume(returning: .failure(.noThread))
            }
        }
        over?.signal()
        sweeping.cancel()
        await captures.finish()
        return result
    }

    private func sweep() async {
        while !Task.isCancelled {
            await captures.sweep()
            try? await Task.sleep(for: .milliseconds(500))
        }
    }

    /// Follows what the guard tells.
    private func follow(_ path: String) -> Result<ChildProcess.Ending, CaptureError> {
        var result: Result<ChildProcess.Ending, CaptureError>?
        while true {
            switch process.next() {
            case .listener(let file): serve(CallListener(owning: file))
            case .started(let id): program.withLock { $0 = id }
            case .failed(let step, let errno): result = .failure(.notStarted(path, step, errno))
            case .ended(let ending):
                program.withLock { $0 = 0 }
                result = result ?? .success(ending)
            case .gone: return result ?? .success(.killed(signal: 9))
            case .unguarded:
                ProcessSignal.endDescendants()
                tell("The program was ended because its guard process was killed.")
                return result ?? .success(.killed(signal: 9))
            }
        }
    }

    private func serve(_ listener: CallListener) {
        let proxy = CallProxy(
            listener: listener, nodes: nodes, captures: captures, services: services, guardID: process.guardID
        ) { self.tell($0) }
        // Without its thread the program would wait for ever.
        if !Self.thread({ proxy.serve(until: self.over?.descriptor ?? -1) }) { process.kill() }
    }

    /// Tells a person, once of each.
    private func tell(_ sentence: String) {
        if told.withLock({ $0.insert(sentence).inserted }) { notice(sentence) }
    }

    static func thread(_ body: @escaping @Sendable () -> Void) -> Bool {
        (try? DetachedThread.start(stackBytes: 512 << 10, body)) != nil
    }
}

extension CaptureError {
    fileprivate static let noThread = CaptureError(
        .unavailable, "A thread for the supervisor can't be started.",
        remedies: [Remedy("Allow more processes, or end some.", command: "ulimit -u 4096")])

    fileprivate static func notStarted(_ path: String, _ step: ConfinedProcess.Step, _ errno: Errno) -> CaptureError {
        switch step {
        case .execution:
            return CaptureError(
                errno == .noSuchFileOrDirectory ? .noDevice : .unavailable,
                "\(path.visible) can't be started: \(errno.text).",
                errno: errno.number, remedies: [Remedy("Name a program that this user can execute.")])
        case .filter where errno == .resourceBusy:
            return CaptureError(
                .unavailable, "This program already runs under a supervisor. Supervisors can't be nested.",
                errno: errno.number, remedies: [Remedy("Run it outside the other one.")])
        default:
            return CaptureError(
                .unavailable, "The kernel refused to confine \(path.visible): \(errno.text) (\(step)).",
                errno: errno.number, remedies: [Remedy("See what is missing.", .showStatus)])
        }
    }
}
