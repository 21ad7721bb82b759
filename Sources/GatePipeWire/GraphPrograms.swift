import CaptureGate
import Dispatch
import Gate
import LinuxSystem

/// A process that is connected to PipeWire, with its gate: what it is given, it alone gets.
final class Grantee {
    /// Identity of one among others. A process that runs another program is another one.
    struct Key: Hashable {
        private let process: Int32
        private let subject: Subject

        init(_ subject: Subject, _ process: Int32) { (self.subject, self.process) = (subject, process) }
    }

    /// Number of the gate's own.
    let number: Int
    let key: Key
    let subject: Subject
    let queue: GateQueue
    /// All its connections to the daemon.
    var clients: Set<UInt32> = []

    init(_ number: Int, _ key: Key, _ subject: Subject, _ gatekeeper: Gatekeeper) {
        self.number = number
        self.key = key
        self.subject = subject
        queue = GateQueue(gatekeeper: gatekeeper)
    }
}

/// All programs that are connected to PipeWire, and the nodes that they are given. One task alone calls it.
final class GraphPrograms {
    /// Programs that link other programs' nodes and have to see all of them. They do not decide which frames pass. Only root can
    /// install a program at these paths.
    private static let managers: Set<String> = ["/usr/bin/wireplumber", "/usr/bin/pipewire-media-session"]

    private enum Client {
        /// Its process is being looked at.
        case unknown
        case grantee(Grantee)
        case manager
        /// Gets nothing.
        case nobody
    }

    private let graph: Graph
    /// Makes the gate of a program; may wait for a broker.
    private let gatekeeper: @Sendable (Subject, Int32) throws(CaptureError) -> Gatekeeper
    private let onEvent: @Sendable (PipeWireGate.Event) -> Void
    private let tell: @Sendable (GraphMessage) -> Void
    /// Queue on which programs are looked at: that reads their files, and may take a second.
    private let looking = DispatchQueue(label: "capturegate.pipewire.programs", qos: .userInitiated)

    private var devices: [OfferedDevice] = []
    /// All connected clients, by their number in the graph.
    private var clients: [UInt32: Client] = [:]
    /// Process of each client.
    private var processes: [UInt32: Int32] = [:]
    /// Streams that record and choose nothing themselves.
    private var streams: [UInt32: GraphPeer] = [:]
    /// All links of the graph, to find those that a stream has with a closed node.
    private var links: [UInt32: GraphLink] = [:]
    /// Node of each camera's stream that session managers do not see.
    private var adopted: [UInt32: UInt32] = [:]
    private var grantees: [Grantee.Key: Grantee] = [:]
    private var sources: [Source.ID: Source] = [:]
    private var lastNumber = 0
    private var lastSource = 0

    init(
        in graph: Graph,
        gatekeeper: @escaping @Sendable (Subject, Int32) throws(CaptureError) -> Gatekeeper,
        onEvent: @escaping @Sendable (PipeWireGate.Event) -> Void, tell: @escaping @Sendable (GraphMessage) -> Void
    ) {
        self.graph = graph
        self.gatekeeper = gatekeeper
        self.onEvent = onEvent
        self.tell = tell
    }

    /// Ends all captures, and takes all nodes out of the graph.
    func end() {
        remove { _ in true }
        release()
    }

    /// Does what follows from a message. Nodes of others matter only as streams that record; who is linked to them is the
    /// business of ``LinkWatch``.
    func take(_ message: GraphMessage) {
        switch message {
        case .devices(let list): offer(list)
        case .graph(.client(let client)): meet(client)
        case .graph(.peer(let peer)):
            guard peer.records != nil, !peer.wantsOther else { return }
            streams[peer.id] = peer
            for source in sources.values { aim(peer, at: source) }
        case .graph(.gone(let id)):
            streams[id] = nil
            adopted[id] = nil
            links[id] = nil
            processes[id] = nil
            forget(id)
        case .graph(.link(let link)):
            links[link.id] = link
            if let stream = streams[link.input] { for source in sources.values { aim(stream, at: source) } }
        case .graph(.ended): break
        case .known(let client, let program): judge(client, program)
        case .source(let id, let news): take(news, of: id)
        case .intrusion(let intrusion): retreat(from: intrusion)
        }
        release()
    }
}

// MARK: - Programs

extension GraphPrograms {
    /// Hides all nodes from a client until it is known whose it is.
    private func meet(_ client: GraphClient) {
        clients[client.id] = .unknown
        processes[client.id] = client.process
        for source in sources.values { show(source, to: client.id) }
        guard client.process > 0, client.user == Users.effectiveID, client.process != ProcessStart.processID else {
            clients[client.id] = .nobody
            return graph.links.identify(client.id, as: nil)
        }
        let known = grantees.values.map(\.subject.executable)
        looking.async { [tell, gatekeeper] in
            tell(
                .known(
                    client,
                    Result { () throws(CaptureError) in
                        let subject = try Self.subject(of: client.process, known)
                        if Self.managers.contains(subject.executable.path) { return KnownProgram(subject, nil) }
                        return KnownProgram(subject, try gatekeeper(subject, client.process))
                    }))
        }
    }

    /// Program of a process, from the kernel.
    ///
    /// - Throws: `.notAuthorized` if it has ended meanwhile: its number may belong to another process by now.
    private static func subject(of process: Int32, _ known: [Executable]) throws(CaptureError) -> Subject {
        guard let handle = try? ProcessHandle(process: process) else { throw .ended(process) }
        let subject = try ProcessSubject.of(process: process, known: known)
        // After the reading: while the process lives, all of it was of this process.
        guard !handle.hasEnded else { throw .ended(process) }
        return subject
    }

    /// Gives a client what its program may have.
    private func judge(_ client: GraphClient, _ program: Result<KnownProgram, CaptureError>) {
        guard clients[client.id] != nil else { return }
        do throws(CaptureError) {
            let program = try program.get()
            if let gatekeeper = program.gatekeeper {
                let grantee = grantee(for: program.subject, client.process, gatekeeper)
                grantee.clients.insert(client.id)
                clients[client.id] = .grantee(grantee)
            } else {
                clients[client.id] = .manager
                for stream in adopted.keys { hide(stream, from: client.id) }
            }
        } catch {
            clients[client.id] = .nobody
            onEvent(.unknown(process: client.process, error))
        }
        graph.links.identify(client.id, as: grantee(of: client.id)?.number)
        for source in sources.values { show(source, to: client.id) }
        for stream in streams.values { for source in sources.values { aim(stream, at: source) } }
    }

    /// The process's entry, made at its first connection.
    private func grantee(for subject: Subject, _ process: Int32, _ gatekeeper: Gatekeeper) -> Grantee {
        let key = Grantee.Key(subject, process)
        if let known = grantees[key] { return known }
        lastNumber += 1
        let grantee = Grantee(lastNumber, key, subject, gatekeeper)
        grantees[key] = grantee
        for device in devices { add(device, for: grantee) }
        return grantee
    }

    private func grantee(of client: UInt32) -> Grantee? {
        if case .grantee(let grantee) = clients[client] { grantee } else { nil }
    }

    /// A client has gone; with the last one of a process its nodes go.
    private func forget(_ id: UInt32) {
        let grantee = grantee(of: id)
        clients[id] = nil
        guard let grantee, grantee.clients.remove(id) != nil, grantee.clients.isEmpty else { return }
        remove { $0.grantee === grantee }
        grantees[grantee.key] = nil
    }
}

// MARK: - Nodes

extension GraphPrograms {
    /// Offers the devices of a list, and removes those that are not in it.
    private func offer(_ list: [OfferedDevice]) {
        remove { !list.contains($0.device) }
        for device in list where !devices.contains(device) {
            // One that is never let pass, and one for each program.
            add(device, for: nil)
            for grantee in grantees.values { add(device, for: grantee) }
        }
        devices = list
    }

    /// Makes a node's entry. The node itself comes where the decisions allow it.
    private func add(_ device: OfferedDevice, for grantee: Grantee?) {
        lastSource += 1
        let id = lastSource
        let source = Source(id, device, for: grantee, in: graph) { [tell] in tell(.source(id, $0)) }
        sources[id] = source
        do throws(CaptureError) { try source.begin() } catch { onEvent(.failed(error)) }
    }

    private func remove(_ isOver: (Source) -> Bool) {
        for source in sources.values where isOver(source) {
            if let event = source.end() { onEvent(event) }
            sources[source.id] = nil
        }
    }

    /// Passes news on to a node's entry; news of one that was removed are late, and mean nothing.
    private func take(_ news: Source.News, of id: Source.ID) {
        guard let source = sources[id] else { return }
        do throws(CaptureError) {
            if let event = try source.take(news) { onEvent(event) }
        } catch {
            onEvent(.failed(error))
        }
        if case .node(.bound) = news {
            for client in clients.keys { show(source, to: client) }
            for stream in streams.values { aim(stream, at: source) }
        }
        if source.adjust(), let grantee = source.grantee { onEvent(.began(grantee.subject, source.device.device)) }
    }

    /// Removes the node that a stranger was linked to.
    private func retreat(from intrusion: LinkWatch.Intrusion) {
        guard let source = sources.values.first(where: { $0.number == intrusion.node }), let grantee = source.grantee
        else { return }
        source.retreat()
        let process = intrusion.client.flatMap { processes[$0] } ?? 0
        onEvent(.intruded(grantee.subject, source.device.device, by: process))
    }

    /// Shows a node to its program and to session managers, and hides it from all others.
    private func show(_ source: Source, to client: UInt32) {
        guard let number = source.number else { return }
        let isShown =
            switch clients[client] {
            case .manager: true
            case .grantee(let grantee): grantee === source.grantee
            case .unknown, .nobody, nil: false
            }
        graph.connection.show(number, to: client, isShown)
    }

    /// Has a program's stream linked to the program's own node.
    private func aim(_ stream: GraphPeer, at source: Source) {
        guard let number = source.number, let client = stream.client, let owner = source.grantee,
            owner === grantee(of: client), stream.records == source.device.device.capability
        else { return }
        let ends = links.values.filter { $0.input == stream.id }
        guard stream.records == .camera, ends.allSatisfy({ $0.output == number || isClosed($0.output) }) else {
            return graph.connection.aim(stream.id, at: number)
        }
        adopt(stream, with: ends, by: number)
    }

    /// Links a camera's stream to its node, in place of the closed one that a session manager may have chosen meanwhile.
    ///
    /// Most such streams have the property that they must not be moved. WirePlumber destroys a stream that it has linked if that
    /// link is removed too soon, and a stream that it should link to a node which it has not examined yet. So such streams are
    /// hidden from it.
    private func adopt(_ stream: GraphPeer, with ends: [GraphLink], by number: UInt32) {
        if adopted[stream.id] == nil {
            for client in clients.keys { hide(stream.id, from: client) }
        }
        let closed = ends.filter { $0.output != number }
        for link in closed {
            links[link.id] = nil
            graph.connection.unlink(link.id)
        }
        // If it is linked already, the daemon does nothing.
        if adopted[stream.id] != number || !closed.isEmpty { graph.connection.link(number, to: stream.id) }
        adopted[stream.id] = number
    }

    /// Hides a camera's stream from a session manager.
    private func hide(_ stream: UInt32, from client: UInt32) {
        if case .manager = clients[client] { graph.connection.show(stream, to: client, false) }
    }

    /// Leaves streams whose node has gone to session managers again.
    private func release() {
        for (stream, number) in adopted where !sources.values.contains(where: { $0.number == number }) {
            adopted[stream] = nil
            for case (let client, .manager) in clients { graph.connection.show(stream, to: client, true) }
        }
    }

    /// True for a node that nothing passes.
    private func isClosed(_ number: UInt32) -> Bool {
        sources.values.contains { $0.grantee == nil && $0.number == number }
    }
}

extension CaptureError {
    fileprivate static func ended(_ process: Int32) -> CaptureError {
        CaptureError(.notAuthorized, "Process \(process) has ended.")
    }
}
