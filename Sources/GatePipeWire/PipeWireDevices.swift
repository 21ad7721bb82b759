import CaptureGate
import LinuxSystem

/// Microphones, cameras and monitors of PipeWire's graph, as devices that can be listed and captured.
///
/// The daemon is queried for each listing, over a connection that is closed at once: this takes a few milliseconds. If this user
/// has no daemon, nothing is loaded or queried.
///
/// *thread-safe*
package final class PipeWireDevices: DeviceProvider {
    /// Listing with its time on CLOCK_MONOTONIC.
    private struct Listing {
        let nodes: [FoundNode]
        let at: Int64
    }

    /// Last listing: the gate searches for a device several times for each request.
    private let last = Locked<Listing?>(nil)
    /// Time in ns for which a lookup uses it.
    private static let lifetime: Int64 = 1_000_000_000

    /// Asks nobody yet.
    package init() {}

    package func devices(of capability: CapabilityName) -> [Device] { Self.devices(nodes(), capability) }

    package func device(_ id: DeviceID, _ capability: CapabilityName) -> Device? {
        guard FoundNode.mayBeID(id) else { return nil }
        return Self.devices(nodes(asOf: Self.lifetime), capability).first { $0.id == id }
    }

    package func open(_ device: Device, _ wish: StreamWish) throws(CaptureError) -> ProvidedStream {
        guard let node = nodes(asOf: Self.lifetime).first(where: { $0.id == device.id }) else {
            throw CaptureError(
                .noDevice, "PipeWire no longer has \(device.id).",
                remedies: [Remedy("Choose another device.", .listDevices)])
        }
        if node == .portal { return try DesktopPortal.open(device, wish) }
        return try NodeStream.open(node, device, wish)
    }

    /// Devices of a kind, one of each id: of nodes with the same name, the daemon gives the first to who asks by name.
    private static func devices(_ nodes: [FoundNode], _ capability: CapabilityName) -> [Device] {
        let wanted = nodes.filter { $0.capability == capability }
        guard wanted.contains(where: { !$0.hardware.isEmpty }) else { return wanted.map { $0.device(among: []) } }
        let hardware = DeviceCatalog.scan(.identity, of: capability)
        return wanted.map { $0.device(among: hardware) }
    }

    /// Nodes that something can be captured from, as the daemon told them not longer ago than some ns.
    private func nodes(asOf age: Int64 = 0) -> [FoundNode] {
        let now = SystemClock.monotonic.now
        if age > 0, let last = last.withLock({ $0 }), now - last.at <= age { return last.nodes }
        guard PipeWireSocket.exists(in: ProcessEnvironment.current) else {
            return DesktopPortal.isNeeded(in: ProcessEnvironment.current) ? [.portal] : []
        }
        var seen: Set<DeviceID> = []
        let found = GraphListing.sources().flatMap { FoundNode.all(of: $0) }.filter { seen.insert($0.id).inserted }
        last.withLock { $0 = Listing(nodes: found, at: now) }
        return found
    }
}

/// Socket of the user's daemon.
enum PipeWireSocket {
    /// True if there is a daemon where libpipewire would search for it. Checked before anything is loaded, since most unattended
    /// machines that capture have none.
    static func exists(in environment: [String: String]) -> Bool {
        let name = environment["PIPEWIRE_REMOTE"] ?? "pipewire-0"
        if name.hasPrefix("/") { return FileSystem.allows(.existence, to: name) }
        let own = ["PIPEWIRE_RUNTIME_DIR", "XDG_RUNTIME_DIR"].compactMap { environment[$0] }
        let directories = own + ["/run/pipewire"]
        return directories.contains { FileSystem.allows(.existence, to: "\($0)/\(name)") }
    }
}
