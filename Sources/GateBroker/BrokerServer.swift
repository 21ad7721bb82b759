import CaptureGate
import Dispatch
import Gate
import GateStore
import LinuxSystem

/// Parts that all connections share.
///
/// *thread-safe*
struct BrokerParts: Sendable {
    /// Stores and gates of the users.
    let gates: UserGates
    /// Connected agents, and what they are being asked.
    let agents: Agents
    /// Programs that may become agents.
    let programs: AgentPrograms
    /// Open devices.
    let shares: DeviceShares
}

/// The broker: takes connections, and serves each until it ends.
///
/// It alone opens the devices. It judges each client by its process, and lends frames, never a device. A hostile program can
/// imitate another program of its user: see the known gaps in the article on protection.
///
/// *thread-safe*
package final class BrokerServer: Sendable {
    private struct State {
        /// All connections.
        var clients: [ObjectIdentifier: BrokerClient] = [:]
        /// True if nobody is let in any more.
        var isStopped = false
    }

    private let socket: ListeningSocket
    private let parts: BrokerParts
    /// The administrator's rules: connections are notified when they change.
    private let policy = PolicyDirectory()
    /// Takes the connections.
    private let queue = DispatchQueue(label: "capturegated.accept", qos: .userInitiated)
    private let state = Locked(State())
    private let watch = Locked<ReadWatch?>(nil)
    private let observation = Locked<(any ChangeObservation)?>(nil)

    /// Opens the socket; nobody is let in before ``start()``.
    ///
    /// - Parameters:
    ///   - configuration: its paths.
    ///   - environment: of the process, which says whether a service manager has handed a socket over.
    ///   - owners: users whose programs may be agents: root's alone, but for tests.
    /// - Throws: `.configuration` or `.unavailable`.
    package convenience init(
        _ configuration: BrokerConfiguration, environment: [String: String] = ProcessEnvironment.current,
        trusting owners: Set<UInt32> = [0]
    ) throws(CaptureError) {
        let agents = Agents()
        try self.init(
            configuration, environment: environment,
            parts: BrokerParts(
                gates: UserGates(in: configuration.state, asking: agents), agents: agents,
                programs: AgentPrograms(configuration.agents, owners: owners), shares: DeviceShares()))
    }

    /// Broker with other parts, for tests.
    init(
        _ configuration: BrokerConfiguration, environment: [String: String] = [:], parts: BrokerParts
    ) throws(CaptureError) {
        socket = try ActivatedSocket.open(at: configuration.socket, environment: environment)
        self.parts = parts
    }

    /// Number of connections.
    var count: Int { state.withLock { $0.clients.count } }

    /// Begins to take connections.
    package func start() {
        observation.withLock { $0 = policy.observeChanges { [weak self] in self?.announce() } }
        let made = ReadWatch(socket.number, on: queue, keeping: self) { [weak self] in self?.accept() }
        watch.withLock { $0 = made }
    }

    /// Takes no more connections and ends those that there are: each client sees the end, and all devices are closed.
    package func stop() async {
        watch.withLock { $0 = nil }
        forget()
        for client in endAdmission() { await client.end() }
        await parts.shares.waitUntilClosed()
    }

    /// Stops observing the rules.
    private func forget() { observation.withLock { $0 = nil } }

    /// Lets nobody in any more.
    ///
    /// - Returns: those who are in.
    private func endAdmission() -> [BrokerClient] {
        state.withLock { state in
            state.isStopped = true
            return Array(state.clients.values)
        }
    }

    /// Notifies all connections that rules may have changed.
    private func announce() {
        for client in state.withLock({ Array($0.clients.values) }) { client.send(.changed) }
    }

    /// Takes all connections that wait.
    private func accept() {
        while true {
            do throws(Errno) {
                let file = try socket.accept()
                admit(file)
            } catch {
                if error == .wouldBlock { return }
                return pause()
            }
        }
    }

    /// Lets those who wait wait on where the process has no descriptor left: the next moment one may be closed.
    private func pause() {
        watch.withLock { $0 }?.pause(milliseconds: 100)
    }

    /// Serves a connection, unless its user has too many or can't be identified: then it is closed without a message.
    private func admit(_ file: consuming FileDescriptor) {
        do {
            let identity = try ClientIdentity(of: file)
            let socket = try MessageSocket(owning: file.release())
            let connection = BrokerConnection(socket, from: .process(identity.process))
            let client = BrokerClient(identity, connection, parts) { [weak self] client in
                self?.state.withLock { _ = $0.clients.removeValue(forKey: ObjectIdentifier(client)) }
            }
            let isIn = state.withLock { state in
                let same = state.clients.values.count { $0.identity.user == identity.user }
                guard !state.isStopped, same < BrokerLimit.connections else { return false }
                state.clients[ObjectIdentifier(client)] = client
                return true
            }
            if isIn { client.begin() }
        } catch {
            // It has ended already, or hides: there is nobody to answer.
            return
        }
    }
}
