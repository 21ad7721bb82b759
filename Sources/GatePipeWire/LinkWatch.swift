import CaptureGate
import LinuxSystem

/// Rule for the links of grantees' nodes, and so for whether anything may pass.
///
/// A node lets frames pass only while its capture is allowed, and until it is linked to anything that is not known to be its
/// grantee's: then it is sealed permanently. It is also sealed if the stream that records from it passes the frames on to another
/// program: a recording stream has outputs for listening in, which the program has not asked for. Links are judged on PipeWire's
/// thread when the daemon reports them, which is before the daemon reports them to the node itself. Hiding a node from others is
/// only a courtesy; this is the rule.
///
/// *thread-safe*
final class LinkWatch: Sendable {
    /// A grantee, by a number of the gate's own.
    typealias Owner = Int

    /// A link that should not be.
    struct Intrusion: Hashable, Sendable {
        /// The grantee's node.
        let node: UInt32
        /// Link to remove.
        let link: UInt32
        /// Client that is linked to it; `nil` if nobody has told whose the other end is.
        let client: UInt32?
    }

    /// Ways to a node, called under a lock.
    struct Valve: Sendable {
        /// Lets pass what the node is given, or nothing.
        let pass: @Sendable (Bool) -> Void
        /// Stops the node and wipes it; called on PipeWire's thread.
        let seal: @Sendable () -> Void
    }

    fileprivate struct Source {
        /// `nil` for a node that is never let pass, which anybody may link to.
        let owner: Owner?
        let valve: Valve
        var isOpen = false
        /// Set once somebody else was linked to it.
        var isSealed = false
    }

    fileprivate struct State {
        /// Grantee of each client that was identified.
        var owners: [UInt32: Owner] = [:]
        /// Nodes of others.
        var peers: [UInt32: GraphPeer] = [:]
        var sources: [UInt32: Source] = [:]
        var links: [UInt32: GraphLink] = [:]
    }

    private let state = Locked(State())
    private let onIntrusion: @Sendable (Intrusion) -> Void

    /// - Parameter onIntrusion: called for a link whose node was sealed because of it; on any thread.
    init(onIntrusion: @escaping @Sendable (Intrusion) -> Void) { self.onIntrusion = onIntrusion }

    /// Takes note of what the daemon tells; on PipeWire's thread.
    func note(_ event: GraphEvent) {
        judging(sealing: true) { state in
            switch event {
            case .peer(let peer): state.peers[peer.id] = peer
            case .link(let link): state.links[link.id] = link
            case .gone(let id):
                state.owners[id] = nil
                state.peers[id] = nil
                state.links[id] = nil
            case .client, .ended: break
            }
        }
    }

    /// Says whose a client is, now that its process was looked at; `nil` for one that is no grantee's.
    func identify(_ client: UInt32, as owner: Owner?) { judging { $0.owners[client] = owner } }

    /// Adds a node of a grantee, closed.
    func add(_ node: UInt32, of owner: Owner?, _ valve: Valve) {
        judging { $0.sources[node] = Source(owner: owner, valve: valve) }
    }

    /// Lets frames of a grantee's node pass, while all its links are the grantee's; or stops them.
    func open(_ node: UInt32, _ isOpen: Bool) { judging { $0.sources[node]?.isOpen = isOpen } }

    /// Closes a node and forgets it: nothing is called for it afterwards.
    func remove(_ node: UInt32) {
        state.withLock { state in
            state.sources[node]?.valve.pass(false)
            state.sources[node] = nil
        }
    }

    /// True for a node of a grantee's.
    func has(_ node: UInt32) -> Bool { state.withLock { $0.sources[node]?.owner != nil } }

    /// Changes something, then lets pass, closes or seals what follows from it, all under one lock.
    ///
    /// - Parameter isOnThread: set on PipeWire's thread. On another one a node that would have to be sealed has passed nothing
    ///   yet: it was linked before it was added, or its client was identified before.
    private func judging(sealing isOnThread: Bool = false, _ change: (inout State) -> Void) {
        let intrusions = state.withLock { state in
            change(&state)
            return state.judge(sealing: isOnThread)
        }
        for intrusion in intrusions { onIntrusion(intrusion) }
    }
}

extension LinkWatch.State {
    /// Lets pass, closes or seals each node.
    ///
    /// - Returns: links because of which a node is sealed from now on.
    fileprivate mutating func judge(sealing isOnThread: Bool) -> [LinkWatch.Intrusion] {
        var intrusions: [LinkWatch.Intrusion] = []
        for (node, source) in sources {
            guard let owner = source.owner, !source.isSealed else { continue }
            // One that is not known yet is no grantee's, and a node of the daemon's own hands on to anybody.
            let strange = ends(of: node).filter { end in peers[end.other]?.client.flatMap { owners[$0] } != owner }
                .map { LinkWatch.Intrusion(node: node, link: $0.link, client: peers[$0.other]?.client) }
            intrusions += strange
            guard strange.isEmpty else {
                sources[node]?.isSealed = true
                source.valve.pass(false)
                if isOnThread { source.valve.seal() }
                continue
            }
            source.valve.pass(source.isOpen)
        }
        return intrusions
    }

    /// Ends of all links through which frames of a node reach another one.
    private func ends(of node: UInt32) -> [(link: UInt32, other: UInt32)] {
        let taking = links.values.filter { $0.output == node }.map { (link: $0.id, other: $0.input) }
        let giving = links.values.filter { $0.input == node }.map { (link: $0.id, other: $0.output) }
        let recorders = Set(taking.map(\.other).filter { peers[$0]?.records != nil })
        return taking + giving
            + links.values.filter { recorders.contains($0.output) }.map { (link: $0.id, other: $0.input) }
    }
}
