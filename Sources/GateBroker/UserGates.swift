import CaptureGate
import Gate
import GateStore
import LinuxSystem

/// Stores and gatekeepers of all users, each in a directory of its own below the state's.
///
/// The directories are the broker's and closed to everybody else (0700), so that no user changes what was decided, not even
/// about its own programs, but by asking.
///
/// *thread-safe*
final class UserGates: Sendable {
    private let folder: String
    private let agents: Agents
    /// Makes the programs of one user ask one after another.
    private let turns = Turns()
    private let stores = Locked<[UInt32: SQLiteGrantStore]>([:])

    /// - Parameters:
    ///   - folder: the state's directory, absolute.
    ///   - agents: ask the users.
    init(in folder: String, asking agents: Agents) {
        self.folder = folder
        self.agents = agents
    }

    /// The store of a user, opened at its first use.
    ///
    /// - Throws: `.store` where it can't be opened or trusted; nothing is kept then, and the next call tries anew.
    func store(of user: UInt32) throws(CaptureError) -> SQLiteGrantStore {
        try stores.withLock { stores throws(CaptureError) in
            if let store = stores[user] { return store }
            let store = try SQLiteGrantStore(directory: "\(folder)/\(user)")
            stores[user] = store
            return store
        }
    }

    /// The gate of a program: its user's store, the machine's rules and devices, and the user's agent to ask.
    ///
    /// - Throws: `.store`.
    func gatekeeper(of subject: Subject) throws(CaptureError) -> Gatekeeper {
        Gatekeeper.supervising(
            subject, store: try store(of: subject.userID), promptLock: turns,
            prompter: AgentPrompter(agents, of: subject.userID))
    }
}
