import CaptureGate
import Gate
import GateStore
import LinuxSystem

/// Stores and gatekeepers of all users, each in a separate directory below the state's.
///
/// The directories belong to the broker and are closed to everybody else (0700), so that users can change decisions, even about
/// their own programs, only by a request to the broker.
///
/// *thread-safe*
final class UserGates: Sendable {
    private let folder: String
    private let agents: Agents
    /// Makes the programs of one user ask one after another.
    private let turns = Turns()
    /// By the names of their directories.
    private let stores = Locked<[String: SQLiteGrantStore]>([:])

    /// - Parameters:
    ///   - folder: the state's directory, absolute.
    ///   - agents: ask the users.
    init(in folder: String, asking agents: Agents) {
        self.folder = folder
        self.agents = agents
    }

    /// The store of a user, opened at its first use.
    ///
    /// - Throws: `.store` if it can't be opened or trusted; the next call then tries again.
    func store(of user: UInt32) throws(CaptureError) -> SQLiteGrantStore { try store(named: "\(user)") }

    /// Store of the machine: switches that apply to everybody, and their lines in a separate log.
    func machineStore() throws(CaptureError) -> SQLiteGrantStore { try store(named: "machine") }

    private func store(named name: String) throws(CaptureError) -> SQLiteGrantStore {
        try stores.withLock { stores throws(CaptureError) in
            if let store = stores[name] { return store }
            let store = try SQLiteGrantStore(directory: "\(folder)/\(name)")
            stores[name] = store
            return store
        }
    }

    /// The gate of a program: its user's store, the machine's rules and devices, and the user's agent to ask.
    ///
    /// - Throws: `.store`.
    func gatekeeper(of subject: Subject) throws(CaptureError) -> Gatekeeper {
        Gatekeeper.supervising(
            subject, store: SwitchedStore(try store(of: subject.userID), under: try machineStore()),
            promptLock: turns,
            prompter: AgentPrompter(agents, of: subject.userID), directory: AskedServices())
    }
}

/// The machine's devices, and the services that provide other capabilities. A program finds and uses those itself, in its user's
/// session; the broker has the person asked about them, by the name in their id.
///
/// *thread-safe*
struct AskedServices: DeviceDirectory {
    private let devices = SystemDeviceDirectory()

    func resolve(_ request: DeviceRequest) async -> DeviceResolution {
        guard request.capability.isOfService else { return await devices.resolve(request) }
        let prefix = request.capability.rawValue + ":"
        guard case .id(let id) = request.device, id.rawValue.hasPrefix(prefix), id.rawValue != prefix else {
            return DeviceResolution(device: nil, availability: .absent(request.device.description))
        }
        let name = String(id.rawValue.dropFirst(prefix.count))
        return DeviceResolution(device: DeviceDescription(id: id, name: name), availability: .available)
    }
}
