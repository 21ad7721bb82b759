import Gate
import GateStore
import LinuxSystem

extension Gatekeeper {
    /// The gate of this process: its user's store, the machine's policy and devices, and the terminal or the desktop for
    /// questions.
    ///
    /// It exists even if the store can't be opened or the kernel can't identify the program. Then it refuses everything, with the
    /// reason.
    ///
    /// *thread-safe*
    public static let shared: Gatekeeper = {
        let gatekeeper = Gatekeeper.system()
        used.withLock { $0 = gatekeeper }
        return gatekeeper
    }()

    private static let used = Locked<Gatekeeper?>(nil)

    /// The gate of this process where anything has used it: asking for this opens no store.
    package static var sharedIfUsed: Gatekeeper? { used.withLock { $0 } }

    /// A gate of the machine, with another prompter.
    ///
    /// - Parameter prompter: asks instead of the terminal and the desktop. For real devices, only the answers of this library's
    ///   prompters count, since those ask a person. A program's own prompter is only asked about the built-in test devices, and
    ///   about the program's custom capabilities.
    public static func system(prompter: any Prompter = PrompterChain.system) -> Gatekeeper {
        if let broker = BrokerLink.machine { return system(by: broker, prompter: prompter) }
        do {
            let store = try SQLiteGrantStore(directory: SQLiteGrantStore.userDirectory())
            return system(subject(known: try store.executables()), store, prompter, as: .system)
        } catch {
            return Gatekeeper(
                as: .system, subject: subject(known: []), store: UnavailableStore(error: error),
                policy: PolicyDirectory(),
                prompter: prompter, directory: SystemDeviceDirectory(), clock: SystemGateClock())
        }
    }

    /// Gate of a program whose devices a broker opens: the broker decides, by its own store, and has an agent ask.
    ///
    /// - Parameters:
    ///   - broker: if it is down, this gate refuses everything, with the reason.
    ///   - prompter: asks if the broker lets this program ask.
    package static func system(by broker: BrokerLink, prompter: any Prompter) -> Gatekeeper {
        Gatekeeper(
            as: .system, subject: Result { () throws(CaptureError) in try broker.subject() },
            store: BrokeredStore(broker), policy: PolicyDirectory(),
            prompter: BrokerPrompter(broker, besides: prompter),
            directory: BrokeredDirectory(broker), clock: SystemGateClock(), sessions: SystemLoginSessions())
    }

    /// A gate whose decisions are kept in a separate directory, as test kits need it: its permits open only the built-in test
    /// devices.
    ///
    /// - Throws: `.store` if the directory can't be used.
    public static func system(storeIn folder: String, prompter: any Prompter) throws(CaptureError) -> Gatekeeper {
        try system(storeIn: folder, prompter: prompter, as: .kit)
    }

    /// The same with another standing: `.rig` for this package's own tests of real devices.
    ///
    /// - Parameter known: program files that were read before, beside those of the store.
    package static func system(
        storeIn folder: String, prompter: any Prompter, as standing: GateStanding, known: [Executable] = []
    ) throws(CaptureError) -> Gatekeeper {
        let store = try SQLiteGrantStore(directory: folder)
        let subject = try ProcessSubject.current(known: store.executables() + known)
        return system(.success(subject), store, prompter, as: standing)
    }

    /// A gate of the machine for another process, which waits for a supervisor or a broker of ours.
    ///
    /// - Parameters:
    ///   - subject: the other process.
    ///   - store: its user's decisions, as far as they count.
    ///   - promptLock: makes that user's processes ask one after another.
    ///   - prompter: asks its user.
    ///   - directory: what the process may ask for.
    package static func supervising(
        _ subject: Subject, store: any GrantStore, promptLock: any PromptLock,
        prompter: any Prompter = PrompterChain.system, directory: any DeviceDirectory = SystemDeviceDirectory()
    ) -> Gatekeeper {
        system(.success(subject), store, prompter, as: .system, promptLock, directory)
    }

    private static func subject(known: [Executable]) -> Result<Subject, CaptureError> {
        Result { () throws(CaptureError) in try ProcessSubject.current(known: known) }
    }

    private static func system(
        _ subject: Result<Subject, CaptureError>, _ store: SQLiteGrantStore, _ prompter: any Prompter,
        as standing: GateStanding
    ) -> Gatekeeper {
        system(subject, store, prompter, as: standing, StorePromptLock(of: store))
    }

    private static func system(
        _ subject: Result<Subject, CaptureError>, _ store: any GrantStore, _ prompter: any Prompter,
        as standing: GateStanding, _ promptLock: any PromptLock,
        _ directory: any DeviceDirectory = SystemDeviceDirectory()
    ) -> Gatekeeper {
        Gatekeeper(
            as: standing, subject: subject, store: store, policy: PolicyDirectory(), prompter: prompter,
            directory: directory, clock: SystemGateClock(), sessions: SystemLoginSessions(),
            promptLock: promptLock)
    }
}

extension GateQueue {
    /// A queue at the gate of this process, `Gatekeeper.shared`.
    ///
    /// - Parameter width: how many operations run at once.
    public convenience init(width: Int = .max) {
        self.init(gatekeeper: .shared, width: width)
    }
}

/// The environment variables of this process, read from the kernel: `getenv` races with `setenv` of other threads.
///
/// Every reader of a variable that locates the decisions reads it here: otherwise the gate and a command could mean different
/// stores.
package enum ProcessEnvironment {
    /// The variables at the process's start, as far as they can be read: for what decides nothing.
    package static var current: [String: String] { (try? read()) ?? [:] }

    /// Variables at the process's start. If a name occurs twice, the first counts, as with getenv(3).
    ///
    /// - Throws: `.store` if they can't be read completely: the location of the decisions would be a guess.
    static func read() throws(CaptureError) -> [String: String] {
        guard let text = ProcessFile.bytes("/proc/self/environ", limit: mostBytes + 1) else {
            throw CaptureError(
                .store, "The program's environment is unknown: /proc/self/environ can't be read.",
                remedies: [Remedy("Mount /proc, and make the program's file readable for this user.")])
        }
        guard text.count <= mostBytes else {
            throw CaptureError(
                .store,
                "The environment is longer than \(mostBytes >> 20) MiB, so the permission database can't be found.",
                remedies: [
                    Remedy("Remove the longest variables.", command: "env | awk '{print length}' | sort -n | tail")
                ]
            )
        }
        return ProcessFile.variables(environ: text)
    }

    /// More than the kernel lets a program be started with (6 MiB with its arguments, execve(2)).
    private static let mostBytes = 16 << 20
}

extension SQLiteGrantStore {
    /// The directory of this user's store: the same for the gate and for every command.
    ///
    /// - Throws: `.store` if the environment can't be read or there is no home directory.
    package static func userDirectory() throws(CaptureError) -> String {
        try defaultDirectory(environment: ProcessEnvironment.read())
    }
}

/// The machine's own clocks.
///
/// *thread-safe*
public struct SystemGateClock: GateClock {
    private let bootID: String

    public init() {
        // An empty id matches no recorded one, so that without /proc nothing that depends on the boot is valid.
        bootID = ProcessFile.bootID ?? ""
    }

    public var now: GateInstant {
        GateInstant(
            wallNanoseconds: SystemClock.realtime.now,
            bootNanoseconds: SystemClock.boot.now,
            bootID: bootID)
    }
}

/// The store of a gate whose real one could not be opened: every call throws the reason, and so nobody is allowed
/// anything.
struct UnavailableStore: GrantStore {
    let error: CaptureError

    private final class Silence: ChangeObservation {}

    func snapshot() throws(CaptureError) -> StoreSnapshot { throw error }
    func record(_ decisions: [Decision], audit: AuditEvent) throws(CaptureError) -> StoreCommit { throw error }
    func remove(_ ids: [Int64], audit: AuditEvent) throws(CaptureError) -> StoreCommit { throw error }
    func consume(once ids: [Int64], audit: AuditEvent) throws(CaptureError) -> StoreCommit { throw error }
    func setKillSwitch(_ capability: CapabilityName, on: Bool, audit: AuditEvent) throws(CaptureError) -> StoreCommit {
        throw error
    }
    func append(_ event: AuditEvent) throws(CaptureError) { throw error }
    func observeChanges(_ handler: @escaping @Sendable () -> Void) -> any ChangeObservation { Silence() }
}
