import CSystem
import Gate
import GateStore

extension Gatekeeper {
    /// The gate of this process: its user's store, the machine's policy, its devices, and the terminal to ask at.
    ///
    /// Where the store can't be opened or the kernel does not say who asks, it is there all the same and refuses
    /// everything, with the reason.
    ///
    /// *thread-safe*
    public static let shared = Gatekeeper.system()

    /// A gate of the machine, with another prompter.
    ///
    /// - Parameter prompter: asks instead of the terminal.
    public static func system(prompter: any Prompter = TerminalPrompter()) -> Gatekeeper {
        Gatekeeper(
            subject: Result { () throws(CaptureError) in try ProcessSubject.current() },
            store: systemStore(), policy: PolicyDirectory(), prompter: prompter, directory: SystemDeviceDirectory(),
            clock: SystemGateClock())
    }

    /// A gate of the machine whose decisions are kept in a folder of their own, as test kits need it.
    ///
    /// - Throws: `.store` where the folder can't be used.
    public static func system(storeIn folder: String, prompter: any Prompter) throws(CaptureError) -> Gatekeeper {
        Gatekeeper(
            subject: .success(try ProcessSubject.current()), store: try SQLiteGrantStore(directory: folder),
            policy: PolicyDirectory(), prompter: prompter, directory: SystemDeviceDirectory(), clock: SystemGateClock())
    }

    private static func systemStore() -> any GrantStore {
        do {
            let folder = try SQLiteGrantStore.defaultDirectory(environment: ProcessEnvironment.current)
            return try SQLiteGrantStore(directory: folder)
        } catch {
            return UnavailableStore(error: error)
        }
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
