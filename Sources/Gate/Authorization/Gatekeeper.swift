import CaptureBase
import Dispatch
import Logging

/// Decides who may capture, by store, policy and the answers of a person.
///
/// An unknown subject, and a policy or a store that can't be read or written, always lead to a refusal.
///
/// Microphones and cameras open only for permits of the machine's own gate, `Gatekeeper.shared` and
/// `Gatekeeper.system(prompter:)`, whose subject, store and rules a program can't choose. Any other gatekeeper opens only the
/// built-in test devices, `test:bars` and `test:tone`.
///
/// *thread-safe*
public final class Gatekeeper: Sendable {
    /// Subject that asks through this gatekeeper.
    public let subject: Result<Subject, CaptureError>

    /// Decisions and the audit log; the bench rig takes a permission back in it.
    package let store: any GrantStore
    let policy: any PolicySource
    package let prompter: any Prompter
    let directory: any DeviceDirectory
    let clock: any GateClock
    let promptLock: (any PromptLock)?
    let log: Logger?
    let standing: GateStanding
    let stills = StillRateLimiter()
    /// Answers of services that decide as well, in this process.
    let services = ServiceAnswers()
    /// The store and the policy block on locks and files, which the cooperative pool must not.
    let storeQueue = DispatchQueue(label: "capturegate.gatekeeper.store", qos: .userInitiated)
    /// Executor of all tasks of operations, questions and captures; `nil` for the default ones. A test passes an executor that
    /// counts its jobs: when it has none, every operation waits for an event from outside.
    let executor: (any TaskExecutor)?
    let prompts: PromptCoordinator
    /// Shared by all queues: categories of mutual exclusion are of the gatekeeper.
    let locks = LockManager()
    let instances = InstanceRegistry()
    let watcher: CaptureWatcher
    private let lost = Locked<[CaptureError]>([])

    /// Ends of captures that could not be written to the audit log, one error each, up to a hundred. The log has only their
    /// start.
    public var unloggedEnds: [CaptureError] { lost.withLock { $0 } }

    /// A custom gatekeeper, for tests and custom capabilities. Its permits open only the built-in test devices.
    ///
    /// - Parameters:
    ///   - subject: the program that asks; a failure restricts everything.
    ///   - store: decisions and the audit log.
    ///   - policy: the administrator's rules.
    ///   - prompter: the way to put a question to a person.
    ///   - directory: the devices that there are.
    ///   - clock: the time that lifetimes are judged by.
    ///   - log: a logger for what goes wrong beside the decisions.
    ///   - promptLock: where several processes share one person, what makes them ask one after another.
    public convenience init(
        subject: Result<Subject, CaptureError>, store: any GrantStore, policy: any PolicySource = NoPolicy(),
        prompter: any Prompter, directory: any DeviceDirectory, clock: any GateClock,
        promptLock: (any PromptLock)? = nil, log: Logger? = nil
    ) {
        self.init(
            as: .own, subject: subject, store: store, policy: policy, prompter: prompter, directory: directory,
            clock: clock, promptLock: promptLock, log: log)
    }

    /// - Parameters:
    ///   - standing: rights to real devices.
    ///   - sessions: tells when the subject's login session ends; `nil` if it has no end.
    ///   - executor: executor of the tasks of operations, questions and captures; `nil` for the default ones.
    package init(
        as standing: GateStanding, subject: Result<Subject, CaptureError>, store: any GrantStore,
        policy: any PolicySource = NoPolicy(), prompter: any Prompter, directory: any DeviceDirectory,
        clock: any GateClock, sessions: (any LoginSessions)? = nil, promptLock: (any PromptLock)? = nil,
        log: Logger? = nil, executor: (any TaskExecutor)? = nil
    ) {
        self.standing = standing
        self.subject = subject
        self.store = store
        self.policy = policy
        self.prompter = prompter
        self.directory = directory
        self.clock = clock
        self.promptLock = promptLock
        self.log = log
        self.executor = executor
        prompts = PromptCoordinator(executor)
        watcher = CaptureWatcher(
            evaluator: AuthorizationEvaluator(
                subject: subject, store: store, policy: policy, clock: clock, sessions: sessions ?? EndlessSessions()),
            log: log)
    }

    /// Runs `body` on a queue where it may block.
    func onStoreQueue<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        // An executor that counts its jobs does not see this queue.
        if executor != nil { return body() }
        return await withCheckedContinuation { continuation in
            storeQueue.async { continuation.resume(returning: body()) }
        }
    }

    /// Writes a line of the audit log. A failure to write is only logged, since nothing was allowed.
    func report(_ event: AuditEvent) async {
        let (store, log) = (store, log)
        await onStoreQueue {
            do throws(CaptureError) {
                try store.append(event)
            } catch {
                log?.error("The audit log can't be written (\(event.kind.rawValue)): \(error.message)")
            }
        }
    }

    /// Writes how a capture ended. The store may be locked or full for a while: it is tried three times, each of which waits
    /// for the lock, and what fails then is kept in `unloggedEnds`.
    ///
    /// - Returns: what failed; `nil` if the line is written.
    @discardableResult
    func reportEnd(_ event: AuditEvent, of device: DeviceDescription) async -> CaptureError? {
        var left = 2
        while let cause = await appending(event) {
            guard left > 0 else {
                let error = CaptureError.unlogged(event, of: device, cause)
                keep(error)
                return error
            }
            left -= 1
            await pause()
        }
        return nil
    }

    /// Notes an end that its log does not have. A hundred: a store that stays full must not fill the memory, too.
    func keep(_ error: CaptureError) {
        lost.withLock { lost in
            if lost.count < 100 { lost.append(error) }
        }
    }

    private func appending(_ event: AuditEvent) async -> CaptureError? {
        let (store, log) = (store, log)
        return await onStoreQueue {
            do throws(CaptureError) {
                try store.append(event)
                return nil
            } catch {
                log?.error("The audit log can't be written (\(event.kind.rawValue)): \(error.message)")
                return error
            }
        }
    }

    /// A quarter of a second, also in a task that was cancelled: a capture that is cancelled ends, too.
    private func pause() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(250)) { continuation.resume() }
        }
    }
}

extension CaptureError {
    fileprivate static func unlogged(
        _ event: AuditEvent, of device: DeviceDescription, _ cause: CaptureError
    ) -> CaptureError {
        CaptureError(
            .store,
            "The audit log has the start of the capture of \(device.name) (\(device.id)), but not its end: "
                + cause.message,
            errno: cause.errno,
            remedies: cause.remedies + [Remedy("Check the log.", .verifyLog)])
    }
}
