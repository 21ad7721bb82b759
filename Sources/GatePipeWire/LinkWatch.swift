import CaptureGate
import LinuxSystem

/// The rule who may be linked to the nodes of grantees, and so whether anything may pass.
///
/// A node lets something pass only while its capture is allowed and everything that it is linked to belongs to its grantee.
/// Judged on PipeWire's thread, the moment the daemon tells of a link: hiding a node from others is a courtesy, this is the rule.
///
/// *thread-safe*
final class LinkWatch: Sendable {
    /// A grantee, by a number of the gate's own.
    typealias Owner = Int

    fileprivate struct Source {
        /// `nil` for a node that is never let pass, which anybody may link to.
        let owner: Owner?
        var isOpen = false
        let pass: @Sendable (Bool) -> Void
    }

    fileprivate struct State {
        /// Grantee of each client that was identified; `.some(nil)` for one that is none.
        var owners: [UInt32: Owner?] = [:]
        /// Client of each node of others.
        var peers: [UInt32: UInt32] = [:]
        var sources: [UInt32: Source] = [:]
        var links: [UInt32: GraphLink] = [:]
    }

    private let state = Locked(State())
    private let unlink: @Sendable (UInt32) -> Void

    /// - Parameter unlink: destroys a link.
    init(unlink: @escaping @Sendable (UInt32) -> Void) { self.unlink = unlink }

    /// Takes note of what the daemon tells.
    func note(_ event: GraphEvent) {
        judging { state in
            switch event {
            case .peer(let peer): state.peers[peer.id] = peer.client
            case .link(let link): state.links[link.id] = link
            case .gone(let id):
                state.owners[id] = nil
                state.peers[id] = nil
                state.links[id] = nil
            case .client, .ended: break
            }
        }
    }

    /// Says whose a client is, now that its process was looked at.
    func identify(_ client: UInt32, as owner: Owner?) { judging { $0.owners[client] = .some(owner) } }

    /// Adds a node of a grantee, closed.
    ///
    /// - Parameter pass: lets pass what it is given, or not; called under a lock.
    func add(_ node: UInt32, of owner: Owner?, pass: @escaping @Sendable (Bool) -> Void) {
        judging { $0.sources[node] = Source(owner: owner, pass: pass) }
    }

    /// Lets a grantee's node pass something, while all it is linked to is the grantee's; or nothing any more.
    func open(_ node: UInt32, _ isOpen: Bool) { judging { $0.sources[node]?.isOpen = isOpen } }

    /// Closes a node and forgets it: nothing is called for it afterwards.
    func remove(_ node: UInt32) {
        state.withLock { state in
            state.sources[node]?.pass(false)
            state.sources[node] = nil
        }
    }

    /// Changes something, then lets pass or closes what follows from it, all under one lock.
    private func judging(_ change: (inout State) -> Void) {
        let strange = state.withLock { state in
            change(&state)
            return state.judge()
        }
        for link in strange { unlink(link) }
    }
}

extension LinkWatch.State {
    /// Lets pass or closes each node.
    ///
    /// - Returns: links to nodes of grantees from programs that are known to be others.
    fileprivate func judge() -> [UInt32] {
        var strange: [UInt32] = []
        for (node, source) in sources {
            guard let owner = source.owner else { continue }
            var isAlone = true
            for link in links.values where link.output == node || link.input == node {
                let other = self.owner(of: link.output == node ? link.input : link.output)
                isAlone = isAlone && other == .known(owner)
                // One that is not known yet may be the grantee's own.
                if other != .known(owner), other != .unknown { strange.append(link.id) }
            }
            source.pass(source.isOpen && isAlone)
        }
        return strange
    }

    /// Owner of a node of others.
    private enum Ownership: Equatable {
        /// Its client was not looked at yet.
        case unknown
        case nobody
        case known(LinkWatch.Owner)
    }

    private func owner(of peer: UInt32) -> Ownership {
        // A node of the daemon's own hands on to anybody.
        guard let client = peers[peer] else { return .nobody }
        guard let known = owners[client] else { return .unknown }
        return known.map { .known($0) } ?? .nobody
    }
}
