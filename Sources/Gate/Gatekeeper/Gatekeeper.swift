import Dispatch
import Logging

/// Holds the store, the policy and the prompter together, and decides.
///
/// What can't be read or written refuses: an unknown subject, a policy or a store that fails is never a yes.
///
/// *thread-safe*
public final class Gatekeeper: Sendable {
    /// Who asks through this gatekeeper.
    public let subject: Result<Subject, CaptureError>

    let store: any GrantStore
    let policy: any PolicySource
    let prompter: any Prompter
    let directory: any DeviceDirectory
    let clock: any GateClock
    let turns: (any QuestionTurns)?
    let log: Logger?
    /// The store and the policy block on locks and files, which the cooperative pool must not.
    let storeQueue = DispatchQueue(label: "capturegate.gatekeeper.store", qos: .userInitiated)
    let desk = QuestionDesk()
    let locks = LockRoom()
    let instances = InstanceRegistry()
    let watcher: CaptureWatcher

    /// - Parameters:
    ///   - subject: as read from the kernel; a failure restricts everything.
    ///   - turns: where several processes share one person, what makes them ask one after another.
    public init(
        subject: Result<Subject, CaptureError>, store: any GrantStore, policy: any PolicySource = NoPolicy(),
        prompter: any Prompter, directory: any DeviceDirectory, clock: any GateClock,
        turns: (any QuestionTurns)? = nil, log: Logger? = nil
    ) {
        self.subject = subject
        self.store = store
        self.policy = policy
        self.prompter = prompter
        self.directory = directory
        self.clock = clock
        self.turns = turns
        self.log = log
        watcher = CaptureWatcher(
            judge: CaptureJudge(subject: subject, store: store, policy: policy, clock: clock), log: log)
    }

    /// Runs `body` where it may block.
    func onStoreQueue<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            storeQueue.async { continuation.resume(returning: body()) }
        }
    }

    /// Writes a line of the audit log; what could not be written is logged, since nothing was allowed by it.
    func report(_ event: AuditEvent) async {
        let (store, log) = (store, log)
        await onStoreQueue {
            do throws(CaptureError) {
                try store.append(event)
            } catch {
                log?.error("The audit log took no \(event.kind.rawValue) line: \(error.message)")
            }
        }
    }
}
