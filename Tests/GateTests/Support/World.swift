import Dispatch
import Gate
import GateTestKit
import Testing

/// Pace of the parts: whether they answer at once or later.
enum Pace: String, CaseIterable, Codable, Sendable, CustomTestStringConvertible {
    case atOnce, later

    var testDescription: String { rawValue }

    /// "Later" means after others had their turns, and after another thread had one.
    func pass() async {
        guard self == .later else { return }
        for _ in 0..<5 { await Task.yield() }
        await withCheckedContinuation { continuation in DispatchQueue.global().async { continuation.resume() } }
    }
}

/// A clock that does not advance until it is set.
final class SetClock: GateClock {
    private let state = Locked(
        GateInstant(wallNanoseconds: 1_700_000_000_000_000_000, bootNanoseconds: 5_000_000_000_000, bootID: "boot-1"))

    var now: GateInstant { state.withLock { $0 } }

    func set(wall: Int64? = nil, boot: Int64? = nil, bootID: String? = nil) {
        state.withLock { now in
            now = GateInstant(
                wallNanoseconds: wall ?? now.wallNanoseconds, bootNanoseconds: boot ?? now.bootNanoseconds,
                bootID: bootID ?? now.bootID)
        }
    }

    func pass(seconds: Int64) {
        let now = now
        set(
            wall: now.wallNanoseconds + seconds * 1_000_000_000, boot: now.bootNanoseconds + seconds * 1_000_000_000)
    }
}

/// Devices by capability; `.any` is the first.
final class FixedDirectory: DeviceDirectory {
    private let state: Locked<[CapabilityName: [DeviceResolution]]>
    private let isSloppy = Locked(false)

    /// Whether it names some device, whatever was meant.
    var answersAnything: Bool {
        get { isSloppy.withLock { $0 } }
        set { isSloppy.withLock { $0 = newValue } }
    }
    private let pace: Pace

    init(_ pace: Pace) {
        self.pace = pace
        state = Locked([
            .microphone: [.here("usb-mic", "Desk Mic"), .here("pci-mic", "Line In")],
            .camera: [.here("usb-cam", "HD Webcam")],
        ])
    }

    func set(_ name: CapabilityName, _ resolutions: [DeviceResolution]) { state.withLock { $0[name] = resolutions } }

    func resolve(_ request: DeviceRequest) async -> DeviceResolution {
        await pace.pass()
        let known = state.withLock { $0[request.capability] ?? [] }
        if answersAnything, let first = known.first { return first }
        let found = known.first { resolution in resolution.device.map { request.device.covers($0.id) } ?? true }
        return found ?? DeviceResolution(device: nil, availability: .absent("\(request.device)"))
    }
}

extension DeviceResolution {
    static func here(_ id: String, _ name: String, _ availability: Availability = .available) -> DeviceResolution {
        DeviceResolution(
            device: DeviceDescription(id: DeviceID(rawValue: id), name: name), availability: availability)
    }
}

/// Rules a test sets.
final class SetPolicy: PolicySource {
    private final class Observation: ChangeObservation {}

    private struct State {
        var rule: @Sendable (PolicyQuery) -> PolicyVerdict = { _ in .ask }
        var handlers: [@Sendable () -> Void] = []
    }

    private let state = Locked(State())

    func set(_ rule: @escaping @Sendable (PolicyQuery) -> PolicyVerdict) {
        let handlers = state.withLock { state in
            state.rule = rule
            return state.handlers
        }
        for handler in handlers { handler() }
    }

    func verdict(for subject: Subject, on query: PolicyQuery) -> PolicyVerdict {
        state.withLock { $0.rule }(query)
    }

    func observeChanges(_ handler: @escaping @Sendable () -> Void) -> any ChangeObservation {
        state.withLock { $0.handlers.append(handler) }
        return Observation()
    }
}

/// Login sessions that a test ends.
final class SetSessions: LoginSessions {
    private final class Observation: ChangeObservation {}

    private struct State {
        var over: Set<LoginSession> = []
        var handlers: [LoginSession: [@Sendable () -> Void]] = [:]
    }

    private let state = Locked(State())

    func end(_ session: LoginSession) {
        let handlers = state.withLock { state in
            state.over.insert(session)
            return state.handlers[session] ?? []
        }
        for handler in handlers { handler() }
    }

    func isOver(_ session: LoginSession) -> Bool { state.withLock { $0.over.contains(session) } }

    func observeEnd(
        of session: LoginSession, _ handler: @escaping @Sendable () -> Void
    ) -> (any ChangeObservation)? {
        state.withLock { $0.handlers[session, default: []].append(handler) }
        return Observation()
    }
}

/// A gatekeeper with everything around it under control: what nearly every suite here begins with.
///
/// `World()` is a machine with two microphones and a camera, whose owner allows every question permanently and whose policy has no
/// rules. A test then changes one part (`store.fail`, `policy.set`, `directory.set`, `clock.pass`, `prompter.reply`), runs an
/// operation in `queue`, and checks its outcome, `prompter.questions` and `store.events`. `decide`, `revoke` and `kill` are what
/// another process would do by a command. With `.later` every part answers after other tasks had their turns, which finds code
/// that works only if all answer at once. A test that expects something not to happen passes a ``CountingExecutor``.
struct World: Sendable {
    let store = MemoryStore()
    let prompter: ScriptedPrompter
    let directory: FixedDirectory
    let policy = SetPolicy()
    let clock = SetClock()
    let sessions = SetSessions()
    let subject = Subject.recorder()
    let gatekeeper: Gatekeeper
    let queue: GateQueue

    init(
        _ pace: Pace = .atOnce, answer: Answer = .allow(.always), subject: Result<Subject, CaptureError>? = nil,
        width: Int = .max, on executor: CountingExecutor? = nil
    ) {
        prompter = ScriptedPrompter { _ in
            await pace.pass()
            return answer
        }
        directory = FixedDirectory(pace)
        gatekeeper = Gatekeeper(
            as: .rig, subject: subject ?? .success(self.subject), store: store, policy: policy, prompter: prompter,
            directory: directory, clock: clock, sessions: sessions, executor: executor)
        queue = GateQueue(gatekeeper: gatekeeper, width: width)
    }

    /// Stores a decision as a command does.
    @discardableResult
    func decide(
        _ verdict: Decision.Verdict, _ name: CapabilityName = .microphone, _ level: AccessLevel = .record,
        device: DeviceSelector = .any, for lifetime: Lifetime = .always, about subject: Subject? = nil
    ) -> Int64 {
        let decision = Decision(
            verdict: verdict, subject: subject ?? self.subject, capability: name, level: level, device: device,
            lifetime: lifetime, decidedBy: .command, decidedAt: clock.now)
        let event = AuditEvent(.decision, at: clock.now, subject: subject, detail: "by a test")
        return (try? store.record([decision], audit: event))?.decisions.first?.id ?? -1
    }

    func revoke(_ id: Int64) {
        let event = AuditEvent(.removal, at: clock.now, subject: subject, detail: "by a test")
        _ = try? store.remove([id], audit: event)
    }

    func kill(_ name: CapabilityName, on: Bool = true) {
        let event = AuditEvent(.killSwitch, at: clock.now, subject: subject, detail: "by a test")
        _ = try? store.setKillSwitch(name, on: on, audit: event)
    }
}

extension Subject {
    static func recorder(
        sha256: String = "aa", path: String = "/usr/bin/recorder", in session: LoginSession = .first,
        application: ApplicationID? = nil, userID: UInt32 = 1000, stamp: String? = nil
    ) -> Subject {
        Subject(
            userID: userID, groupIDs: [1000],
            executable: Executable(path: path, inode: 1, sha256: sha256, stamp: stamp),
            application: application, session: session)
    }
}

extension LoginSession {
    static let first = LoginSession(leader: 100, startTicks: 1, bootID: "boot-1")
    static let second = LoginSession(leader: 7, startTicks: 1, bootID: "boot-1")
}
