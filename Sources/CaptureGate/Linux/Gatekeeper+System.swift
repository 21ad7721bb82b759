import CSystem
import Gate
import GateStore

extension Gatekeeper {
    /// The gate of this process: its user's store, the machine's policy, its devices, and the terminal or
    /// the desktop to ask at.
    ///
    /// Where the store can't be opened or the kernel does not say who asks, it is there all the same and refuses
    /// everything, with the reason.
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
    /// - Parameter prompter: asks instead of the terminal and the desktop. About real devices the answers of this library's
    ///   prompters count, which ask a person; one of the program's own is asked about the built-in test devices alone, and
    ///   about the program's own capabilities.
    public static func system(prompter: any Prompter = PrompterChain.system) -> Gatekeeper {
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

    /// A gate whose decisions are kept in a folder of their own, as test kits need it: its permits open the built-in test
    /// devices alone.
    ///
    /// - Throws: `.store` where the folder can't be used.
    public static func system(storeIn folder: String, prompter: any Prompter) throws(CaptureError) -> Gatekeeper {
        try system(storeIn: folder, prompter: prompter, as: .kit)
    }

    /// The same with another standing: `.rig` for this package's own tests of real devices.
    package static func system(
        storeIn folder: String, prompter: any Prompter, as standing: GateStanding
    ) throws(CaptureError) -> Gatekeeper {
        let store = try SQLiteGrantStore(directory: folder)
        return system(.success(try ProcessSubject.current(known: store.executables())), store, prompter, as: standing)
    }

    private static func subject(known: [Executable]) -> Result<Subject, CaptureError> {
        Result { () throws(CaptureError) in try ProcessSubject.current(known: known) }
    }

    private static func system(
        _ subject: Result<Subject, CaptureError>, _ store: SQLiteGrantStore, _ prompter: any Prompter,
        as standing: GateStanding
    ) -> Gatekeeper {
        Gatekeeper(
            as: standing, subject: subject, store: store, policy: PolicyDirectory(), prompter: prompter,
            directory: SystemDeviceDirectory(), clock: SystemGateClock(), turns: StorePromptLock(of: store))
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
