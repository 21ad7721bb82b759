import Gate
import LinuxSystem

/// Change in PipeWire's graph, in the order in which the daemon reports it.
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
    /// User that it ran as; `.max` if that is not known.
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
    /// True if it names its own target, or records what is played.
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
