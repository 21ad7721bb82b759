import CPipeWire
import CaptureGate
import LinuxSystem

/// What happens in PipeWire's graph, in the order in which the daemon tells it.
///
/// *thread-safe*
enum GraphEvent: Hashable, Sendable {
    /// A program has connected.
    case client(GraphClient)
    /// A program has made a node, or the daemon has.
    case peer(GraphPeer)
    /// A node's output goes to another one's input from now on.
    case link(GraphLink)
    /// A client, a node or a link has gone, by its number.
    case gone(UInt32)
    /// The daemon has gone, and all nodes with it.
    case ended(Errno)
}

/// A connection of a program to the daemon.
///
/// *thread-safe*
struct GraphClient: Hashable, Sendable {
    let id: UInt32
    /// Process that connected, as the daemon has it from the kernel; 0 for the daemon itself.
    let process: Int32
    /// User that it ran as; `.max` where that is not known.
    let user: UInt32
}

/// A node of a program.
///
/// *thread-safe*
struct GraphPeer: Hashable, Sendable {
    let id: UInt32
    /// `nil` for the daemon's own.
    let client: UInt32?
    /// Kind of device that it records from; `nil` for what records from none.
    let records: CapabilityName?
    /// Set if it names its target itself, or records what is played.
    let wantsOther: Bool
}

/// A link between two nodes.
///
/// *thread-safe*
struct GraphLink: Hashable, Sendable {
    let id: UInt32
    let output: UInt32
    let input: UInt32
}

/// Connection to PipeWire's daemon, as one that sees the whole graph.
///
/// *thread-safe*
final class GraphConnection: Sendable {
    private typealias Watcher = GraphWatcher<GraphEvent>

    private let watcher: GraphWatcher<GraphEvent>
    nonisolated(unsafe) let pointer: UnsafeMutableRawPointer

    /// Connects to the daemon of this user.
    ///
    /// - Parameter onEvent: called on PipeWire's thread, which it must not hold up; it may call the methods here.
    /// - Throws: `.unavailable` where there is no daemon, or no libpipewire. The C function is `pw_context_connect`.
    init(onEvent: @escaping @Sendable (GraphEvent) -> Void) throws(CaptureError) {
        let watcher = Watcher(onEvent)
        var calls = cp_watcher()
        calls.context = watcher.context
        calls.client_came = { context, client in
            guard let client = client?.pointee else { return }
            Watcher.tell(context, .client(GraphClient(id: client.id, process: client.process, user: client.user)))
        }
        calls.node_came = { context, peer in
            guard let peer = peer?.pointee else { return }
            Watcher.tell(context, .peer(GraphPeer(peer)))
        }
        calls.link_came = { Watcher.tell($0, .link(GraphLink(id: $1, output: $2, input: $3))) }
        calls.gone = { Watcher.tell($0, .gone($1)) }
        calls.ended = { Watcher.tell($0, .ended(Errno(-$1))) }
        var made: UnsafeMutableRawPointer?
        let result = cp_connect(nil, &calls, &made)
        guard result >= 0, let made else { throw .noPipeWire(Errno(-result)) }
        self.watcher = watcher
        pointer = made
    }

    deinit { cp_disconnect(pointer) }

    /// Lets a client see a node and link to it, or not.
    func show(_ node: UInt32, to client: UInt32, _ isShown: Bool) {
        _ = cp_show(pointer, client, node, isShown ? 1 : 0)
    }

    /// Links two nodes, until one of them goes.
    func link(_ output: UInt32, to input: UInt32) { _ = cp_link(pointer, output, input) }

    /// Destroys a link.
    func unlink(_ link: UInt32) { _ = cp_unlink(pointer, link) }

    /// Has the session manager link a stream to a node, where there is a session manager.
    func aim(_ stream: UInt32, at node: UInt32) { _ = cp_aim(pointer, stream, node) }
}

/// Carries a handler to PipeWire's thread.
///
/// *thread-safe*
final class GraphWatcher<Event: Sendable>: Sendable {
    private let onEvent: @Sendable (Event) -> Void

    init(_ onEvent: @escaping @Sendable (Event) -> Void) { self.onEvent = onEvent }

    /// The handler as C has it, valid while this object is there.
    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static func tell(_ context: UnsafeMutableRawPointer?, _ event: Event) {
        guard let context else { return }
        Unmanaged<GraphWatcher>.fromOpaque(context).takeUnretainedValue().onEvent(event)
    }
}

extension GraphPeer {
    fileprivate init(_ peer: cp_peer) {
        id = peer.id
        client = peer.client == .max ? nil : peer.client
        records =
            switch peer.media_class.map({ String(cString: $0) }) {
            case "Stream/Input/Audio": .microphone
            case "Stream/Input/Video": .camera
            default: nil
            }
        wantsOther = peer.wants_other != 0
    }
}

extension CaptureError {
    fileprivate static func noPipeWire(_ errno: Errno) -> CaptureError {
        if errno.number == cp_no_library {
            return CaptureError(
                .unavailable, "PipeWire's library is not installed here, or is older than 0.3.40.",
                remedies: [Remedy("Install it.", command: "sudo apt install libpipewire-0.3-0 pipewire wireplumber")])
        }
        return CaptureError(
            .unavailable, "PipeWire can't be reached: \(errno.text).", errno: errno.number,
            remedies: [Remedy("Start it.", command: "systemctl --user start pipewire wireplumber")])
    }
}
