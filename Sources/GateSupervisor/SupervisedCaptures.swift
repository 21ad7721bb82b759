import CaptureGate
import Gate
import LinuxSystem

/// Permissions of the programs of one run: requested when they open a device, and held until it is closed or the gate ends it.
///
/// *thread-safe*
final class SupervisedCaptures: Sendable {
    /// A program and a device.
    private struct Key: Hashable {
        let executable: Executable
        let user: UInt32
        let application: ApplicationID?
        let session: LoginSession
        let device: DeviceID
    }

    /// State of a permission in this run.
    private enum Entry {
        case asking(Task<Result<SupervisedCapture, CaptureError>, Never>)
        /// Granted, whether its files are open or not.
        case active(SupervisedCapture)
        /// Refused, or ended by the gate: from now on only a grant from elsewhere helps.
        case over(CaptureError)
    }

    private struct State {
        /// Absent if nothing was requested yet, or all files of a capture were closed.
        var entries: [Key: Entry] = [:]
        var queues: [Key: GateQueue] = [:]
    }

    /// Devices that the person who started the run left to it.
    private let rules: SupervisionRules
    private let gatekeeper: @Sendable (Subject) -> Gatekeeper
    private let onEnd: @Sendable (SupervisedCapture, CaptureEndReason) -> Void
    private let state = Locked(State())

    /// - Parameters:
    ///   - rules: devices that may be requested at all.
    ///   - gatekeeper: makes the gate of a program.
    ///   - onEnd: called when the gate ends a capture, on the queue that watches all captures.
    init(
        rules: SupervisionRules, gatekeeper: @escaping @Sendable (Subject) -> Gatekeeper,
        onEnd: @escaping @Sendable (SupervisedCapture, CaptureEndReason) -> Void
    ) {
        self.rules = rules
        self.gatekeeper = gatekeeper
        self.onEnd = onEnd
    }

    /// All running captures.
    var active: [SupervisedCapture] {
        state.withLock { state in
            state.entries.values.compactMap { if case .active(let capture) = $0 { capture } else { nil } }
        }
    }

    /// Permission of a program for a device. Asks if nothing is decided and it was not refused in this run.
    ///
    /// - Throws: the gate's refusal.
    func capture(
        _ subject: Subject, _ capability: CapabilityName, _ device: DeviceDescription
    ) async throws(CaptureError) -> SupervisedCapture {
        if let refusal = rules.refusal(of: device, capability) { throw refusal }
        let key = Key(
            executable: subject.executable, user: subject.userID, application: subject.application,
            session: subject.session, device: device.id)
        let queue = state.withLock { state in
            let queue = state.queues[key] ?? GateQueue(gatekeeper: gatekeeper(subject))
            state.queues[key] = queue
            return queue
        }
        let asked = request(for: device, capability, subject)
        let task = state.withLock { state -> Result<SupervisedCapture, CaptureError>.Pending in
            switch state.entries[key] {
            case .active(let capture) where !capture.isEnded: return .done(.success(capture))
            case .active(let capture): return .again(capture.refusal)
            case .over(let error): return .again(error)
            case .asking(let task): return .waiting(task)
            case nil:
                let task = Task { await self.opened(key, asked, on: queue) }
                state.entries[key] = .asking(task)
                return .waiting(task)
            }
        }
        switch task {
        case .done(let result): return try result.get()
        case .waiting(let task): return try await task.value.get()
        case .again(let error):
            // Nobody is asked a second time, but permissions that were granted since then count.
            let status = await queue.gatekeeper.status(of: Capability.All([asked]))
            guard let grant = status.grant, grant.level >= asked.level else { throw error }
            return try await opened(key, asked, on: queue).get()
        }
    }

    private func request(
        for device: DeviceDescription, _ capability: CapabilityName, _ subject: Subject
    ) -> DeviceRequest {
        // The highest: nothing shows what a program does with what it reads.
        let level = capability.levels.last ?? .record
        return DeviceRequest(
            capability: capability, level: level, device: .id(device.id), purpose: rules.purpose, isShared: true)
    }

    private func opened(
        _ key: Key, _ request: DeviceRequest, on queue: GateQueue
    ) async -> Result<SupervisedCapture, CaptureError> {
        let result: Result<SupervisedCapture, CaptureError>
        do throws(CaptureError) {
            let capture = try SupervisedCapture(
                await queue.run(SupervisedOpening(request: request, device: key.device)))
            let onEnd = onEnd
            // Held by the table and by its users; a capture that was dropped has nothing to revoke.
            capture.permission.onEnd { [weak capture] reason in
                guard let capture else { return }
                capture.end()
                onEnd(capture, reason)
            }
            result = .success(capture)
        } catch {
            result = .failure(error)
        }
        state.withLock { state in
            switch result {
            case .success(let capture): state.entries[key] = .active(capture)
            case .failure(let error): state.entries[key] = .over(error)
            }
        }
        return result
    }

    /// Ends the captures whose files are all closed, but for those for one capture: a program opens a device more than once
    /// for what a person takes for one.
    func sweep() async {
        let closed = state.withLock { state in
            var closed: [SupervisedCapture] = []
            for case (let key, .active(let capture)) in state.entries where capture.isClosed {
                state.entries[key] = nil
                closed.append(capture)
            }
            return closed
        }
        for capture in closed { await capture.finish("closed by the program") }
    }

    /// Ends all, when no process is left.
    func finish() async {
        for capture in active { await capture.finish("the program ended") }
    }
}

extension Result where Success == SupervisedCapture, Failure == CaptureError {
    /// State of a permission at the first check.
    fileprivate enum Pending {
        case done(Result)
        case waiting(Task<Result, Never>)
        case again(CaptureError)
    }
}

/// Asks for a device on behalf of a supervised program, and begins its capture.
private struct SupervisedOpening: CaptureOperation {
    let authorization: AuthorizedFor<Capability.All>
    private let request: DeviceRequest
    private let device: DeviceID

    init(request: DeviceRequest, device: DeviceID) {
        self.request = request
        self.device = device
        authorization = AuthorizedFor(Capability.All([request]))
    }

    func execute(
        with permit: consuming Permit, in context: OperationContext
    ) async throws(CaptureError) -> ActiveCapture {
        var permit = permit
        guard let part = permit.take(device) else {
            throw CaptureError(.notAuthorized, "The permit is not for \(device).")
        }
        return try await part.redeem(opening: device, as: request.capability, for: request.level)
    }
}

/// A device in use by one program of a run, under one permission.
///
/// *thread-safe*
final class SupervisedCapture: Sendable {
    private struct State {
        /// True once the gate has ended it.
        var isEnded = false
        /// Calls that the supervisor makes on its device now.
        var uses = 0
        /// Nodes that were handed out.
        var nodes: Set<DeviceNumber> = []
        /// Number of the last search for its files.
        var mark: UInt64 = 0
    }

    /// The gate's side of it: what ends it, and the audit log's lines.
    let permission: ActiveCapture
    /// Its files, wherever they are open.
    private let register: OpenFileRegister
    private let state = Locked(State())

    init(_ permission: ActiveCapture) throws(CaptureError) {
        self.permission = permission
        do throws(Errno) {
            register = try OpenFileRegister()
        } catch {
            throw CaptureError(
                .unavailable, "The device can't be watched, because no file descriptor is free: \(error.text).",
                errno: error.number)
        }
    }

    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// The error of a use after the end.
    var refusal: CaptureError {
        (permission.endReason ?? .revoked).error(permission.device, as: permission.capability)
    }

    /// Has `use` refuse from now on; calls that are being made are waited for by ``settle(within:)``.
    func end() { state.withLock { $0.isEnded = true } }

    /// Makes a call on the device, unless the permission has ended.
    func use<Value>(_ node: DeviceNumber, _ body: () throws(Errno) -> Value) throws(Errno) -> Value {
        let isOpen = state.withLock { state in
            guard !state.isEnded else { return false }
            state.uses += 1
            state.nodes.insert(node)
            return true
        }
        guard isOpen else { throw .permissionDenied }
        defer { state.withLock { $0.uses -= 1 } }
        return try body()
    }

    /// Waits until no call is being made.
    ///
    /// - Returns: false if one takes longer.
    func settle(within milliseconds: Int32) -> Bool {
        for _ in 0..<milliseconds {
            if state.withLock({ $0.uses == 0 }) { return true }
            Poll.pause(milliseconds: 1)
        }
        return state.withLock { $0.uses == 0 }
    }

    var nodes: Set<DeviceNumber> { state.withLock { $0.nodes } }

    /// Notes an open file of the device, so that it is known while any process has it.
    func note(_ file: borrowing FileDescriptor) throws(Errno) {
        try register.note(file, mark: state.withLock { $0.mark })
    }

    /// Begins a count of the files that are found: those that are not noted again are hidden.
    func beginCount() { state.withLock { $0.mark += 1 } }

    /// True if a file that was not noted since the count began is still open or mapped somewhere, or if that is unknown.
    var hasHidden: Bool {
        let mark = state.withLock { $0.mark }
        guard let marks = try? register.marks() else { return true }
        return marks.contains { $0 != mark }
    }

    /// True if no file of it is open any more, and none is being opened.
    var isClosed: Bool {
        guard !permission.isForOnce, state.withLock({ !$0.isEnded && $0.uses == 0 && !$0.nodes.isEmpty }) else {
            return false
        }
        return (try? register.marks())?.isEmpty == true
    }

    /// Writes the end into the audit log. How much was delivered is not known: it passed the supervisor by.
    func finish(_ outcome: String) async { await permission.finish(frames: nil, bytes: nil, outcome: outcome) }
}
