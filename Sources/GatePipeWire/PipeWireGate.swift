import CaptureGate
import Dispatch
import Gate
import LinuxSystem

/// Offers cameras and microphones to the programs of PipeWire's graph, by the gate's decisions: each program has separate nodes,
/// from which no other program gets anything.
///
/// A node exists if the program may use the device, or a person may be asked about it. The capture begins when the program uses
/// the node. It ends when the program stops, or with the permission: then the node delivers silence, and is destroyed. Programs
/// are identified by the process that connected to the daemon, which the kernel reported to it.
///
/// *thread-safe*
package final class PipeWireGate: Sendable {
    /// News for a person.
    package enum Event: Sendable {
        /// The daemon is there.
        case connected
        case offered(Subject, Device)
        case withdrawn(Subject, Device)
        case began(Subject, Device)
        /// - Parameter error: `nil` if the program has ended it.
        case ended(Subject, Device, CaptureError?)
        /// A program of the graph that can't be identified gets nothing.
        case unknown(process: Int32, CaptureError)
        /// A program has linked itself to another program's node, which was removed at once.
        case intruded(Subject, Device, by: Int32)
        /// A node could not be made.
        case failed(CaptureError)
    }

    private let gatekeeper: @Sendable (Subject, Int32) throws(CaptureError) -> Gatekeeper
    private let onEvent: @Sendable (Event) -> Void

    /// - Parameters:
    ///   - gatekeeper: makes the gate of a program, from the kernel's information about it and its process.
    ///   - onEvent: called for each event, in order.
    package init(
        gatekeeper: @escaping @Sendable (Subject, Int32) throws(CaptureError) -> Gatekeeper,
        onEvent: @escaping @Sendable (Event) -> Void
    ) {
        self.gatekeeper = gatekeeper
        self.onEvent = onEvent
    }

    /// Serves until the task is cancelled; then all captures have ended and all nodes are gone.
    ///
    /// - Parameter devices: devices that are offered to each program, a new list after each change.
    /// - Throws: `.unavailable` if PipeWire can't be reached, or disconnects.
    package func run(offering devices: AsyncStream<[OfferedDevice]>) async throws(CaptureError) {
        let (messages, continuation) = AsyncStream.makeStream(of: GraphMessage.self)
        let tell: @Sendable (GraphMessage) -> Void = { continuation.yield($0) }
        let graph = try Graph {
            tell(.graph($0))
        } onIntrusion: {
            tell(.intrusion($0))
        }
        onEvent(.connected)
        let programs = GraphPrograms(in: graph, gatekeeper: gatekeeper, onEvent: onEvent, tell: tell)
        defer { programs.end() }
        let feed = Task { for await list in devices { tell(.devices(list)) } }
        defer { feed.cancel() }
        for await message in messages {
            if case .graph(.ended(let errno)) = message { throw .pipeWireGone(errno) }
            programs.take(message)
        }
    }
}

/// Task of the gate's, which takes one after the other.
enum GraphMessage: Sendable {
    /// All devices that are offered from now on.
    case devices([OfferedDevice])
    case graph(GraphEvent)
    /// A client's process was looked at.
    case known(GraphClient, Result<KnownProgram, CaptureError>)
    case source(Source.ID, Source.News)
    /// A stranger was linked to a program's node.
    case intrusion(LinkWatch.Intrusion)
}

/// A client's program, by the kernel's word.
///
/// *thread-safe*
struct KnownProgram: Sendable {
    let subject: Subject
    /// `nil` for a session manager, which is given nothing.
    let gatekeeper: Gatekeeper?

    init(_ subject: Subject, _ gatekeeper: Gatekeeper?) {
        self.subject = subject
        self.gatekeeper = gatekeeper
    }
}

/// PipeWire's graph, and the rule who may be linked to what.
///
/// *thread-safe*
final class Graph: Sendable {
    let connection: GraphConnection
    let links: LinkWatch

    /// The connection, which has what refers to it.
    private struct Made {
        weak var connection: GraphConnection?
    }

    init(
        onEvent: @escaping @Sendable (GraphEvent) -> Void,
        onIntrusion: @escaping @Sendable (LinkWatch.Intrusion) -> Void
    ) throws(CaptureError) {
        let made = Locked(Made())
        let links = LinkWatch { intrusion in
            made.withLock { $0.connection }?.unlink(intrusion.link)
            onIntrusion(intrusion)
        }
        let connection = try GraphConnection { event in
            // At once: what the rule closes must not wait for anything.
            links.note(event)
            if case .link(let link) = event, links.has(link.output) {
                made.withLock { $0.connection }?.muteMonitors(of: link.input)
            }
            onEvent(event)
        }
        made.withLock { $0.connection = connection }
        (self.connection, self.links) = (connection, links)
    }
}

extension CaptureError {
    fileprivate static func pipeWireGone(_ errno: Errno) -> CaptureError {
        CaptureError(
            .unavailable, "PipeWire has stopped, so all nodes are lost (\(errno.text)).", errno: errno.number,
            remedies: [Remedy("Start it again.", command: "systemctl --user start pipewire wireplumber")])
    }
}
